"""Benchmark of predictions from a CGM history in the request, compared with an echo server.

The echo server returns the body of each request. Each server runs in one process. Requests go to
the servers alternately, over one connection to each server. The time is measured from the first
byte of the request to the last byte of the response.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from benchmarks.comparison import Comparison
from benchmarks.over_http import benchmark_key, body_of, http_server

__all__ = ["compare", "history"]

_PREDICT = "/v1.2/glucose/predictions"
_HISTORIES = {"none": (0, 5, 0), "1,000 readings": (1000, 15, 3), "14 days": (4032, 5, 3.25)}
_ROUNDS = 100
_OPTIONS = ["--no-access-log", "--log-level", "error", "--loop", "uvloop", "--http", "httptools"]
_START = datetime(2026, 1, 5, tzinfo=UTC)
_AIM_MS = 50


def compare() -> Comparison:
    """Time requests without readings, with 1,000 readings, and with 14 days of readings."""
    times_ms: dict[str, tuple[list[float], list[float]]] = {}
    with tempfile.TemporaryDirectory() as name, ExitStack() as servers:
        state = {
            "POSTMEAL_STATE_DIR": name,
            "POSTMEAL_REQUIRE_HTTPS": "false",
            "POSTMEAL_ADDRESS_PER_MINUTE": "100000000",
        }
        key = {"Authorization": f"Bearer {benchmark_key(Path(name))}"}
        ours = ["-m", "uvicorn", "postmeal_serve.app:create_app", "--factory", *_OPTIONS]
        echo = ["-m", "uvicorn", "benchmarks.echo:app", *_OPTIONS]
        port = servers.enter_context(http_server(ours, state))
        echo_port = servers.enter_context(http_server(echo, {}))
        for label, size in _HISTORIES.items():
            content = json.dumps(body_of() | history(*size)).encode()
            here = HTTPConnection("127.0.0.1", port)
            there = HTTPConnection("127.0.0.1", echo_port)
            times_ms[label] = ([], [])
            for _ in range(_ROUNDS):
                times_ms[label][0].append(_request_ms(here, _PREDICT, content, key))
                times_ms[label][1].append(_request_ms(there, "/echo", content, {}))
            here.close()
            there.close()
    lines = [
        (label, *(f"{each:.1f}" for each in (median(own), quantiles(own, n=100)[98], median(peer))))
        for label, (own, peer) in times_ms.items()
    ]
    slowest_ms = max(median(own) for own, _ in times_ms.values())
    return Comparison(
        f"prediction from a CGM history over HTTP, {_ROUNDS} requests each, in ms",
        ("p50", "p99", "FastAPI echo"),
        lines,
        [(f"14 days of readings and 45 meals in less than {_AIM_MS} ms", slowest_ms < _AIM_MS)],
    )


def history(number: int, every_min: int, meals_a_day: float) -> dict[str, Any]:
    """Return evenly spaced readings and meals, as fields of a prediction request.

    Parameters
    ----------
    number : int
        Number of readings. If it is 0, the result is empty.
    every_min : int
        Minutes between readings.
    meals_a_day : float
        Number of meals per day.
    """
    if not number:
        return {}
    end_min = number * every_min
    meal_min = [
        round(n * 1440 / meals_a_day) + 120 for n in range(int(end_min * meals_a_day / 1440))
    ]
    food = body_of()["foods"][0]
    readings = []
    for minute in range(0, end_min, every_min):
        since_min = min((minute - meal for meal in meal_min if meal <= minute), default=1440)
        value = 100 + 50 * math.sin(math.pi * since_min / 180) * (since_min < 180) + minute % 7
        readings.append({"timestamp": _time(minute), "value": round(value, 1)})
    consumed = [food | {"timestamp": _time(minute)} for minute in meal_min]
    return {"cgm_data": readings, "consumed_foods": consumed, "start_time": _time(end_min)}


def _time(minute: int) -> str:
    return f"{_START + timedelta(minutes=minute):%Y-%m-%dT%H:%M:%SZ}"


def _request_ms(
    connection: HTTPConnection, path: str, content: bytes, headers: Mapping[str, str]
) -> float:
    began = perf_counter()
    connection.request("POST", path, content, {"Content-Type": "application/json", **headers})
    response = connection.getresponse()
    response.read()
    if response.status != 200:
        raise RuntimeError(f"{path} must return status 200, got {response.status}")
    return 1000 * (perf_counter() - began)
