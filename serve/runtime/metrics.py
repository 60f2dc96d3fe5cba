"""Metrics: how many requests, how long they took, how many are under way; for Prometheus.

prometheus_client is imported here alone and late: without metrics it costs nothing, and it decides
when it is imported whether processes share their counts.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Metered", "forget", "outward_count", "publish"]

_SHARED = "PROMETHEUS_MULTIPROC_DIR"


def publish(folder: Path, port: int) -> None:
    """Answer ``/metrics`` on 127.0.0.1, for this process and those that it will start.

    Parameters
    ----------
    folder : Path
        Where the processes put their counts; what is in it is removed.
    port : int
        Where to listen.

    Raises
    ------
    OSError
        The port is taken, or the folder cannot be made.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[_SHARED] = str(folder)
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    start_http_server(port, "127.0.0.1", registry)


def forget(pid: int) -> None:
    """Take a process that died out of the counts of what is under way."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]


def outward_count(kept: bool) -> Callable[[str, str], None]:
    """Answer what counts a question to a service outside: which one, and how it went.

    Parameters
    ----------
    kept : bool
        Whether metrics are kept.
    """
    if not kept:
        return lambda upstream, outcome: None
    from prometheus_client import CollectorRegistry, Counter

    asked = Counter(
        "postmeal_upstream_requests_total",
        "Questions to services outside.",
        ("upstream", "outcome"),
        registry=CollectorRegistry(),
    )
    return lambda upstream, outcome: asked.labels(upstream, outcome).inc()


class Metered:
    """An ASGI application whose requests are counted.

    Parameters
    ----------
    app : ASGI application
        What answers; it leaves in the scope what `serve.http.middleware.Transport` logs.
    """

    def __init__(self, app: ASGIApp) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.app = app
        registry = CollectorRegistry()
        self._requests = Counter(
            "postmeal_requests_total",
            "Requests that were answered.",
            ("version", "method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "postmeal_request_seconds",
            "Seconds until the answer was sent.",
            ("version", "route"),
            registry=registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
        )
        self._in_flight = Gauge(
            "postmeal_requests_in_flight",
            "Requests under way.",
            registry=registry,
            multiprocess_mode="livesum",
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with self._in_flight.track_inprogress():
            try:
                await self.app(scope, receive, send)
            finally:
                done = scope["postmeal.done"]
                version = done["version"] or "none"
                status = done["status"] or "none"
                self._requests.labels(version, done["method"], done["route"], status).inc()
                self._seconds.labels(version, done["route"]).observe(done["ms"] / 1000)
