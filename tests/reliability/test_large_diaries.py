"""Six lists of the largest diaries at once: the server's memory does not grow with them."""

import random
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import MAX_WBITS, decompressobj

import pytest
from databases_tried import ON_SQLITE
from diary_client import NEW, OLD
from real_server import RealServer

from postmeal import Catalog
from postmeal.foods.food import Selection
from postmeal_serve.resources.diary import Diary
from postmeal_serve.resources.logged_food import LoggedFood

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(600)]

LISTS = 6
LOGS = 700
FOODS = 100
MOST_MB = 30
IDLE = 50
DAY = "2026-01-06"
TIME = b'"timestamp'
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def server(tmp_path, database_url):
    with RealServer(tmp_path, log_level="warning", database=database_url) as server:
        fill(server)
        yield server


def fill(server: RealServer) -> None:
    catalog = Catalog.open()
    chance = random.Random(7)
    foods = [food for word in ("oat", "rice", "milk") for food in catalog.search(word, limit=50)]
    meals = [
        [
            LoggedFood.of(Selection(food, food.default_serving, chance.uniform(0.1, 9)))
            for food in chance.choices(foods, k=FOODS)
        ]
        for _ in range(20)
    ]
    partner = server.partner("test").id
    for _ in range(LOGS // 50):
        with server.writing() as connection:
            diary = Diary(connection, partner, "me")
            for eaten in chance.choices(meals, k=50):
                diary.add(eaten, NOON + timedelta(minutes=chance.randrange(10**5)), None, NOON)


class Memory:
    """Resident memory of the server."""

    def __init__(self, server: RealServer) -> None:
        self.process = Path(f"/proc/{server.worker_pids()[0]}")

    def now_mb(self) -> float:
        return self._mb("VmRSS")

    def forget_peak(self) -> None:
        (self.process / "clear_refs").write_text("5")

    def peak_mb(self) -> float:
        return self._mb("VmHWM")

    def _mb(self, name: str) -> float:
        found = re.search(rf"{name}:\s+(\d+) kB", (self.process / "status").read_text())
        assert found
        return int(found[1]) / 1024


def settle(server: RealServer, memory: Memory) -> None:
    """Wait until the service is loaded and each of its threads has read a day of the diary."""
    before = 0.0
    for _ in range(30):
        with ThreadPoolExecutor(LISTS) as callers:
            asked = [callers.submit(read, server, NEW, "identity", DAY) for _ in range(LISTS)]
            assert all(0 < each.result()[1] < LOGS / 10 for each in asked)
        now = memory.now_mb()
        if now - before < 0.5:
            return
        before = now
        time.sleep(2)


def read(server: RealServer, path: str, encoding: str, day: str = "") -> tuple[int, int]:
    """Read a list; return how many bytes came, and how many logs they are."""
    user = "Service-End-User-ID" if path == NEW else "x-partner-user-id"
    headers = server.headers(path[1:5]) | {user: "me", "Accept-Encoding": encoding}
    query = {"start": day or "2026-01-01", "end": day or "2026-12-31"}
    received, logs, before = 0, 0, b""
    unzip = decompressobj(MAX_WBITS | 16) if encoding == "gzip" else None
    with server.client.stream("GET", path, params=query, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers.get("content-encoding", "identity") == encoding
        for part in answer.iter_raw():
            received += len(part)
            text = unzip.decompress(part) if unzip else part
            logs += (before + text).count(TIME)
            before = text[1 - len(TIME) :]
        assert unzip is None or unzip.eof
    return received, logs


def test_memory_does_not_grow_with_six_lists_at_once(server, database_url):
    """Rows 247, 412. Both versions share the code that compresses, and both databases are tried."""
    path, encoding = (NEW, "gzip") if database_url.startswith("sqlite") else (OLD, "identity")
    memory = Memory(server)
    settle(server, memory)
    begun_mb = memory.now_mb()
    memory.forget_peak()
    with ThreadPoolExecutor(LISTS) as callers:
        asked = [callers.submit(read, server, path, encoding) for _ in range(LISTS)]
        found = [each.result() for each in asked]
    assert {logs for _, logs in found} == {LOGS}
    grown_mb = memory.peak_mb() - begun_mb
    print(f"{path} {encoding}: {found[0][0] / 1e6:.0f} MB each, {grown_mb:.0f} MB more memory")
    assert grown_mb < MOST_MB


@ON_SQLITE
def test_memory_does_not_grow_with_callers_who_do_not_read(server):
    memory = Memory(server)
    settle(server, memory)
    memory.forget_peak()
    begun_mb = memory.now_mb()
    lines = [
        f"GET {NEW}?start=2026-01-01&end=2026-12-31 HTTP/1.1",
        "Host: 127.0.0.1",
        "Service-End-User-ID: me",
        *(f"{name}: {value}" for name, value in server.headers().items()),
    ]
    with ExitStack() as held:
        for _ in range(IDLE):
            caller = held.enter_context(socket.create_connection(("127.0.0.1", server.port), 30))
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            caller.sendall("\r\n".join([*lines, "", ""]).encode())
            assert caller.recv(15) == b"HTTP/1.1 200 OK"
        time.sleep(3)
        grown_mb = memory.peak_mb() - begun_mb
        print(f"{IDLE} callers who do not read: {grown_mb:.0f} MB more memory")
        assert grown_mb < IDLE
        assert read(server, NEW, "identity", DAY)[1] < LOGS
