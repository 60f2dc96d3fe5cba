"""What is acknowledged is on the disk; a disk that is full is said so, and no more comes of it."""

from __future__ import annotations

import random
import re
import resource
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import PREDICT
from few_foods import few_foods
from real_server import RealServer
from sqlalchemy import select, text

from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import food_log

COMMITS, ROUNDS, TRIES = 1000, 10, 12
NEW, OLD = "/v1.2/food-logs", "/v1.1/logs/foods"
GIVEN: dict[str, Any] = {
    "credit_costs": '{"predict_glucose": 1}',
    "client_tokens": True,
    "log_level": "error",
}

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(300)]


def log_food(server: RealServer, name: str) -> httpx2.Response:
    body = {"foods": server.body["foods"], "name": name}
    return server.client.post(
        NEW, json=body, headers=server.headers() | {"Service-End-User-ID": "u-1"}
    )


@contextmanager
def traced(server: RealServer, file: Path) -> Iterator[None]:
    """Write down when the server asks the disk to keep what it was given."""
    if shutil.which("strace") is None:
        pytest.skip("no strace on this machine")
    command = ["strace", "-f", "-ttt", "-e", "trace=fsync,fdatasync", "-o", str(file)]
    with subprocess.Popen(
        [*command, "-p", str(server.worker_pids()[0])], stderr=subprocess.PIPE, text=True
    ) as strace:
        assert strace.stderr is not None
        said = strace.stderr.readline()
        if "attached" not in said:
            strace.kill()
            pytest.skip(f"strace may not attach: {said.strip()}")
        try:
            yield
        finally:
            strace.send_signal(signal.SIGTERM)
            strace.communicate()


def test_no_log_is_acknowledged_before_it_is_on_the_disk(tmp_path):
    """R6: 1,000 logs, one after the other: each is synced between its request and its answer."""
    with RealServer(tmp_path, food_table=few_foods(tmp_path), **GIVEN) as server:
        assert log_food(server, "first").status_code == 201
        spans = []
        with traced(server, tmp_path / "trace"):
            for turn in range(COMMITS):
                begun = time.time()
                assert log_food(server, f"log {turn}").status_code == 201
                spans.append((begun, time.time()))
        lines = (tmp_path / "trace").read_text().splitlines()
    calls = (re.match(r"\d+\s+([\d.]+) f(?:data)?sync\(", line) for line in lines)
    syncs = iter(sorted(float(call[1]) for call in calls if call))
    at, numbers, total = next(syncs), [], 1
    for begun, ended in spans:
        number = 0
        while at < ended:
            number += at >= begun
            at, total = next(syncs, float("inf")), total + 1
        numbers.append(number)
    print(f"\nR6: {COMMITS} acknowledged logs, {sum(numbers)} syncs; at least {min(numbers)} each")
    assert min(numbers) >= 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_postgresql_is_asked_to_wait_for_the_disk(database_url):
    """R6: what our sessions ask of PostgreSQL, which syncs by itself."""
    database = Database(database_url)
    with database.writing() as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert connection.execute(text(f"SHOW {name}")).scalar_one() == "on"
    database.close()


@contextmanager
def file_size_limit(server: RealServer, chance: random.Random) -> Iterator[None]:
    """No file may grow beyond a size that is drawn; writing there is an input/output error."""
    sizes = [file.stat().st_size for file in server.folder.glob("postmeal.sqlite*")]
    pid, size = server.worker_pids()[0], chance.randrange(max(sizes) + 20_000)
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def no_space(server: RealServer, chance: random.Random) -> Iterator[None]:
    """The disk is full but for some kilobytes."""
    ballast = server.folder / "ballast"
    free = shutil.disk_usage(server.folder).free
    ballast.write_bytes(b"x" * max(0, free - chance.randrange(60_000)))
    try:
        yield
    finally:
        ballast.unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that is a disk of 16 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_what_cannot_be_written_is_503_and_leaves_nothing(tmp_path):
    """R6: writes that fail with an input/output error at a size that is drawn."""
    fail_and_recover(tmp_path, file_size_limit)


def test_a_full_disk_is_503_and_leaves_nothing(small_disk):
    """R6: a disk that is full, and has space again."""
    fail_and_recover(small_disk, no_space)


def fail_and_recover(folder: Path, fault: Any) -> None:
    chance, kept, refused = random.Random(6), set[str](), set[str]()
    outcomes = Counter[str]()
    mine = select(food_log.c.name).where(food_log.c.end_user_id == "u-1")
    with RealServer(folder, food_table=few_foods(folder), **GIVEN) as server:
        for turn in range(ROUNDS):
            with fault(server, chance):
                for each in range(TRIES):
                    name = f"{turn}-{each}"
                    status = log_food(server, name).status_code
                    assert status in (201, 503)
                    (kept if status == 201 else refused).add(name)
                    outcomes.update(others(server, name))
                    outcomes[f"log {status}"] += 1
            for each in range(2):
                name = f"{turn} recovered {each}"
                assert log_food(server, name).status_code == 201
                kept.add(name)
            server.wait_until_ready()
        with server.writing() as connection:
            assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
            found = connection.execute(mine).scalars().all()
        assert "Traceback" not in server.log()
    assert sorted(found) == sorted(kept)
    assert refused
    print(f"\nR6 {fault.__name__}: {dict(sorted(outcomes.items()))}; {len(kept)} logs kept,")
    print(f"{len(refused)} refused and not there; integrity ok")


def others(server: RealServer, name: str) -> Iterator[str]:
    """What else the service answers meanwhile: what was asked for, or 503 and no other error."""
    new, old = server.headers(), server.headers("v1.1") | {"x-partner-user-id": name}
    person = new | {"Service-End-User-ID": "u-1"}
    tokens = "/v1.2/auth/client-tokens"
    profile = {"profile": {"age": 45, "gender": "female", "height": 66, "weight": 150}}
    asked: list[tuple[str, str, dict[str, str], Any]] = [
        ("POST", tokens, new, {"end_user_id": name}),
        ("POST", "/v1.2/auth/client-token-revocations", new, {"end_user_id": name}),
        ("POST", PREDICT, new, server.body),
        ("GET", f"{NEW}?start=2026-01-01&end=2026-01-02", person, None),
        ("GET", "/v1.2/credits", new, None),
        ("POST", OLD, old, {"foods": server.old_body["foods"], "name": "old"}),
        ("POST", "/v1.1/user", old, profile),
        ("DELETE", "/v1.1/user", old, None),
    ]
    for method, path, headers, body in asked:
        answer = server.client.request(method, path, headers=headers, json=body)
        assert answer.status_code in (200, 201, 503), answer.text
        if answer.status_code == 503 and path.startswith("/v1.2"):
            codes = ("service_unavailable", "client_token_revocation_incomplete")
            assert answer.json()["code"] in codes
        yield f"{method} {path.partition('?')[0]} {answer.status_code}"
