"""Runtime support: clocks, background jobs, thread pools, logs and metrics."""
