"""Deadlines of transactions: what is given up is not written, and its thread is free again."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_client import Api
from database_faults import backends_of, locked, stopped
from sqlalchemy import Connection, event, func, insert, select, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from postmeal_serve.accounting.requests import Requests
from postmeal_serve.partners.plans import PLANS, Agreement, Allowances
from postmeal_serve.partners.tokens import Revocation, revoke_live
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import audit, client_token, food_log, organization
from postmeal_serve.storage.transaction import DatabaseTimeout

NOW = datetime(2026, 1, 5, tzinfo=UTC)
WITHIN_S = 0.6
A_WHILE_S = 8.0  # far more than a deadline, far less than the locks are held without one
ON_POSTGRESQL = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with tables and a short deadline."""
    database = Database(database_url, WITHIN_S)
    migrate(database)
    yield database
    database.close()


def note(connection: Connection, what: str = "noted") -> None:
    connection.execute(insert(audit).values(at=NOW, actor="test", action=what, subject="-"))


def notes(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(audit)).scalar_one())


def outcomes(database: Database, number: int, work: Any) -> list[Any]:
    """Return the results or errors of `number` writes at the same time."""

    async def write() -> list[Any]:
        writes = (database.write(work) for _ in range(number))
        return await asyncio.gather(*writes, return_exceptions=True)

    return asyncio.run(write())


def test_what_is_given_up_in_the_queue_or_under_way_is_not_written(database):
    released, begun = threading.Event(), []

    def hold(connection: Connection) -> None:
        begun.append(connection)
        note(connection)
        released.wait(60)

    found = outcomes(database, 12, hold)
    assert {type(each) for each in found} == {DatabaseTimeout}
    running = len(begun)
    released.set()
    asyncio.run(database.write(note, "after"))
    assert len(begun) == running < 12
    with database.reading() as connection:
        assert connection.execute(select(audit.c.action)).scalars().all() == ["after"]


def test_a_caller_that_is_canceled_has_nothing_written(database):
    released, begun = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        note(connection)
        begun.set()
        released.wait(60)

    async def cancel() -> None:
        writing = asyncio.create_task(database.write(hold))
        await asyncio.to_thread(begun.wait, 60)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        released.set()
        await database.write(note, "after")

    asyncio.run(cancel())
    assert database.read_blocking(notes) == 1


def test_a_commit_that_was_under_way_costs_its_answer_alone(database):
    """Its outcome is unknown, but it is whole, and what follows is not disturbed."""
    released, waits = threading.Event(), iter([True])

    def hold(connection: Connection) -> None:
        if next(waits, False):
            released.wait(60)

    def two(connection: Connection) -> None:
        note(connection)
        note(connection)

    event.listen(database.engine, "commit", hold)
    assert [type(each) for each in outcomes(database, 1, two)] == [DatabaseTimeout]
    released.set()
    outcomes(database, 3, note)
    assert database.read_blocking(notes) in (3, 5)


def test_a_locked_database_is_given_up_and_nothing_is_written_later(database, database_url):
    begun_s = time.monotonic()
    with locked(database_url, "audit"):
        found = outcomes(database, 14, note)
        assert all(isinstance(each, SQLAlchemyError) for each in found)
        assert time.monotonic() - begun_s < A_WHILE_S
    assert outcomes(database, 1, note) == [None]
    assert database.read_blocking(notes) == 1


@ON_SQLITE
def test_the_turn_of_a_process_that_does_not_end_it_is_not_waited_for(database, database_url):
    other = Database(database_url)
    with other.writing():
        assert [type(each) for each in outcomes(database, 3, note)] == [DatabaseTimeout] * 3
    other.close()
    assert outcomes(database, 1, note) == [None]
    assert database.read_blocking(notes) == 1


@ON_SQLITE
def test_a_query_of_sqlite_that_takes_too_long_is_interrupted(database):
    endless = (
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    )
    ended = []

    def ask(connection: Connection) -> None:
        try:
            connection.exec_driver_sql(endless).scalar_one()
        finally:
            ended.append(True)

    async def read() -> None:
        reads = (database.read(ask) for _ in range(4))  # as many as there are threads
        found = await asyncio.gather(*reads, return_exceptions=True)
        assert {type(each) for each in found} == {DatabaseTimeout}
        assert await database.read(notes) == 0

    begun_s = time.monotonic()
    asyncio.run(read())
    while len(ended) < 4:
        assert time.monotonic() - begun_s < A_WHILE_S
        time.sleep(0.01)


@ON_POSTGRESQL
def test_a_server_that_stands_still_is_cut_off_and_replaced(database, database_url, monkeypatch):
    """Its kernel acknowledges what it is sent, so that no timeout of TCP ends the wait."""
    monkeypatch.setattr(
        "postmeal_serve.storage.postgresql._IDLE_S", 600.0
    )  # none is checked before
    assert outcomes(database, 5, note) == [None] * 5
    with stopped(*backends_of(database_url)):
        found = outcomes(database, 5, lambda connection: note(connection, "lost"))
        written = found.count(None)  # over a connection that was made meanwhile
        assert written < 5
        assert {type(each) for each in found if each} <= {DatabaseTimeout, OperationalError}
        begun_s = time.monotonic()
        while outcomes(database, 1, note) != [None]:
            assert time.monotonic() - begun_s < A_WHILE_S
    with database.reading() as connection:
        lost = select(func.count()).where(audit.c.action == "lost")
        assert connection.execute(lost).scalar_one() == written
        assert notes(connection) >= 6


@ON_POSTGRESQL
def test_a_connection_that_rested_and_stands_still_is_replaced_before_its_use(
    database, database_url, monkeypatch
):
    monkeypatch.setattr("postmeal_serve.storage.postgresql._IDLE_S", 0.0)
    assert outcomes(database, 5, note) == [None] * 5
    with stopped(*backends_of(database_url)):
        assert outcomes(database, 5, note) == [None] * 5
    assert database.read_blocking(notes) == 10


@ON_POSTGRESQL
@pytest.mark.parametrize(
    ("statement", "ends"),
    [("SELECT pg_sleep(30)", "statement timeout"), ("LOCK TABLE audit", "lock timeout")],
)
def test_the_server_ends_what_takes_too_long_and_the_connection_stays(
    database, database_url, statement, ends
):
    def ask(connection: Connection) -> None:
        connection.execute(text(statement))

    with locked(database_url, "audit"), pytest.raises(OperationalError, match=ends):
        database.write_blocking(ask)


@ON_POSTGRESQL
def test_every_limit_of_postgresql_follows_from_the_deadline(database):
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    limits = {name: f"SHOW {name}" for name in names}

    def shown(connection: Connection) -> list[str]:
        return [connection.execute(text(each)).scalar_one() for each in limits.values()]

    assert database.read_blocking(shown) == ["180ms", "480ms", "600ms"]
    with database.writing() as connection:
        assert shown(connection) == ["0", "0", "0"]
    assert asyncio.run(database.maintain(shown)) == ["180ms", "0", "0"]


def test_maintenance_takes_as_long_as_it_needs(database):
    def slow(connection: Connection) -> None:
        note(connection)
        time.sleep(2 * WITHIN_S)
        note(connection)

    asyncio.run(database.maintain(slow))
    with database.writing() as connection:
        slow(connection)
    assert database.read_blocking(notes) == 4


def test_threads_have_the_same_deadline(database):
    with pytest.raises(DatabaseTimeout):
        database.read_blocking(lambda connection: time.sleep(2 * WITHIN_S))


def test_a_database_is_closed_although_a_transaction_does_not_end(database):
    released = threading.Event()

    def hold(connection: Connection) -> None:
        note(connection)
        released.wait(2)

    with pytest.raises(DatabaseTimeout):
        database.write_blocking(hold)
    database.close()


@ON_SQLITE
def test_calls_that_wait_for_one_lease_are_refused_together(database, database_url):
    """Each would otherwise wait for a deadline of its own, one after the other."""
    requests, begun_s = Requests(database.admission, Clock()), time.monotonic()
    allowed = Allowances.of("free", PLANS["free"], Agreement())

    async def take() -> list[Any]:
        calls = (requests.take(1, allowed) for _ in range(30))
        return await asyncio.gather(*calls, return_exceptions=True)

    with locked(database_url):
        assert {type(each) for each in asyncio.run(take())} <= {DatabaseTimeout, OperationalError}
    assert time.monotonic() - begun_s < A_WHILE_S


def test_a_revocation_of_locked_tokens_ends_and_counts_them(database, database_url):
    """R9: each of a hundred would otherwise be waited for."""
    token = {"organization_id": 1, "end_user_id": "u-1", "scopes": "", "created_at": NOW}
    with database.writing() as connection:
        partner = {"id": 1, "name": "one", "plan": "free", "agreement": {}, "may_mint": True}
        connection.execute(insert(organization).values(**partner, created_at=NOW))
        ends = {"expires_at": datetime.now(UTC) + timedelta(hours=1)}
        tokens = [{**token, **ends, "sha256": bytes([n])} for n in range(120)]
        connection.execute(insert(client_token), tokens)
    other, begun_s = Database(database_url), time.monotonic()
    with other.writing() as connection:
        connection.execute(select(client_token.c.id).with_for_update())
        done = asyncio.run(revoke_live(database, Clock(), 1, "u-1", "test"))
        assert time.monotonic() - begun_s < A_WHILE_S
    other.close()
    assert done == Revocation(0, 120)
    assert asyncio.run(revoke_live(database, Clock(), 1, "u-1", "test")) == Revocation(120, 0)


def test_a_call_that_waits_for_the_return_of_a_lease_has_one_deadline(database):
    """Not that of the return, and then its own."""
    requests = Requests(database.admission, Clock())
    allowed = Allowances.of("free", PLANS["free"], Agreement())

    async def wait() -> None:
        with suppress(SQLAlchemyError):
            await requests.take(1, allowed)  # no such partner, but its lease is begun
        async with requests._leases[1].lock:  # as while something is returned
            with pytest.raises(DatabaseTimeout):
                await asyncio.wait_for(requests.take(1, allowed), A_WHILE_S)

    asyncio.run(wait())


@pytest.mark.reliability
@ON_POSTGRESQL
def test_calls_that_touch_no_locked_table_are_answered_meanwhile(tmp_path, database_url):
    """Neither do limits queue behind writers of the diary, nor credentials behind its readers."""
    person = {"Service-End-User-ID": "u-1"}
    with Api(tmp_path, database=database_url, database_within_s=2.0) as api:
        partner, body = api.partner("another"), {"foods": api.body()["foods"]}

        def log(_: int) -> int:
            return api.post("/v1.2/food-logs", person, json=body).status_code

        def read(_: int) -> int:
            span = {"start": "2026-01-01", "end": "2026-01-02"}
            return api.get("/v1.2/food-logs", person, params=span).status_code

        assert log(0) == 201
        with locked(database_url), ThreadPoolExecutor(45) as pool:
            refused = [pool.submit(each, 0) for each in [log] * 25 + [read] * 20]
            time.sleep(0.3)
            path = "/v1.2/foods?query=rice"
            assert api.client.get(path, headers=partner.headers(path)).status_code == 200
            assert not all(each.done() for each in refused)
            assert {each.result() for each in refused} == {503}
        assert log(0) == 201
        with api.service.database.reading() as connection:
            stored = select(func.count()).select_from(food_log)
            assert connection.execute(stored).scalar_one() == 2
