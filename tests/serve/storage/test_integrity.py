"""Overwritten bytes of a SQLite file are reported at the start and by `admin check`."""

import random
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from admin_commands import Office
from api_client import Api
from starlette.testclient import TestClient

from postmeal_serve.app import create_app
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.integrity import damage
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import audit

NOW = datetime(2026, 1, 5, tzinfo=UTC)
N_BYTES = 400
FIRST_PAGES = 8192  # With these damaged, the file cannot be opened at all.


@pytest.fixture
def database(tmp_path):
    """A file with the tables of the service and 5,000 rows, and nothing in a write-ahead log."""
    database = Database(Settings(state_dir=tmp_path).database_url)
    migrate(database)
    rows = [
        {"at": NOW, "action": "key created", "subject": f"key {n}", "actor": "admin"}
        for n in range(5000)
    ]
    with database.writing() as connection:
        connection.execute(audit.insert(), rows)
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    yield database
    database.close()


def overwrite(database: Database, seed: int) -> None:
    """Overwrite bytes all over the file."""
    database.engine.dispose()
    path = Path(database.engine.url.database or "")
    content = bytearray(path.read_bytes())
    random_ = random.Random(seed)
    for _ in range(N_BYTES):
        content[random_.randrange(FIRST_PAGES, len(content))] = random_.randrange(256)
    path.write_bytes(content)


def test_a_sound_file_has_no_problem(database):
    assert damage(database) == ""


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(10))
def test_overwritten_bytes_are_noticed(database, seed):
    overwrite(database, seed)
    assert damage(database)


def test_a_file_that_is_no_database_is_noticed(database):
    database.engine.dispose()
    Path(database.engine.url.database or "").write_bytes(b"x" * 10_000)
    assert "not a database" in damage(database)


def test_a_check_blocks_no_write(database):
    with database.reading() as connection:
        connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        with database.writing() as writer:
            writer.execute(
                audit.insert(), {"at": NOW, "action": "a", "subject": "s", "actor": "admin"}
            )


def test_the_check_command_tells_damage(database, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path))
    office = Office(tmp_path, capsys)
    assert office("check") == "the database is not damaged\n"
    overwrite(database, 1)
    told = office.refused("check")
    assert "the database is damaged: " in told
    assert "restore a backup" in told


def test_the_check_command_does_not_call_a_missing_database_sound(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path / "elsewhere"))
    assert "the database is empty; check POSTMEAL_DATABASE" in Office(tmp_path, capsys).refused(
        "check"
    )


def test_the_check_command_names_the_tool_for_postgresql(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("POSTMEAL_DATABASE", "postgresql://nobody@127.0.0.1:9/nothing")
    assert "use pg_amcheck" in Office(tmp_path, capsys).refused("check")


def test_a_service_that_starts_on_a_damaged_file_says_so(tmp_path, database, caplog):
    overwrite(database, 1)
    with TestClient(create_app(Settings(state_dir=tmp_path, require_https=False))) as client:
        assert client.get("/healthz").status_code == 200
        ends_s = time.monotonic() + 60
        while "the database file is damaged" not in caplog.text:
            assert time.monotonic() < ends_s
            time.sleep(0.05)
    assert "restore a backup" in caplog.text


def test_a_service_that_starts_on_a_sound_file_says_nothing(tmp_path, database, caplog):
    with Api(tmp_path):
        time.sleep(0.5)
    assert "damaged" not in caplog.text
