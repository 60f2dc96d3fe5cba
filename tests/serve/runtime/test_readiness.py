"""Readiness: what cannot be written is found out in the background, and so is its end."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from api_client import ROOT, Api, VirtualClock
from database_faults import backends_of, locked, stopped
from sqlalchemy import func, select

from postmeal_serve import service
from postmeal_serve.runtime.readiness import Readiness
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import METADATA, write_probe

PROVE = """
import asyncio, sys
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.readiness import Readiness
from postmeal_serve.storage.database import Database
database = Database(sys.argv[1], 5)
readiness = Readiness(database, Clock())
asyncio.run(readiness.prove())
print(readiness.is_ready)
database.close()
"""


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with tables and a short deadline."""
    database = Database(database_url, 1.0)
    migrate(database)
    yield database
    database.close()


def proven(proof: Readiness) -> bool:
    asyncio.run(proof.prove())
    return proof.is_ready


def test_a_proof_is_a_row_that_was_committed(database):
    proof = Readiness(database, VirtualClock())
    assert not proof.is_ready
    assert proven(proof)
    with database.reading() as connection:
        rows = connection.execute(select(write_probe.c.written_at)).scalars().all()
    assert rows == [VirtualClock().now()]


def test_a_locked_database_is_not_proven_until_it_is_free(database, database_url, caplog):
    proof = Readiness(database, VirtualClock())
    with caplog.at_level(logging.WARNING), locked(database_url):
        assert not proven(proof)
        assert not proven(proof)
    with caplog.at_level(logging.WARNING):
        assert proven(proof)
    assert [each.levelname for each in caplog.records] == ["ERROR", "WARNING"]  # once each


@pytest.mark.reliability
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_every_table_is_proven(database_url, database):
    hasty = Database(database_url, 0.5)
    proof = Readiness(hasty, VirtualClock())
    for table in METADATA.tables:
        with locked(database_url, table):
            assert not proven(proof), table
    hasty.close()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_server_that_stands_still_is_not_proven(database, database_url):
    proof = Readiness(database, VirtualClock())
    assert proven(proof)
    begun_s = time.monotonic()
    with stopped(*backends_of(database_url)):
        assert not proven(proof)
        while not proven(proof):  # on another connection
            assert time.monotonic() - begun_s < 10


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk_is_not_proven(database, monkeypatch):
    proof = Readiness(database, VirtualClock())
    usage = SimpleNamespace(free=2**20 - 1)
    with monkeypatch.context() as full:
        full.setattr("postmeal_serve.storage.write_probe.shutil.disk_usage", lambda path: usage)
        assert not proven(proof)
    assert proven(proof)


@pytest.mark.reliability
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_file_that_is_read_only_is_not_proven(database, database_url, tmp_path):
    """It can be read, so that reading proves nothing."""
    command = [sys.executable, "-c", PROVE, database_url]
    if os.geteuid() == 0:  # who may write what is read-only
        if shutil.which("setpriv") is None:
            pytest.skip("no setpriv on this machine")
        command = ["setpriv", "--bounding-set", "-dac_override", *command]
    file = tmp_path / "postmeal.sqlite"
    for mode, expected in ((0o644, "True"), (0o444, "False")):
        file.chmod(mode)
        made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert made.stdout.strip() == expected


def test_a_proof_ends_when_none_follows(database):
    """A job that no longer runs is found out."""
    clock = VirtualClock()
    proof = Readiness(database, clock)
    assert proven(proof)
    clock.advance(14)
    assert proof.is_ready
    clock.advance(2)
    assert not proof.is_ready


def test_the_health_check_answers_from_the_latest_proof(tmp_path, database_url, monkeypatch):
    """Row 480: 503 while a table is locked, without waiting for it; 200 soon afterwards."""
    monkeypatch.setattr(service, "PROBE_EVERY_S", 0.05)

    def ready_within(status: int) -> dict[str, str]:
        ends_s = time.monotonic() + 30
        while (ready := api.client.get("/readyz")).status_code != status:
            assert time.monotonic() < ends_s
            time.sleep(0.02)
        parts: dict[str, str] = ready.json()["parts"]
        return parts

    with Api(tmp_path, database=database_url, database_within_s=1.0) as api:
        assert api.client.get("/readyz").status_code == 200
        with locked(database_url):
            assert ready_within(503)["database"] == "failing"
        assert ready_within(200)["database"] == "ok"
        before = number_of_slots(api)
        assert 1 <= before <= 64


def number_of_slots(api: Api) -> int:
    with api.service.database.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(write_probe)).scalar_one())
