"""SIGTERM under load: whoever was heard is answered, and what was answered is counted."""

import json
import signal
import socket
import threading
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from api_client import PREDICT, Api
from few_foods import few_foods
from real_server import RealServer
from sqlalchemy import func, select

from postmeal_serve.storage.tables import usage

pytestmark = pytest.mark.reliability

CLIENTS = 16
SEARCH = "/v1.2/foods?query=rice"


class Load:
    """Clients that call one after the other, on connections that are kept or on new ones."""

    def __init__(self, server: RealServer) -> None:
        self.server = server
        self.seen: Counter[str] = Counter()
        self._body = json.dumps(server.body)
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._call, args=(n,)) for n in range(CLIENTS)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _call(self, number: int) -> None:
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=35)
        while not self._done.is_set():
            seen = self._answered(connection, number)
            with self._lock:
                self.seen[seen] += 1
            if seen != "200" or number % 4 == 0:  # every fourth client never keeps a connection
                connection.close()
            if seen == "refused":
                time.sleep(0.02)
        connection.close()

    def _answered(self, connection: HTTPConnection, number: int) -> str:
        if connection.sock is None:
            try:
                connection.connect()
            except ConnectionRefusedError:
                return "refused"
        try:
            if number % 2:
                connection.request("POST", PREDICT, self._body, self.server.headers())
            else:
                connection.request("GET", SEARCH, headers=self.server.headers())
            answer = connection.getresponse()
            answer.read()
        except (OSError, HTTPException) as error:
            return f"{type(error).__name__}: {error}"
        return str(answer.status)


def stopped_under_load(folder: Path, workers: int, times: int) -> None:
    seen: Counter[str] = Counter()
    given = {"workers": workers, "food_table": few_foods(folder)}
    with RealServer(folder, log_level="warning", **given) as server:
        for number in range(times):
            with Load(server) as load:
                time.sleep(0.3 + 0.01 * (number % 20))
                while load.seen["200"] <= CLIENTS:  # on a busy machine
                    time.sleep(0.01)
                began = time.perf_counter()
                assert server.stop() == 0, server.log()
                assert time.perf_counter() - began < 30
                time.sleep(0.05)
            seen += load.seen
            assert set(load.seen) <= {"200", "refused"}, (number, load.seen)
            assert load.seen["200"] > CLIENTS
            if number + 1 < times:
                server.start()
        assert server.log() == ""
    with Api(folder) as api, api.service.database.reading() as connection:
        counted = connection.execute(select(func.sum(usage.c.requests))).scalar_one()
    assert counted == seen["200"]


@pytest.mark.parametrize("workers", [1, 3])
def test_ten_stops_under_load_cut_nobody_off(tmp_path, workers):
    """R21, row 484: exit 0 in time, no reset, no answer lost, every answer counted once."""
    stopped_under_load(tmp_path, workers, times=5)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_hundred_stops_under_load_cut_nobody_off(tmp_path, workers):
    """R21, row 484."""
    stopped_under_load(tmp_path, workers, times=50)


def asked_on(connection: socket.socket) -> bytes:
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = b""
    while not answer.endswith(b'{"status":"ok"}'):
        received = connection.recv(65536)
        assert received, answer
        answer += received
    return answer


def test_a_connection_at_rest_is_ended_without_a_reset(tmp_path):
    """R21: a request that comes after SIGTERM on a kept connection is the last there."""
    with RealServer(tmp_path) as server:
        address = ("127.0.0.1", server.port)
        with (
            socket.create_connection(address, 10) as talking,
            socket.create_connection(address, 10) as silent,
        ):
            for each in (talking, silent):
                assert b"connection: close" not in asked_on(each)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(address, 10)
            assert b"\r\nconnection: close\r\n" in asked_on(talking)
            assert talking.recv(1) == b""
            assert silent.recv(1) == b""
        assert server.process.wait(timeout=30) == 0
