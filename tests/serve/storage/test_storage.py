"""The database: moments, transactions, and tables that migrations make."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import func, insert, inspect, select, text, update
from sqlalchemy.exc import IntegrityError, OperationalError

import postmeal_serve.storage.schema
from postmeal_serve.storage.backup import BackupError, backup, restore
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import HEAD, SchemaTooNew, migrate, revision
from postmeal_serve.storage.tables import METADATA, audit, end_user, food_log, organization, usage

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 2, 28, 23, 59, 59, 999000, tzinfo=UTC)
PARTNER = {"id": 1, "name": "one", "plan": "free", "agreement": {}, "may_mint": True}
COUNT_UP = """
import sys
from sqlalchemy import select, update
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import usage
database = Database(sys.argv[1])
for _ in range(100):
    with database.writing() as connection:
        used = connection.execute(select(usage.c.requests).with_for_update()).scalar_one()
        connection.execute(update(usage).values(requests=used + 1))
database.close()
"""
MIGRATE = """
import sys
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
database = Database(sys.argv[1])
migrate(database)
database.close()
"""


@pytest.fixture
def empty(empty_database_url: str) -> Iterator[Database]:
    """A database without tables."""
    database = Database(empty_database_url)
    yield database
    database.close()


@pytest.fixture
def database(empty: Database) -> Database:
    """A database with the tables and one partner."""
    migrate(empty)
    with empty.writing() as connection:
        connection.execute(insert(organization).values(**PARTNER, created_at=NOW))
    return empty


def in_processes(program: str, url: str, number: int) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", program, url], cwd=ROOT, stderr=subprocess.PIPE)
        for _ in range(number)
    ]
    for process in running:
        _, errors = process.communicate(timeout=500)
        assert process.returncode == 0, errors.decode()


@pytest.mark.sampled
def test_a_moment_comes_back_as_it_went_in_and_in_utc(database):
    told = (NOW + timedelta(microseconds=7)).astimezone(timezone(timedelta(hours=-9, minutes=-30)))
    with database.writing() as connection:
        connection.execute(update(organization).values(created_at=told))
    with database.reading() as connection:
        found = connection.execute(select(organization.c.created_at)).scalar_one()
        same = select(organization.c.id).where(organization.c.created_at == told)
        assert connection.execute(same).scalar_one() == 1
    assert found == told
    assert found.tzinfo is UTC


def test_moments_are_ordered_by_time_whatever_their_zone(database):
    west = timezone(timedelta(hours=-8))
    moments = [NOW, (NOW + timedelta(hours=1)).astimezone(west), NOW + timedelta(hours=2)]
    row = {"actor": "admin", "action": "purged", "subject": "-"}
    with database.writing() as connection:
        connection.execute(insert(audit), [row | {"at": at} for at in reversed(moments)])
        found = connection.execute(select(audit.c.at).order_by(audit.c.at)).scalars().all()
    assert found == moments


def test_a_moment_without_a_zone_is_refused(database):
    with (
        pytest.raises(Exception, match="a time must have a time zone"),
        database.writing() as connection,
    ):
        connection.execute(update(organization).values(created_at=datetime(2026, 1, 5)))


def test_an_error_undoes_the_transaction(database):
    def rename_and_fail() -> None:
        with database.writing() as connection:
            connection.execute(update(organization).values(name="two"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rename_and_fail()
    with database.reading() as connection:
        assert connection.execute(select(organization.c.name)).scalar_one() == "one"


def test_threads_that_read_and_then_write_lose_nothing(database):
    with database.writing() as connection:
        row = {"organization_id": 1, "month": "2026-02", "requests": 0, "credits": 0}
        connection.execute(insert(usage).values(row))

    def count_up(_: int) -> None:
        with database.writing() as connection:
            used = connection.execute(select(usage.c.requests).with_for_update()).scalar_one()
            connection.execute(update(usage).values(requests=used + 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count_up, range(200)))
    with database.reading() as connection:
        assert connection.execute(select(usage.c.requests)).scalar_one() == 200


@pytest.mark.sampled
def test_processes_that_read_and_then_write_lose_nothing_and_are_never_refused(
    database, empty_database_url
):
    with database.writing() as connection:
        row = {"organization_id": 1, "month": "2026-02", "requests": 0, "credits": 0}
        connection.execute(insert(usage).values(row))
    in_processes(COUNT_UP, empty_database_url, 3)
    with database.reading() as connection:
        assert connection.execute(select(usage.c.requests)).scalar_one() == 300


@pytest.mark.sampled
def test_processes_that_start_together_make_the_tables_once(empty, empty_database_url):
    in_processes(MIGRATE, empty_database_url, 4)
    with empty.reading() as connection:
        assert revision(connection) == HEAD


def test_an_sqlite_file_is_private_and_keeps_every_acknowledged_write(tmp_path):
    path = tmp_path / "state" / "postmeal.sqlite"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    with database.reading() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    database.close()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://localhost/postmeal",
        "oracle://localhost",
        "sqlite://",
        "sqlite:///:memory:",
        "porridge",
        "postgresql://postmeal:wheat@oats:porridge@localhost/postmeal",
        "postgresql://postmeal@localhost:porridge/postmeal",
    ],
)
def test_any_other_database_is_refused_without_telling_its_address(url):
    """S15: what is taken for a port may be the password."""
    with pytest.raises(ValueError, match="must have the form sqlite") as refused:
        Database(url)
    assert "porridge" not in str(refused.value)


@pytest.mark.reliability
def test_a_server_that_accepts_and_is_silent_is_given_up():
    """Row 480."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        database = Database(f"postgresql://127.0.0.1:{silent.getsockname()[1]}/postmeal")
        with pytest.raises(OperationalError, match="timeout"):
            database.read_blocking(revision)
        database.close()


def test_a_reader_sees_one_state_of_the_data(database):
    with database.reading() as connection:
        before = connection.execute(select(organization.c.name)).all()
        with database.writing() as other:
            other.execute(update(organization).values(name=organization.c.name + "!"))
        assert connection.execute(select(organization.c.name)).all() == before
    with database.reading() as connection:
        assert connection.execute(select(organization.c.name)).all() != before


def test_the_migrations_make_the_tables_that_the_code_knows(database):
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


@pytest.mark.sampled
@pytest.mark.parametrize("earlier", ["0001", "0002"])
def test_what_an_earlier_release_stored_stays_and_the_tables_become_those_of_this_one(
    empty, earlier
):
    migrate(empty, earlier)
    log = {"id": "log 1", "organization_id": 1, "end_user_id": "u-1", "foods": "[]"}
    user = {"id": "user 1", "organization_id": 1, "partner_user_id": "u-1", "profile": {}}
    with empty.writing() as connection:
        connection.execute(insert(organization).values(**PARTNER, created_at=NOW))
        connection.execute(insert(food_log).values(**log, eaten_at=NOW, created_at=NOW))
        connection.execute(insert(end_user).values(**user, created_at=NOW, updated_at=NOW))
    stored = [select(table) for table in (organization, food_log, end_user)]
    with empty.reading() as connection:
        before = [connection.execute(each).all() for each in stored]
    migrate(empty)
    with empty.reading() as connection:
        assert [connection.execute(each).all() for each in stored] == before
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_this_release_works_with_the_newest_revision():
    folder = Path(postmeal_serve.storage.schema.__file__).with_name("migrations")
    assert ScriptDirectory(folder).get_heads() == [HEAD]


def test_migrating_again_changes_nothing(database):
    migrate(database)
    with database.reading() as connection:
        assert revision(connection) == HEAD
        assert connection.execute(select(func.count()).select_from(organization)).scalar_one() == 1


@pytest.mark.sampled
@pytest.mark.parametrize("later", ["0999", "fresh"])
def test_a_database_of_a_later_release_is_refused_and_left_alone(database, later):
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :it"), {"it": later})
    with pytest.raises(SchemaTooNew, match=f"has schema revision {later}"):
        migrate(database)
    with database.reading() as connection:
        assert revision(connection) == later
        assert connection.execute(select(organization.c.name)).scalar_one() == "one"


def test_a_migration_that_fails_leaves_no_table_behind(empty, monkeypatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("alembic.op.create_index", fail)
    with pytest.raises(ZeroDivisionError):
        migrate(empty)
    with empty.reading() as connection:
        assert inspect(connection).get_table_names() == []


def test_a_foreign_key_that_leads_nowhere_is_refused(database):
    row = {"organization_id": 99, "month": "2026-02", "requests": 0, "credits": 0}
    with pytest.raises(IntegrityError), database.writing() as connection:
        connection.execute(insert(usage).values(row))


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Database]:
    """An SQLite database with one partner."""
    database = Database(f"sqlite:///{tmp_path}/postmeal.sqlite")
    migrate(database)
    with database.writing() as connection:
        connection.execute(insert(organization).values(**PARTNER, created_at=NOW))
    yield database
    database.close()


def partners_in(path: Path) -> list[str]:
    database = Database(f"sqlite:///{path}")
    migrate(database)
    with database.reading() as connection:
        names = list(connection.execute(select(organization.c.name)).scalars())
    database.close()
    return names


def test_a_backup_is_one_private_file_that_is_a_whole_database(stored, tmp_path):
    (folder := tmp_path / "copies").mkdir()
    with stored.writing() as writer:  # neither waits for the other
        writer.execute(update(organization).values(name="two"))
        backup(stored, folder / "copy.sqlite")
    assert [each.name for each in folder.iterdir()] == ["copy.sqlite"]
    assert (folder / "copy.sqlite").stat().st_mode & 0o777 == 0o600
    assert partners_in(folder / "copy.sqlite") == ["one"]


def test_a_backup_is_made_while_the_service_is_stopped_too(stored, tmp_path):
    stored.close()
    backup(stored, tmp_path / "copy.sqlite")
    assert partners_in(tmp_path / "copy.sqlite") == ["one"]


def test_a_backup_is_restored_to_where_no_database_is(stored, tmp_path):
    backup(stored, tmp_path / "copy.sqlite")
    with pytest.raises(BackupError, match="already exists"):
        restore(tmp_path / "copy.sqlite", tmp_path / "postmeal.sqlite")
    restore(tmp_path / "copy.sqlite", tmp_path / "restored.sqlite")
    assert partners_in(tmp_path / "restored.sqlite") == ["one"]


@pytest.mark.parametrize("name", ["there.sqlite", "nowhere/copy.sqlite"])
def test_a_backup_overwrites_nothing_and_leaves_nothing_half_done(stored, tmp_path, name):
    (tmp_path / "there.sqlite").write_text("precious")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BackupError, match=name):
        backup(stored, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.sqlite").read_text() == "precious"


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_a_backup_is_not_put_beside_the_log_of_another_database(stored, tmp_path, end):
    (tmp_path / f"copy.sqlite{end}").touch()
    with pytest.raises(BackupError, match=end):
        backup(stored, tmp_path / "copy.sqlite")


def test_a_damaged_backup_is_not_restored(stored, tmp_path):
    backup(stored, tmp_path / "copy.sqlite")
    content = bytearray((tmp_path / "copy.sqlite").read_bytes())
    content[4096 * 3 : 4096 * 3 + 100] = b"\xff" * 100
    (tmp_path / "damaged.sqlite").write_bytes(content)
    for name in ("damaged.sqlite", "missing.sqlite"):
        with pytest.raises(BackupError, match=name):
            restore(tmp_path / name, tmp_path / "restored.sqlite")
    assert not list(tmp_path.glob("restored*"))


def test_postgresql_is_left_to_its_own_tool(tmp_path):
    database = Database("postgresql://127.0.0.1/postmeal")  # no connection is made
    with pytest.raises(BackupError, match="pg_dump"):
        backup(database, tmp_path / "copy")
    database.close()
