"""Backups of a database that is written to, and migrations of a full one."""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import insert, select
from stored_people import NOW, prepared

from postmeal_serve.storage.backup import backup, restore
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import HEAD, SchemaTooNew, migrate, revision
from postmeal_serve.storage.tables import food_log, organization, usage

pytestmark = pytest.mark.reliability

ROOT = Path(__file__).resolve().parents[2]
LOGS = 100_000
MIGRATED_WITHIN_S = 60
WRITE = """
import sys, uuid
from datetime import UTC, datetime
from sqlalchemy import insert, update
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import food_log, usage
database = Database(sys.argv[1])
moments = dict.fromkeys(("eaten_at", "created_at"), datetime.now(UTC))
while True:
    log = {"id": str(uuid.uuid4()), "organization_id": 1, "end_user_id": "u-1", "foods": "[]"}
    with database.writing() as connection:
        connection.execute(insert(food_log).values(log | moments))
        connection.execute(update(usage).values(requests=usage.c.requests + 1))
    print(log["id"], flush=True)
"""


@contextmanager
def writers(url: str, number: int) -> Iterator[list[str]]:
    """Processes that write until the end, when they are killed; the ids that were acknowledged."""
    acknowledged: list[str] = []
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(number)
    ]

    def listen(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.endswith("\n"):
                acknowledged.append(line.strip())

    threads = [Thread(target=listen, args=(process,)) for process in running]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        for process in running:
            process.kill()
        for process, thread in zip(running, threads, strict=True):
            thread.join()
            process.communicate()


def logs_in(path: Path) -> set[str]:
    """The ids of the logs of a restored database, which must be whole."""
    database = Database(f"sqlite:///{path}")
    migrate(database)
    with database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
        found = set(connection.execute(select(food_log.c.id)).scalars())
        counted = connection.execute(select(usage.c.requests)).scalar_one()
    database.close()
    assert counted == len(found), "a transaction is in the copy in part"
    return found


def test_a_backup_under_load_holds_all_that_was_acknowledged_before_it(tmp_path):
    """R19: ten copies while three processes write; each is restored and compared."""
    url = f"sqlite:///{tmp_path}/postmeal.sqlite"
    database = prepared(url)
    with database.writing() as connection:
        row = {"organization_id": 1, "month": "2026-02", "requests": 0, "credits": 0}
        connection.execute(insert(usage).values(row))
    before: list[set[str]] = []
    with writers(url, 3) as acknowledged:
        until = time.monotonic() + 30
        while len(acknowledged) < 100:
            assert time.monotonic() < until, "the writers do not write"
            time.sleep(0.01)
        for turn in range(10):
            time.sleep(0.2)
            before.append(set(acknowledged))
            backup(database, tmp_path / f"copy-{turn}")
        written = len(acknowledged)
    database.close()
    assert written > len(before[0])  # they went on meanwhile
    for turn, known in enumerate(before):
        restore(tmp_path / f"copy-{turn}", tmp_path / f"restored-{turn}")
        found = logs_in(tmp_path / f"restored-{turn}")
        assert known - found == set()
        assert found <= set(acknowledged) | logs_in(tmp_path / "postmeal.sqlite")
    print(f"{written} writes, 10 copies, 0 lost")


def test_a_full_diary_is_migrated_in_time_and_never_back(empty_database_url):
    """R19: 100,000 logs, from the first revision to the newest; an older release is refused."""
    database = Database(empty_database_url)
    migrate(database, "0001")
    fill(database)
    content = checked(database)

    began = time.monotonic()
    migrate(database)
    took_s = time.monotonic() - began
    print(f"{database.engine.name}: {LOGS} logs migrated in {took_s:.2f} s")
    assert took_s < MIGRATED_WITHIN_S

    with pytest.raises(SchemaTooNew, match="install the release that created it"):
        migrate(database, "0001")
    with database.reading() as connection:
        assert revision(connection) == HEAD
    assert checked(database) == content
    database.close()


def fill(database: Database) -> None:
    food: dict[str, Any] = {"id": 1848, "name": "oatmeal", "nutrients": {"energy": 158.0}}
    foods = json.dumps([food | {"quantity": number / 4} for number in range(3)])
    with database.writing() as connection:
        row = {"id": 1, "name": "one", "plan": "free", "agreement": {}, "may_mint": True}
        connection.execute(insert(organization).values(**row, created_at=NOW))
        for first in range(0, LOGS, 5_000):
            connection.execute(
                insert(food_log),
                [
                    {
                        "id": f"{number:036}",
                        "organization_id": 1,
                        "end_user_id": f"u-{number % 500}",
                        "eaten_at": NOW + timedelta(minutes=number),
                        "name": "breakfast",
                        "foods": foods,
                        "created_at": NOW,
                    }
                    for number in range(first, first + 5_000)
                ],
            )


def checked(database: Database) -> str:
    """A digest of every log."""
    columns = (food_log.c.id, food_log.c.end_user_id, food_log.c.eaten_at, food_log.c.foods)
    digest = hashlib.sha256()
    with database.reading() as connection:
        for row in connection.execute(select(*columns).order_by(food_log.c.id)):
            digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()
