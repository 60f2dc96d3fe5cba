"""Callers who hold connections and send next to nothing: the others notice nothing."""

import socket
import threading
import time
from contextlib import ExitStack, suppress

import pytest
from api_client import PREDICT
from readable_sockets import readable_of
from real_server import RealServer

from postmeal_serve.process.connection_limits import (
    BODY_GRACE_S,
    BODY_PAUSE_S,
    BODY_RATE,
    HEAD_TIMEOUT_S,
)
from postmeal_serve.wire.upload_limits import MOST_UNFINISHED

pytestmark = pytest.mark.reliability

SLOW = 200


@pytest.fixture
def server(tmp_path):
    with RealServer(tmp_path, log_level="warning") as server:
        yield server


class Crowd:
    """Connections that send one byte a second."""

    def __init__(self, server: RealServer, start: bytes, drip: bytes) -> None:
        self.server, self.start, self.drip = server, start, drip
        self.began = time.monotonic()
        self.closed_s: dict[int, float] = {}
        self._done = threading.Event()
        self._stack = ExitStack()

    def __enter__(self) -> "Crowd":
        address = ("127.0.0.1", self.server.port)
        self.held = [
            self._stack.enter_context(socket.create_connection(address, 10)) for _ in range(SLOW)
        ]
        for each in self.held:
            each.sendall(self.start)
        self._thread = threading.Thread(target=self._send)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()
        self._stack.close()

    def _send(self) -> None:
        while not self._done.wait(1):
            open_ = [each for each in self.held if each.fileno() not in self.closed_s]
            for each in readable_of(open_):  # an end: no answer is due
                self.closed_s[each.fileno()] = time.monotonic() - self.began
            for each in open_:
                with suppress(OSError):
                    each.sendall(self.drip)


def p99_s(server: RealServer, seconds: float) -> float:
    took_s = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        answer = server.client.post(PREDICT, json=server.body, headers=server.headers())
        took_s.append(time.perf_counter() - began)
        assert answer.status_code == 200
    assert len(took_s) > 20
    return sorted(took_s)[int(len(took_s) * 0.99)]


def test_200_unending_heads_slow_nobody_and_are_ended(server):
    """S5: p99 of another client below 500 ms; each head is given 20 s."""
    with Crowd(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ", b"a") as crowd:
        assert p99_s(server, HEAD_TIMEOUT_S + 5) < 0.5
        assert len(crowd.closed_s) == SLOW
        assert min(crowd.closed_s.values()) > HEAD_TIMEOUT_S - 2


def test_200_stalled_bodies_slow_nobody_and_are_ended(server):
    """S5: byte by byte; of one key 50 may arrive at a time, each for 10 s."""
    key = server.partner("slow").headers(PREDICT)["Authorization"]
    head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nAuthorization: {key}\r\n"
    head = f"{head}Content-Length: 60000\r\n\r\n"
    with Crowd(server, head.encode(), b" ") as crowd:
        assert p99_s(server, BODY_GRACE_S + 5) < 0.5
        ends_s = sorted(crowd.closed_s.values())
        assert len(ends_s) == SLOW
        assert min(ends_s[-MOST_UNFINISHED:]) > BODY_GRACE_S - 2


def test_200_silent_connections_are_ended(server):
    """S5: nothing is sent at all."""
    with Crowd(server, b"", b"") as crowd:
        assert p99_s(server, HEAD_TIMEOUT_S + 5) < 0.5
        assert len(crowd.closed_s) == SLOW


@pytest.mark.parametrize(
    ("sent", "within_s"), [(9, BODY_GRACE_S), (40 * BODY_RATE, 40), (100 * BODY_RATE, BODY_PAUSE_S)]
)
def test_a_body_that_stops_is_given_up(server, sent, within_s):
    """S5: once it averages less than 32 KB/s, or pauses for 60 s; it leaves nothing behind."""
    key = server.headers()["Authorization"]
    head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nAuthorization: {key}\r\n"
    head = f"{head}Content-Length: 5000000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), BODY_PAUSE_S + 10) as raw:
        raw.sendall(head.encode() + b" " * sent)
        began = time.monotonic()
        assert raw.recv(1) == b""
        assert within_s - 1 < time.monotonic() - began < within_s + 5
    assert server.stop() == 0
    assert server.log() == ""
