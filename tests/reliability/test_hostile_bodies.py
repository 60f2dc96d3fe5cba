"""Bodies that are meant to cost much: refused at once or done aside, by a real server."""

import json
import math
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from api_client import OLD_PREDICT, PREDICT, TRAIN, USER_PREDICT, ZONE, assert_refused
from few_foods import few_foods
from real_server import RealServer

from postmeal_serve.process.connection_limits import MAX_HEAD_BYTES

pytestmark = pytest.mark.reliability

LARGEST = 5 * 1024 * 1024
DEEP = {
    "100,000 arrays": b"[" * 100_000,
    "100,000 objects": b'{"a":' * 100_000,
    "100,000 closed": b"[" * 100_000 + b"]" * 100_000,
    "100,000 in a field": b'{"foods":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "5 MiB of [": b"[" * LARGEST,
    "5 MiB closed": b"[" * (LARGEST // 2) + b"]" * (LARGEST // 2),
    "5 MiB of quotes": (b'"\\"' * LARGEST)[:LARGEST],
    "5 MiB of digits": b"9" * LARGEST,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    with RealServer(folder, workers=2, food_table=few_foods(folder)) as server:
        yield server


@pytest.mark.parametrize("path", [PREDICT, OLD_PREDICT, TRAIN, USER_PREDICT])
@pytest.mark.parametrize("body", DEEP.values(), ids=DEEP)
def test_depth_and_size_are_refused_in_100_ms(server, path, body):
    """S5."""
    headers = server.headers(path[1:5]) | ZONE | {"Content-Type": "application/json"}
    headers["x-partner-user-id"] = "00000000-0000-4000-8000-000000000000"

    def refused() -> None:
        assert_refused(server.client.post(path, content=body, headers=headers), 400)

    assert quickest_s(refused, 0.1) < 0.1


def quickest_s(act: Callable[[], None], enough_s: float) -> float:
    """Of up to twenty times: other processes may take the cores meanwhile."""
    quickest_s = math.inf
    for _ in range(20):
        began = time.perf_counter()
        act()
        quickest_s = min(quickest_s, time.perf_counter() - began)
        if quickest_s < enough_s:
            break
    return quickest_s


def test_many_long_numbers_and_names_do_not_stop_others(server):
    """S5: one body of each kind, and the answer to the next caller comes in 500 ms."""
    number = b"9" * 4000
    for body in (
        b"[" + b",".join([number] * 1200) + b"]",
        b'{"user_profile":{"age":' + number * 1000 + b"}}",
        json.dumps({f"field {n}": n for n in range(150_000)}).encode(),
        json.dumps(server.body | {"foods": server.body["foods"] * 20_000}).encode(),
        b'{"x":[' + b",".join([b"[" * 60 + b"]" * 60] * 43_000) + b"]}",
    ):
        for path in (PREDICT, "/v1.2/food-logs"):
            headers = server.headers() | {"Content-Type": "application/json"}
            headers["Service-End-User-ID"] = "Ada"

            def refused(
                path: str = path, body: bytes = body, headers: dict[str, str] = headers
            ) -> None:
                assert_refused(server.client.post(path, content=body, headers=headers), 400)
                assert server.client.get("/healthz").status_code == 200

            assert quickest_s(refused, 0.5) < 0.5


def test_the_longest_history_holds_nobody_up(tmp_path):
    """S5: 5 MiB of readings and a thousand meals, fitted again and again by the one process."""
    with RealServer(tmp_path, workers=1, log_level="error") as server:
        body = json.dumps(server.body | longest_history(server)).encode()
        assert 0.9 * LARGEST < len(body) <= LARGEST
        headers = server.headers() | {"Content-Type": "application/json"}
        statuses, done = [], threading.Event()

        def fit() -> None:
            while not done.is_set():
                answer = httpx2.post(
                    server.address + PREDICT, content=body, headers=headers, timeout=60
                )
                statuses.append(answer.status_code)

        fitting = [threading.Thread(target=fit) for _ in range(3)]
        for thread in fitting:
            thread.start()
        took_s = []
        while len(statuses) < 6:
            began = time.perf_counter()
            answer = server.client.post(PREDICT, json=server.body, headers=server.headers())
            took_s.append(time.perf_counter() - began)
            assert answer.status_code == 200
        done.set()
        for thread in fitting:
            thread.join()
        assert set(statuses) == {200}
        p99_s = sorted(took_s)[int(len(took_s) * 0.99)]
        print(f"\nS5: beside {len(statuses)} longest histories, {len(took_s)} answers", end="")
        print(f", p99 {1000 * p99_s:.0f} ms")
        assert p99_s < 0.5


def longest_history(server: RealServer) -> dict[str, object]:
    """A reading a minute, with as many meals as people eat in that time."""
    start, length = datetime(2025, 10, 1, tzinfo=UTC), 98_000
    readings = [
        {
            "timestamp": f"{start + timedelta(minutes=minute):%FT%H:%MZ}",
            "value": 100 + round(40 * math.sin(minute / 90)),
        }
        for minute in range(length)
    ]
    food = server.body["foods"][0]
    meals = [
        food | {"timestamp": f"{start + timedelta(minutes=minute):%FT%H:%MZ}"}
        for minute in range(480, length, 360)
    ]
    return {"cgm_data": readings, "consumed_foods": meals}


def test_every_worker_ends_a_head_without_end(server):
    """S5: each of several processes has the guard."""
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", server.port), 10) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 2 * MAX_HEAD_BYTES)
            with raw.makefile("rb") as received:
                assert received.readline() == b"HTTP/1.1 400 Bad Request\r\n"
                assert json.loads(received.read().splitlines()[-1])["code"] == "invalid_request"
