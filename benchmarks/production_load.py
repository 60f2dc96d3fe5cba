"""Benchmark of a steady load of food searches and predictions, and of recovery from overload.

The load is first increased until the machine no longer sustains it. It is then set to three times
the highest sustained load, and finally reduced to the initial load. A load is sustained if every
response has the status 200 and the 99th percentiles are below the aims. The server and the callers
share the machine.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from statistics import quantiles
from time import sleep
from typing import Any

from benchmarks.comparison import Comparison
from benchmarks.over_http import benchmark_key, body_of, http_server
from benchmarks.steady import steady_load

__all__ = ["compare"]

_PACE = {"search": 200, "predict": 100}
_AIM_MS = {"search": 150.0, "predict": 200.0}
_FACTORS = (1, 2, 3, 4, 6, 8)
_SECONDS = 20
_NORMAL_WITHIN_S = 10
_WORKERS = max(1, min(4, os.cpu_count() or 1))


def compare() -> Comparison:
    """Increase the load in steps, overload the service, and return to the initial load."""
    lines = []
    with tempfile.TemporaryDirectory() as name:
        secret = benchmark_key(Path(name))
        state = {
            "POSTMEAL_STATE_DIR": name,
            "POSTMEAL_REQUIRE_HTTPS": "false",
            "POSTMEAL_ADDRESS_PER_MINUTE": "100000000",
            "POSTMEAL_WORKERS": str(_WORKERS),
        }
        with http_server(["-m", "postmeal_serve", "run"], state) as port:
            requests = _requests(secret)
            carried: dict[str, Any] = {}
            highest = 0
            for factor in _FACTORS:
                done = _load(port, requests, factor)
                lines.append(_line(f"{factor} ×", done))
                if not _is_sustained(done):
                    break
                carried[str(factor)], highest = done, factor
            over = _load(port, requests, 3 * (highest or 1), connections=1000)
            lines.append(_line(f"{3 * (highest or 1)} × (three times)", over))
            sleep(_NORMAL_WITHIN_S)
            after = _load(port, requests, 1)
            lines.append(_line("1 × after 10 s", after))
    return Comparison(
        f"{_PACE['search']} searches and {_PACE['predict']} predictions per second, times a factor,"
        f" {_WORKERS} workers and the callers on {os.cpu_count()} cores, in ms",
        ("search p99", "predict p99", "statuses"),
        lines,
        [
            ("1 ×: p99 below 150 and 200 ms, every response 200", "1" in carried),
            ("three times the highest load: only 200, 429 and 503", _is_shed(over)),
            ("10 s later: as at the start", _is_sustained(after)),
        ],
    )


def _requests(secret: str) -> dict[str, list[str]]:
    head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {secret}\r\n"
    content = json.dumps(body_of())
    length = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    words = ("rice", "oat%20milk", "banana", "chicken%20soup", "bread", "apple%20pie", "yogurt")
    return {
        "search": [f"GET /v1.2/foods?query={each} HTTP/1.1\r\n{head}\r\n" for each in words],
        "predict": [f"POST /v1.2/glucose/predictions HTTP/1.1\r\n{head}{length}\r\n{content}"],
    }


def _load(
    port: int, requests: dict[str, list[str]], factor: int, connections: int = 64
) -> dict[str, Any]:
    return steady_load(
        {
            "port": port,
            "requests": requests,
            "pace": {kind: factor * pace for kind, pace in _PACE.items()},
            "seconds": _SECONDS,
            "connections": connections,
        }
    )


def _line(name: str, done: dict[str, Any]) -> tuple[str, ...]:
    statuses: Counter[str] = Counter()
    for kind in done.values():
        statuses.update(kind["statuses"])
    counted = " ".join(f"{status}×{number}" for status, number in sorted(statuses.items()))
    return name, *(f"{_p99_ms(done[kind]):.1f}" for kind in _PACE), counted


def _p99_ms(kind: dict[str, Any]) -> float:
    return quantiles(kind["ms"], n=100)[98]


def _is_sustained(done: dict[str, Any]) -> bool:
    return all(
        {*kind["statuses"]} == {"200"} and _p99_ms(kind) < _AIM_MS[name]
        for name, kind in done.items()
    )


def _is_shed(done: dict[str, Any]) -> bool:
    return all({*kind["statuses"]} <= {"200", "429", "503"} for kind in done.values())
