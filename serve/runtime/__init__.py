"""What the running service stands on: clocks, background jobs, threads, logs and metrics."""
