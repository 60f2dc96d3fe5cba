"""Restoring: a backup comes back, and the people who were erased since do not."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from admin_commands import Office
from api_client import Api
from erasure_records import PROFILE, everyone
from sqlalchemy import select
from stored_people import NOW, add_traces, prepared

from postmeal_serve.resources import users
from postmeal_serve.resources.erasure import PERSONAL, erase_user, purge_test_identities
from postmeal_serve.resources.erasure_receipts import (
    read_receipts,
    receipts,
    replay,
    write_receipts,
)
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import HEAD, revision
from postmeal_serve.storage.tables import audit, food_log

PEPPER = b"a secret of this installation"
LATER = NOW + timedelta(hours=1)
CANARY = "canary-" * 30


@pytest.fixture
def office(tmp_path, monkeypatch, capsys) -> Office:
    (folder := tmp_path / "state").mkdir()
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(folder))
    monkeypatch.setenv("POSTMEAL_KEY_PEPPER", PEPPER.decode())
    return Office(folder, capsys)


@pytest.fixture
def filled(office: Office) -> Path:
    """A copy with three people, two of whom were erased after it was made."""
    office("partner", "create", "Acme")
    database = office.database()
    with database.writing() as connection:
        for name in ("u-erased", "u-kept", "test-1"):
            users.create(connection, 1, name, PROFILE, NOW)
            add_traces(connection, 1, name, CANARY if name == "u-erased" else "porridge")
    database.close()
    copy = office.folder.parent / "copy.sqlite"
    office("backup", str(copy))
    office("erase", "Acme", "u-erased")
    office("purge-test-identities")
    return copy


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of each file of a folder, apart from empty files."""
    found = {file.name: file.read_bytes() for file in folder.iterdir()}
    return {name: content for name, content in found.items() if content}


def everything(office: Office) -> list[str]:
    """Return the whole database as SQL."""
    with closing(sqlite3.connect(office.folder / "postmeal.sqlite")) as connection:
        return list(connection.iterdump())


def people_in(office: Office) -> set[str]:
    database = office.database()
    try:
        return {name for _, name in everyone(database) if len(name) < 36}
    finally:
        database.close()


def test_a_restored_backup_does_not_bring_erased_people_back(office, filled):
    """S14, R19: the receipts of the database that it replaces are replayed, down to the bytes."""
    told = office("restore", str(filled), "--replace")
    assert "2 erasure receipts replayed" in told
    assert people_in(office) == {"u-kept"}
    restored = office.folder / "postmeal.sqlite"
    assert CANARY.encode() not in restored.read_bytes()
    assert restored.stat().st_mode & 0o777 == 0o600
    assert not list(office.folder.glob("*.restoring*"))
    assert CANARY.encode() in filled.read_bytes()  # the copy itself is the owner's to delete


def test_what_is_replaced_is_kept_beside_it(office, filled):
    office("partner", "create", "Newer")
    told = office("restore", str(filled), "--replace")
    assert "Newer" not in office("partner", "list")
    [before] = office.folder.glob("postmeal.sqlite.replaced-*")
    assert before.name in told
    with closing(sqlite3.connect(before)) as connection:
        names = connection.execute("SELECT name FROM organization ORDER BY id").fetchall()
    assert names == [("Acme",), ("Newer",)]


def test_an_erasure_is_replayed_by_a_second_restoration_too(office, filled):
    """S14: the restored database keeps the receipts."""
    for _ in range(2):
        for before in office.folder.glob("*.replaced-*"):
            before.unlink()
        office("restore", str(filled), "--replace")
        assert people_in(office) == {"u-kept"}
    trail = office.trail()
    assert sum("user deleted" in line for line in trail) == 1
    assert sum("test users deleted" in line for line in trail) == 1


def test_receipts_are_replayed_on_another_machine(office, filled, monkeypatch):
    """S14: this needs only a file of receipts and the pepper; the file contains no ids."""
    out = office.folder.parent / "receipts"
    kinds = "erasures: 2, API keys: 0, client tokens: 0"
    assert office("receipts", str(out)) == f"2 receipts written to {out} ({kinds})\n"
    assert out.stat().st_mode & 0o777 == 0o600
    assert not [name for name in ("u-erased", "test-1") if name in out.read_text()]
    assert "it already exists" in office.refused("receipts", str(out))

    (elsewhere := office.folder.parent / "elsewhere").mkdir()
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(elsewhere))
    there = Office(elsewhere, office._capsys)
    told = there("restore", str(filled), "--receipts", str(out))
    assert "2 erasure receipts replayed" in told
    assert people_in(there) == {"u-kept"}
    assert CANARY.encode() not in (elsewhere / "postmeal.sqlite").read_bytes()


def test_a_restoration_without_receipts_warns_of_people_who_are_back(office, filled, monkeypatch):
    (elsewhere := office.folder.parent / "elsewhere").mkdir()
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(elsewhere))
    told = Office(elsewhere, office._capsys)("restore", str(filled))
    assert "no receipts found; users erased after the backup are in the database again" in told
    assert "API keys and client tokens that have been disabled or revoked since are valid" in told


def test_a_database_is_replaced_only_on_request(office, filled):
    before = (office.folder / "postmeal.sqlite").read_bytes()
    assert "--replace" in office.refused("restore", str(filled))
    assert (office.folder / "postmeal.sqlite").read_bytes() == before


def test_a_database_in_use_is_not_replaced(office, filled):
    """R19: neither while a service runs, nor while it rests."""
    with Api(office.folder) as api:
        assert api.client.get("/readyz").status_code == 200
        assert "stop the service and check" in office.refused("restore", str(filled), "--replace")
        assert api.client.get("/readyz").status_code == 200
        assert people_in(office) == {"u-kept"}
    office("restore", str(filled), "--replace")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "fault", ["missing", "damaged", "no receipts", "old log", "damaged before"]
)
def test_a_failed_restoration_changes_nothing(office, filled, fault):
    """R19."""
    words = ["restore", str(filled), "--replace"]
    database = office.folder / "postmeal.sqlite"
    if fault == "missing":
        words[1] = str(filled.with_name("nowhere.sqlite"))
    elif fault == "damaged":
        content = bytearray(filled.read_bytes())
        content[4096 * 3 : 4096 * 3 + 100] = b"\xff" * 100
        filled.write_bytes(content)
    elif fault == "no receipts":
        wrong = filled.with_name("receipts")
        wrong.write_text('{"at": "2026-01-01T00:00:00Z"}\n')
        words += ["--receipts", str(wrong)]
    elif fault == "old log":
        database.rename(filled.with_name("moved.sqlite"))
        (office.folder / "postmeal.sqlite-wal").write_bytes(b"of another database")
    else:
        database.write_bytes(b"this is no database" * 1000)
    readable = fault not in ("old log", "damaged before")
    before = everything(office) if readable else contents(office.folder)
    told = office.refused(*words)
    assert "Traceback" not in told
    if fault == "damaged before":
        assert "--receipts" in told
    assert (everything(office) if readable else contents(office.folder)) == before
    assert not list(office.folder.glob("*.restoring*"))


def test_a_copy_of_an_earlier_release_is_migrated(office, filled):
    """R19: a restoration migrates before it replays."""
    with closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute("DROP TABLE tombstone")
        connection.execute("DROP TABLE served_model")
        connection.execute("DROP TABLE steady_time")
        connection.execute("DROP INDEX ix_client_token_ends_at")
        for added in (
            ("api_key", "ends_at"),
            ("client_token", "ends_at"),
            ("client_token", "expired_at"),
            ("reservation", "month"),
            ("reservation", "process_id"),
        ):
            connection.execute("ALTER TABLE {} DROP COLUMN {}".format(*added))
        for table in (
            "write_probe",
            "live_cell",
            "live_place",
            "transcripts",
            "scanned_food",
            "process",
        ):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX ix_food_log_created_at")
        connection.execute("ALTER TABLE idempotency DROP COLUMN food_log_id")
        connection.execute("UPDATE idempotency SET answer = ?", (b'{"id":"a log"}',))
        connection.execute("UPDATE alembic_version SET version_num = '0004'")
    office("restore", str(filled), "--replace")
    assert people_in(office) == {"u-kept"}
    database = office.database()
    with database.reading() as connection:
        assert revision(connection) == HEAD
    database.close()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def test_erasures_are_replayed_over_any_database(database, tmp_path):
    """S14: as after pg_restore; receipts written before a pepper was set count, too."""
    with database.writing() as connection:
        for owner in (1, 2):
            for name in ("u-1", "u-2", "u-3", "test-1", "Test-2"):
                users.create(connection, owner, name, PROFILE, NOW)
                add_traces(connection, owner, name)
    before = everyone(database)

    with database.engine.connect() as connection, connection.begin() as undone:
        erase_user(connection, 1, "u-1", LATER, "key 5", PEPPER)
        erase_user(connection, 1, "u-2", LATER, "admin")
        purge_test_identities(connection, 2, LATER, pepper=PEPPER)
        write_receipts(receipts(connection), tmp_path / "receipts")
        gone = before - everyone_seen_by(connection)
        undone.rollback()  # as a backup of before does not know of it
    assert everyone(database) == before
    assert {(1, "u-1"), (1, "u-2"), (2, "test-1")} <= gone

    found = read_receipts(tmp_path / "receipts")
    with database.writing() as connection:
        assert replay(connection, found, LATER, PEPPER) == len(gone) - 1  # of test-1 the UUID goes
        assert replay(connection, found, LATER, PEPPER) == 0
    assert everyone(database) == before - gone
    with database.reading() as connection:
        assert receipts(connection) == found
        assert set(connection.execute(select(audit.c.at)).scalars()) == {LATER}


def test_a_person_who_registered_again_before_the_backup_is_kept(database):
    """Row 451: receipts in the backup are older than its data."""
    with database.writing() as connection:
        add_traces(connection, 1, "u-1")
        erase_user(connection, 1, "u-1", NOW, "key 5", PEPPER)
        add_traces(connection, 1, "u-1")
        assert replay(connection, receipts(connection), LATER, PEPPER) == 0
        assert connection.execute(select(food_log.c.end_user_id)).scalars().all() == ["u-1"]


def test_an_error_names_a_line_that_is_not_a_receipt(tmp_path):
    (tmp_path / "receipts").write_text("{}\n")
    with pytest.raises(Exception, match="line 1 of"):
        read_receipts(tmp_path / "receipts")


def everyone_seen_by(connection) -> set[tuple[int, str]]:
    found = set()
    for column in PERSONAL:
        rows = connection.execute(select(column.table.c.organization_id, column))
        found |= {(owner, name) for owner, name in rows if name is not None}
    return found
