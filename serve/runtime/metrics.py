"""Prometheus metrics: counts and durations of requests, and requests in flight.

Only the functions of this module import prometheus_client. If metrics are disabled, the library is
therefore not imported. If they are enabled, the environment variable that makes processes share
their metrics is set before the import.
"""

from __future__ import annotations

import os
import shutil
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["MetricsMiddleware", "forget", "outward_count", "publish"]

_SHARED = "PROMETHEUS_MULTIPROC_DIR"
_TRIES = 5
_RETRY_AFTER_S = 0.05


def publish(folder: Path, port: int) -> None:
    """Serve ``/metrics`` on 127.0.0.1, for this process and its future child processes.

    Parameters
    ----------
    folder : Path
        Folder where the processes write their metrics; its current contents are deleted.
    port : int
        Port to listen on.

    Raises
    ------
    OSError
        The port is in use, or the folder cannot be created.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[_SHARED] = str(folder)
    from prometheus_client import CollectorRegistry, start_http_server

    registry = CollectorRegistry()
    registry.register(cast(Any, _SharedMetrics()))
    start_http_server(port, "127.0.0.1", registry)


class _SharedMetrics:
    """Collector that reads the metrics of all processes from their files.

    A file may disappear while it is read because its process has died, or be incomplete because its
    process has just started. In these cases, all files are read again.
    """

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry
        from prometheus_client.multiprocess import MultiProcessCollector

        self._files = MultiProcessCollector(CollectorRegistry())  # type: ignore[no-untyped-call]

    def collect(self) -> list[Any]:
        """Read the metrics of all processes; try again if a file cannot be read."""
        for _ in range(_TRIES - 1):
            try:
                return list(self._files.collect())  # type: ignore[no-untyped-call]
            except (OSError, ValueError, struct.error):
                time.sleep(_RETRY_AFTER_S)
        return list(self._files.collect())  # type: ignore[no-untyped-call]


def forget(pid: int) -> None:
    """Remove the requests in flight of a dead process from the metrics."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]


def outward_count(enabled: bool) -> Callable[[str, str], None]:
    """Return a function that counts requests to external services.

    Parameters
    ----------
    enabled : bool
        Whether metrics are enabled; if not, the function does nothing.

    Returns
    -------
    callable
        Function that takes the name of a service and the outcome of a request to it.
    """
    if not enabled:
        return lambda upstream, outcome: None
    from prometheus_client import CollectorRegistry, Counter

    requests = Counter(
        "postmeal_upstream_requests_total",
        "Requests to external services.",
        ("upstream", "outcome"),
        registry=CollectorRegistry(),
    )
    return lambda upstream, outcome: requests.labels(upstream, outcome).inc()


class MetricsMiddleware:
    """ASGI middleware that records request metrics.

    Parameters
    ----------
    app : ASGI application
        The wrapped application. It must add a summary of the request to the scope, as
        `serve.http.middleware.Transport` does.
    """

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
