"""Benchmark of a steady mix of food log writes and reads, compared with an echo server.

Each server has four worker processes. Per second, it gets 200 requests that create a food log and
400 that read a list of food logs. The servers are postmeal on SQLite, postmeal on PostgreSQL if a
server responds at ``POSTMEAL_TEST_POSTGRES``, and a FastAPI echo that stores nothing.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from benchmarks.comparison import Comparison
from benchmarks.over_http import benchmark_key, body_of, http_server
from benchmarks.postgres_database import temporary_database
from benchmarks.steady import steady_load
from postmeal_serve.runtime.clock import Clock

__all__ = ["compare"]

_WORKERS = 4
_PACE = {"writes": 200, "reads": 400}
_SECONDS = int(os.environ.get("POSTMEAL_BENCH_SECONDS", "60"))
_CONNECTIONS = 64
_USERS = 1000


_AIM_P99_MS = {"writes": 200, "reads": 150}


def compare() -> Comparison:
    """Send the same load to the three servers in turn."""
    lines, failed = [], 0
    aims: list[tuple[str, bool]] = []
    for name, serve in (("SQLite", _sqlite), ("PostgreSQL", _postgresql), ("FastAPI echo", _echo)):
        with serve() as served:
            if served is None:
                lines.append((name, "no server", "", "", "", ""))
                continue
            done = _load(*served)
        errors = sum(
            number
            for kind in done.values()
            for status, number in kind["statuses"].items()
            if status not in ("200", "201")
        )
        failed += errors
        figures = [f"{value:.1f}" for kind in _PACE for value in _p50_p99(done[kind]["ms"])]
        lines.append((name, *figures, str(errors)))
        if serve is not _echo:
            for kind, most_ms in _AIM_P99_MS.items():
                p99_ms = _p50_p99(done[kind]["ms"])[1]
                aims.append((f"{name}: p99 of {kind} at most {most_ms} ms", p99_ms <= most_ms))
    total = sum(_PACE.values()) * _SECONDS
    return Comparison(
        f"{_PACE['writes']} food log writes and {_PACE['reads']} list reads per second for"
        f" {_SECONDS} s, {_WORKERS} workers, in ms",
        ("write p50", "write p99", "read p50", "read p99", "not 2xx"),
        lines,
        [(f"every server: all {total:,} requests succeed", failed == 0), *aims],
    )


@contextmanager
def _sqlite() -> Iterator[tuple[int, dict[str, list[str]]]]:
    with tempfile.TemporaryDirectory() as name:
        yield from _postmeal(Path(name), {})


@contextmanager
def _postgresql() -> Iterator[tuple[int, dict[str, list[str]]] | None]:
    with ExitStack() as stack:
        try:
            url = stack.enter_context(temporary_database())
        except SQLAlchemyError:
            yield None
            return
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        yield from _postmeal(Path(folder), {"POSTMEAL_DATABASE": url})


def _postmeal(
    folder: Path, environment: dict[str, str]
) -> Iterator[tuple[int, dict[str, list[str]]]]:
    secret = benchmark_key(folder, environment.get("POSTMEAL_DATABASE"))
    state = {
        "POSTMEAL_STATE_DIR": str(folder),
        "POSTMEAL_REQUIRE_HTTPS": "false",
        "POSTMEAL_ADDRESS_PER_MINUTE": "100000000",
        "POSTMEAL_WORKERS": str(_WORKERS),
    }
    with http_server(["-m", "postmeal_serve", "run"], state | environment) as port:
        yield port, _requests("/v1.2/food-logs", f"Authorization: Bearer {secret}\r\n")


@contextmanager
def _echo() -> Iterator[tuple[int, dict[str, list[str]]]]:
    uvicorn = ["-m", "uvicorn", "benchmarks.echo:app", "--workers", str(_WORKERS)]
    quiet = ["--no-access-log", "--log-level", "error"]
    with http_server([*uvicorn, *quiet], {}) as port:
        yield port, _requests("/echo", "")


def _requests(path: str, key: str) -> dict[str, list[str]]:
    """Return two requests for each user: one writes a food log, the other reads a week of logs."""
    today = Clock().now().date()
    days = f"?start={today - timedelta(days=6)}&end={today}"
    content = json.dumps({"foods": body_of()["foods"], "name": "Breakfast"})
    writes, reads = [], []
    for number in range(_USERS):
        head = f"Host: 127.0.0.1\r\nService-End-User-ID: user-{number}\r\n{key}"
        length = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        writes.append(f"POST {path} HTTP/1.1\r\n{head}{length}\r\n{content}")
        reads.append(f"GET {path}{days} HTTP/1.1\r\n{head}\r\n")
    return {"writes": writes, "reads": reads}


def _load(port: int, requests: dict[str, list[str]]) -> dict[str, Any]:
    return steady_load(
        {
            "port": port,
            "requests": requests,
            "pace": _PACE,
            "seconds": _SECONDS,
            "connections": _CONNECTIONS,
        }
    )


def _p50_p99(times_ms: list[float]) -> tuple[float, float]:
    return median(times_ms), quantiles(times_ms, n=100)[98]
