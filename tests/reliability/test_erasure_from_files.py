"""Erasure down to the bytes of the files."""

import asyncio
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from api_client import TRAIN, Api
from cgm_requests import wearer_of
from diary_client import NEW, OLD, with_key, with_token
from sqlalchemy import Connection, select, text
from stored_people import NOW, SetClock, add_traces, prepared

from postmeal_serve.command_line import main
from postmeal_serve.resources import users
from postmeal_serve.resources.erasure import erase_user
from postmeal_serve.resources.retention import delete_expired
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.secure_erase import empty_log, rewrite
from postmeal_serve.storage.tables import METADATA, personal_model

pytestmark = pytest.mark.reliability

CANARY = "canary-" * 30
OTHER = "sparrow-" * 30
PROFILE = {"age": 45.0, "sex": "female", "height_in": 66.0, "weight_lb": 150.0}
TELLING = {**PROFILE, "height_in": 66.015625, "weight_lb": 151.0078125}
TRACES = ("canary", "u-erased", "66.015625", "151.0078125")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def fill(database: Database) -> None:
    """Forty people, one of whom is to be erased; their rows lie between each other's."""
    with database.writing() as connection:
        users.create(connection, 1, "u-erased", PROFILE, NOW)
        users.change(connection, 1, "u-erased", TELLING, NOW)
    for turn in range(50):
        with database.writing() as connection:
            add_traces(connection, 1, "u-erased", f"{CANARY}{turn}")
            for other in range(4):
                add_traces(connection, 1, f"u-{other}", f"{OTHER}{turn}")


def erase(database: Database) -> str:
    with database.writing() as connection:
        person = users.find(connection, 1, "u-erased")
        assert erase_user(connection, 1, person.id, NOW, "key 5")
    return person.id


def in_files(folder: Path, trace: str) -> int:
    return sum(
        file.read_bytes().count(trace.encode()) for file in folder.iterdir() if file.is_file()
    )


def in_tables(connection: Connection, trace: str) -> int:
    return sum(
        repr(tuple(row)).count(trace)
        for table in METADATA.sorted_tables
        for row in connection.execute(select(table))
    )


def test_no_row_of_any_table_tells_of_an_erased_person(database):
    """S14: in the database, with the neighbours' rows untouched."""
    fill(database)
    with database.reading() as connection:
        assert all(in_tables(connection, trace) for trace in TRACES)
        neighbours = in_tables(connection, "sparrow")
    id_of_ours = erase(database)
    with database.reading() as connection:
        assert [in_tables(connection, trace) for trace in (*TRACES, id_of_ours)] == [0] * 5
        assert in_tables(connection, "sparrow") == neighbours


def test_no_byte_of_any_file_tells_of_an_erased_person(tmp_path):
    """S14: neither in SQLite's file nor in its write-ahead log."""
    database = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite")
    fill(database)
    assert all(in_files(tmp_path, trace) for trace in TRACES)
    id_of_ours = erase(database)
    assert rewrite(database)
    assert [in_files(tmp_path, trace) for trace in (*TRACES, id_of_ours)] == [0] * 5
    assert in_files(tmp_path, "sparrow")
    assert not rewrite(database)  # once is enough
    database.close()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_no_byte_of_postgresqls_files_tells_of_an_erased_person(
    database, database_url, monkeypatch, capsys
):
    """S14: once `admin vacuum` has written the tables anew; a plain VACUUM leaves some bytes."""
    with database.engine.connect() as connection:
        answer = connection.execute(
            text(
                "SELECT current_setting('data_directory'), oid FROM pg_database"
                " WHERE datname = current_database()"
            )
        )
        cluster, oid = answer.one()
    folder = Path(cluster) / "base" / str(oid)
    if not os.access(folder, os.R_OK):
        pytest.skip(f"the files of PostgreSQL in {folder} cannot be read")
    fill(database)
    id_of_ours = erase(database)
    checkpoint(database)
    assert all(in_files(folder, trace) for trace in TRACES)
    monkeypatch.setenv("POSTMEAL_DATABASE", database_url)
    assert main(["admin", "vacuum"]) == 0
    assert "remnants of erased users removed" in capsys.readouterr().out
    checkpoint(database)
    assert [in_files(folder, trace) for trace in (*TRACES, id_of_ours)] == [0] * 5
    assert in_files(folder, "sparrow")


def checkpoint(database: Database) -> None:
    """Let PostgreSQL write what it holds in memory, and drop the files it needs no more."""
    with database.engine.connect() as connection, connection.begin():
        connection.execute(text("CHECKPOINT"))


def test_emptying_the_log_alone_takes_out_what_was_not_moved(tmp_path):
    """S14: of someone with one log, nothing is left a moment after the erasure."""
    database = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite")
    with database.writing() as connection:
        users.create(connection, 1, "u-erased", TELLING, NOW)
        add_traces(connection, 1, "u-erased", CANARY)
    erase(database)
    assert empty_log(database)
    assert [in_files(tmp_path, trace) for trace in TRACES] == [0] * 4
    database.close()


def test_while_someone_reads_the_log_is_emptied_later(tmp_path):
    """S14: a reader keeps the log from being emptied; nobody waits for it."""
    database = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite")
    fill(database)
    with database.reading() as reader:
        assert in_tables(reader, "canary")
        erase(database)
        assert rewrite(database)
        assert not empty_log(database)
    asyncio.run(delete_expired(database, SetClock(), timedelta(hours=1)))
    assert [in_files(tmp_path, trace) for trace in TRACES] == [0] * 4
    database.close()


def test_the_file_is_written_anew_later_where_someone_does_not_stop_writing(tmp_path, monkeypatch):
    """S14: the mark stays until it was done."""
    monkeypatch.setattr("postmeal_serve.storage.secure_erase._REWRITE_WITHIN_S", 0.1)
    database = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite")
    fill(database)
    erase(database)
    with database.writing():
        assert not rewrite(database)
    assert rewrite(database)
    assert [in_files(tmp_path, trace) for trace in TRACES] == [0] * 4
    database.close()


def test_after_a_delete_through_the_api_nothing_of_the_user_is_left(tmp_path):
    """S14: registered and trained, with logs of both versions, a repeated request and a phone."""
    with Api(tmp_path) as api:
        partner = api.partner("test")
        name, meal = "u-erased", {"foods": api.body()["foods"], "name": CANARY}
        registration = partner.headers(OLD) | {"x-partner-user-id": name}
        profile = {"age": 45, "gender": "male", "height": 66.015625, "weight": 151.0078125}
        body = {"profile": profile}
        user = api.client.post("/v1.1/user", json=body, headers=registration).json()
        for turn in range(20):
            for each in (name, user["user_id"]):
                log = with_key(api, each, NEW, partner).log(
                    meal, **{"Idempotency-Key": f"k-{turn}"}
                )
                assert log.status_code == 201, log.text
            assert with_token(api, name, partner).log(meal).status_code == 201
            other = {**meal, "name": OTHER}
            assert with_key(api, "u-other", NEW, partner).log(other).status_code == 201
        trained = api.client.post(TRAIN, json=wearer_of(api).training, headers=registration)
        assert trained.status_code == 200
        with api.service.database.reading() as connection:
            state = connection.execute(select(personal_model.c.state)).scalar_one()
        traces = (*TRACES, user["user_id"], state.split()[2].decode())  # the state's hash
        assert all(in_files(tmp_path, trace) for trace in traces)

        deleted = api.client.delete("/v1.1/user", headers=registration)
        assert deleted.json() == {"status": "deleted"}
        rewrite(api.service.database)
        assert [in_files(tmp_path, trace) for trace in traces] == [0] * 6
        assert in_files(tmp_path, "sparrow")
