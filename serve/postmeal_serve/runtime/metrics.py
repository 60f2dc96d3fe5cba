"""Prometheus metrics: counts and durations of requests, requests in flight, replaced workers.

Only the functions of this module import prometheus_client. If metrics are disabled, the library is
therefore not imported. If they are enabled, the environment variable that makes processes share
their metrics is set before the import.
"""

from __future__ import annotations

import os
import shutil
import struct
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Metrics", "MetricsMiddleware", "outward_count"]

_SHARED = "PROMETHEUS_MULTIPROC_DIR"
_REASONS = ("exited", "hung")
_TRIES = 5
_RETRY_AFTER_S = 0.05


class Metrics:
    """Serve ``/metrics`` on 127.0.0.1, for this process and its future child processes."""

    def __init__(self, folder: Path, port: int) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        os.environ[_SHARED] = str(folder)
        from prometheus_client import CollectorRegistry, start_http_server

        self._replaced = Counter(dict.fromkeys(_REASONS, 0))
        registry = CollectorRegistry()
        registry.register(cast(Any, _SharedMetrics(self._replaced)))
        self._server, _ = start_http_server(port, "127.0.0.1", registry)

    def forget(self, pid: int, reason: str | None) -> None:
        """Remove the requests in flight of a dead process; count its replacement, if it has one."""
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(pid)  # type: ignore[no-untyped-call]
        if reason is not None:
            self._replaced[reason] += 1

    def leave_to_parent(self) -> None:
        """Close the port in a child process, so that only the parent process serves it."""
        self._server.socket.close()


class _SharedMetrics:
    """Collector of the replaced workers, and of the metrics of all processes from their files.

    A file may disappear while it is read because its process has died, or be incomplete because its
    process has just started. In these cases, all files are read again.
    """

    def __init__(self, replaced: Counter[str]) -> None:
        from prometheus_client import CollectorRegistry
        from prometheus_client.multiprocess import MultiProcessCollector

        self._replaced = replaced
        self._files = MultiProcessCollector(CollectorRegistry())  # type: ignore[no-untyped-call]

    def collect(self) -> list[Any]:
        """Read the metrics of all processes; try again if a file cannot be read."""
        from prometheus_client.metrics_core import CounterMetricFamily

        replaced = CounterMetricFamily(
            "postmeal_worker_replacements", "Workers replaced, by reason.", labels=("reason",)
        )
        for reason, number in self._replaced.items():
            replaced.add_metric((reason,), number)
        return [replaced, *self._read_files()]

    def _read_files(self) -> list[Any]:
        for _ in range(_TRIES - 1):
            try:
                return list(self._files.collect())  # type: ignore[no-untyped-call]
            except (OSError, ValueError, struct.error):
                time.sleep(_RETRY_AFTER_S)
        return list(self._files.collect())  # type: ignore[no-untyped-call]


def outward_count(enabled: bool) -> Callable[[str, str], None]:
    """Return a function that counts requests to external services."""
    if not enabled:
        return lambda upstream, outcome: None
    from prometheus_client import CollectorRegistry
    from prometheus_client import Counter as PrometheusCounter

    requests = PrometheusCounter(
        "postmeal_upstream_requests_total",
        "Requests to external services.",
        ("upstream", "outcome"),
        registry=CollectorRegistry(),
    )
    return lambda upstream, outcome: requests.labels(upstream, outcome).inc()


class MetricsMiddleware:
    """ASGI middleware that records request metrics."""

    def __init__(self, app: ASGIApp) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.app = app
        registry = CollectorRegistry()
        self._requests = Counter(
            "postmeal_requests_total",
            "Completed requests.",
            ("version", "method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "postmeal_request_seconds",
            "Time in seconds until the response was sent.",
            ("version", "route"),
            registry=registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
        )
        self._in_flight = Gauge(
            "postmeal_requests_in_flight",
            "Requests in flight.",
            registry=registry,
            multiprocess_mode="livesum",
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection and record its metrics."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with self._in_flight.track_inprogress():
            try:
                await self.app(scope, receive, send)
            finally:
                summary = scope["postmeal.done"]
                version = summary["version"] or "none"
                status = summary["status"] or "none"
                method, route = summary["method"], summary["route"]
                self._requests.labels(version, method, route, status).inc()
                self._seconds.labels(version, route).observe(summary["ms"] / 1000)
