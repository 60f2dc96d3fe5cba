"""A database that is locked, stands still or is full: 503 by the deadline, and nothing written."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import pytest
from api_client import PREDICT
from database_faults import backends_of, locked, stopped
from few_foods import few_foods
from real_server import RealServer, free_port
from sqlalchemy import select

from postmeal_serve.storage.tables import food_log, organization, usage

HELD_S = 30.0  # how long a fault lasts
WITHIN_S = 10.0  # the deadline, as it is by default
LATE_S = WITHIN_S + 3.0  # of an answer on a machine that is busy
LOGS = 14
RATE = 40  # requests per minute and endpoint during a full disk
NEW, SEARCH = "/v1.2/food-logs", "/v1.2/foods?query=rice"
LIST, CREDITS = f"{NEW}?start=2026-01-01&end=2026-01-02", "/v1.2/credits"

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(400)]
EACH = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
ON_POSTGRESQL = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


class Callers:
    """Clients of a server, and what they were answered."""

    def __init__(self, server: RealServer) -> None:
        self.server = server
        self.acknowledged, self.refused = set[str](), set[str]()
        self.slowest_s = 0.0
        self._pool = ThreadPoolExecutor(LOGS)

    def _ask(self, method: str, path: str, **options: Any) -> httpx2.Response:
        begun_s = time.monotonic()
        headers = self.server.headers() | {"Service-End-User-ID": "u-1"}
        answer = self.server.client.request(method, path, headers=headers, **options)
        self.slowest_s = max(self.slowest_s, time.monotonic() - begun_s)
        return answer

    def log(self, name: str) -> int:
        body = {"foods": self.server.body["foods"], "name": name}
        status = self._ask("POST", NEW, json=body).status_code
        assert status in (201, 503)
        (self.acknowledged if status == 201 else self.refused).add(name)
        return status

    def logs(self, name: str) -> list[Future[int]]:
        return [self._pool.submit(self.log, f"{name} {n}") for n in range(LOGS)]

    def search(self) -> tuple[int, float]:
        begun_s = time.monotonic()
        status = self._ask("GET", SEARCH).status_code
        return status, time.monotonic() - begun_s

    def ready_within(self, status: int) -> float:
        """Seconds until `/readyz` has this status; each answer of it is quick."""
        begun_s = time.monotonic()
        while True:
            asked_s = time.monotonic()
            found = self.server.client.get("/readyz").status_code
            assert time.monotonic() - asked_s < 3
            if found == status:
                return time.monotonic() - begun_s
            assert time.monotonic() - begun_s < 30
            time.sleep(0.1)

    def stored(self) -> set[str]:
        with self.server.writing() as connection:
            mine = select(food_log.c.name).where(food_log.c.end_user_id == "u-1")
            found = list(connection.execute(mine).scalars())
        assert len(found) == len(set(found))
        return set(found)


@contextmanager
def running(folder: Path, database_url: str | None = None) -> Iterator[Callers]:
    """A server on its deadlines, warm, with one acknowledged log."""
    folder.mkdir(exist_ok=True)
    given: dict[str, Any] = {"log_level": "error", "food_table": few_foods(folder)}
    if database_url is not None:
        given["database"] = database_url
    with RealServer(folder, **given) as server:
        callers = Callers(server)
        assert callers.log("first") == 201
        while server.client.get("/readyz").json()["parts"]["catalogue"] != "ok":
            time.sleep(0.1)
        for _ in range(200):  # so that a lease is large, and one that ends is renewed
            assert callers.search()[0] == 200
        yield callers
        assert "Traceback" not in server.log()


def report(fault: str, callers: Callers, *more: str) -> None:
    found = f"{len(callers.acknowledged)} acknowledged and stored, {len(callers.refused)} refused"
    print(f"\n{fault}: {found}; slowest answer {callers.slowest_s:.1f} s", *more, sep="; ")


@EACH
def test_a_locked_diary_is_503_and_the_rest_is_answered(tmp_path, database_url):
    """The table is locked for 40 s; on SQLite, the file, so that a search is answered as long as
    requests are leased."""
    folder = tmp_path / "state"
    with running(folder, database_url) as callers:
        callers.slowest_s = 0.0
        ends_s = time.monotonic() + HELD_S
        with locked(database_url):
            logs = callers.logs("locked")
            time.sleep(1)
            if database_url.startswith("postgresql"):
                searches = [callers.search() for _ in range(100)]
                assert {status for status, _ in searches} == {200}
                slowest_ms = max(seconds for _, seconds in searches) * 1000
            failing_s = callers.ready_within(503)
            assert {each.result() for each in logs} == {503}
            assert callers.slowest_s < LATE_S
            while time.monotonic() < ends_s:
                assert callers.log(f"later {time.monotonic()}") == 503
            assert callers.slowest_s < LATE_S
        recovering_s = callers.ready_within(200)
        assert callers.log("after") == 201
        time.sleep(2)
        assert callers.stored() == callers.acknowledged
    more = [f"readyz 503 after {failing_s:.1f} s, 200 after {recovering_s:.1f} s"]
    if database_url.startswith("postgresql"):
        more.append(f"slowest of 100 searches {slowest_ms:.0f} ms")
    report("locked for 40 s", callers, *more)


@ON_POSTGRESQL
def test_backends_that_stand_still_are_replaced(tmp_path, database_url):
    """Calls end by the deadline, and are answered again while the backends still stand still."""
    with running(tmp_path / "state", database_url) as callers:
        callers.slowest_s = 0.0
        begun_s = time.monotonic()
        with stopped(*backends_of(database_url)):
            for each in callers.logs("stopped"):
                each.result()
            while callers.log(f"again {time.monotonic()}") != 201:
                assert time.monotonic() - begun_s < 25
            recovered_s = time.monotonic() - begun_s
            assert callers.slowest_s < LATE_S
            assert callers.search()[0] == 200
            callers.ready_within(200)
            time.sleep(max(0.0, begun_s + HELD_S - time.monotonic()))
        time.sleep(2)
        assert callers.stored() == callers.acknowledged
    report("backends stopped for 40 s", callers, f"writes again after {recovered_s:.1f} s")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users of the machine may enter, as those of pytest may not be."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def cluster(folder: Path, port: int) -> Iterator[tuple[str, int]]:
    """A server of PostgreSQL of its own: its address and its first process."""
    binaries = shutil.which("pg_ctl")
    if binaries is None or os.geteuid() != 0:
        pytest.skip("a server of PostgreSQL cannot be started here")
    bin_folder = Path(binaries).resolve().parent
    data = folder / "cluster"
    data.mkdir()
    shutil.chown(data, "postgres")

    def as_postgres(*command: str) -> None:
        made = subprocess.run(
            ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command],
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stdout + made.stderr

    as_postgres(f"{bin_folder}/initdb", "-D", str(data), "-A", "trust", "--no-sync")
    settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= "
    settings += "-c wal_level=minimal -c max_wal_senders=0 -c shared_buffers=8MB"
    control = [f"{bin_folder}/pg_ctl", "-D", str(data), "-w"]
    as_postgres(*control, "-l", str(data / "log"), "-o", settings, "start")
    try:
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres", pid
    finally:
        as_postgres(*control, "-m", "immediate", "stop")


def test_a_server_that_stands_still_altogether_is_503_until_it_goes_on(tmp_path, open_folder):
    """No connection can be made, and none is answered."""
    with (
        cluster(open_folder, free_port()) as (url, pid),
        running(tmp_path / "state", url) as callers,
    ):
        callers.slowest_s = 0.0
        ends_s = time.monotonic() + HELD_S
        with stopped(pid, *backends_of(url)):
            logs = callers.logs("stopped")
            failing_s = callers.ready_within(503)
            assert {each.result() for each in logs} == {503}
            while time.monotonic() < ends_s:
                assert callers.log(f"later {time.monotonic()}") == 503
            assert callers.slowest_s < LATE_S
        recovering_s = callers.ready_within(200)
        assert callers.log("after") == 201
        time.sleep(2)
        assert callers.stored() == callers.acknowledged
        more = f"readyz 503 after {failing_s:.1f} s, 200 after {recovering_s:.1f} s"
        report("server stopped for 40 s", callers, more)


@contextmanager
def disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_of_sqlite_is_not_ready_and_stops_no_prediction(tmp_path):
    with disk(tmp_path / "disk", "16m") as folder, running(folder) as callers:
        fill_and_free(folder, callers)


def test_a_full_disk_of_postgresql_is_not_ready_and_stops_no_prediction(tmp_path, open_folder):
    with (
        disk(open_folder / "disk", "160m") as folder,
        cluster(folder, free_port()) as (url, _),
        running(tmp_path / "state", url) as callers,
    ):
        fill_and_free(folder, callers)


def fill_and_free(folder: Path, callers: Callers) -> None:
    """Row 74: what stores nothing is answered and counted, and its limits hold meanwhile."""
    limits: dict[str, Any] = {"per_minute": RATE, "monthly_requests": 1_000_000}
    counted = callers.server.partner("counted", **limits)
    ballast = folder / "ballast"
    ballast.write_bytes(b"x" * shutil.disk_usage(folder).free)
    try:
        failing_s = callers.ready_within(503)
        for number in range(10):
            callers.log(f"full {number}")
        outcomes = stores_nothing(callers.server, counted.keys["v1.2"])
    finally:
        ballast.unlink()
    recovering_s = callers.ready_within(200)
    assert callers.log("after") == 201
    assert callers.stored() == callers.acknowledged
    assert outcomes == {
        (PREDICT, 200): RATE,
        (PREDICT, 429): 2,
        (SEARCH, 200): RATE,
        (SEARCH, 429): 2,
        (LIST, 200): RATE,
        (LIST, 429): 2,
        (CREDITS, 200): RATE + 2,  # which have a rate of their own
    }
    ends_s = time.monotonic() + 30
    while (written := requests_of(callers.server, "counted")) != 3 * RATE:  # credits are free
        assert time.monotonic() < ends_s, f"{written} requests"
        time.sleep(0.5)
    report("full disk", callers, f"503 after {failing_s:.1f} s, 200 after {recovering_s:.1f} s")


def stores_nothing(server: RealServer, key: str) -> Counter[tuple[str, int]]:
    """Send predictions and reads, two of each beyond the rate; count the statuses."""
    headers = {"Authorization": f"Bearer {key}", "Service-End-User-ID": "u-1"}
    statuses = Counter[tuple[str, int]]()
    for _ in range(RATE + 2):
        for path in (PREDICT, SEARCH, LIST, CREDITS):
            method, body = ("POST", server.body) if path == PREDICT else ("GET", None)
            answer = server.client.request(method, path, headers=headers, json=body)
            statuses[path, answer.status_code] += 1
    return statuses


def requests_of(server: RealServer, name: str) -> int:
    query = select(usage.c.requests).join(organization).where(organization.c.name == name)
    with server.writing() as connection:
        return int(connection.execute(query).scalar() or 0)


def test_a_file_that_another_process_locks_is_not_ready(tmp_path):
    """Not one that takes its turn, as our own processes do."""
    with running(tmp_path) as callers:
        file = tmp_path / "postmeal.sqlite"
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            failing_s = callers.ready_within(503)
            assert callers.log("locked") == 503
            assert callers.slowest_s < LATE_S
        recovering_s = callers.ready_within(200)
        assert callers.stored() == callers.acknowledged
    report("locked file", callers, f"503 after {failing_s:.1f} s, 200 after {recovering_s:.1f} s")
