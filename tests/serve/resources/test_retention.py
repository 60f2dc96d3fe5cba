"""What is kept how long, and the job that purges it."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import insert, select
from stored_people import NOW, SetClock, number_of, prepared

from postmeal_serve.resources.retention import delete_expired, purge
from postmeal_serve.runtime.background_jobs import Job
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.tables import (
    absent_product,
    audit,
    burst,
    client_token,
    food_log,
    idempotency,
    organization,
    rate_window,
    reservation,
    usage,
)

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
JUST = timedelta(milliseconds=1)
OF_ONE = {"organization_id": 1}
MOMENTS = {
    "client_token": (client_token, "expires_at", HOUR),
    "idempotency": (idempotency, "created_at", DAY),
    "burst": (burst, "minute", DAY + timedelta(minutes=1)),
    "rate_window": (rate_window, "opened_at", DAY),
    "reservation": (reservation, "expires_at", timedelta(0)),
    "absent_product": (absent_product, "asked_at", HOUR),
}
ROWS = {
    "client_token": {**OF_ONE, "end_user_id": "u", "sha256": b"1", "scopes": "", "created_at": NOW},
    "idempotency": {
        **OF_ONE,
        "end_user_id": "u",
        "key": "k",
        "request_sha256": b"1",
        "claimed_until": NOW,
        "answer": b"{}",
    },
    "burst": {**OF_ONE, "requests": 1},
    "rate_window": {"holder": "key 1", "endpoint": "search", "calls": 1},
    "reservation": {**OF_ONE, "id": "r", "endpoint": "chat", "credits": 1},
    "absent_product": {"gtin": "00049000006346"},
}


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


@pytest.mark.parametrize("name", MOMENTS)
def test_a_row_goes_when_its_time_has_come_and_not_before(database, name):
    """Row 147: a token an hour after its expiry, the rest likewise, each after its own time."""
    table, moment, kept = MOMENTS[name]
    with database.writing() as connection:
        connection.execute(insert(table).values({**ROWS[name], moment: NOW}))
        assert purge(connection, NOW + kept - JUST, HOUR)[name] == 0
        assert purge(connection, NOW + kept, HOUR)[name] == 1
        assert purge(connection, NOW + kept, HOUR)[name] == 0
        assert number_of(connection, table) == 0


def test_how_long_tokens_are_kept_is_a_setting(database):
    """Row 147: `purge_after`."""
    with database.writing() as connection:
        connection.execute(insert(client_token).values({**ROWS["client_token"], "expires_at": NOW}))
        assert purge(connection, NOW + 2 * HOUR - JUST, 2 * HOUR)["client_token"] == 0
        assert purge(connection, NOW + 2 * HOUR, 2 * HOUR)["client_token"] == 1


def test_a_revoked_token_is_kept_as_long_as_one_that_ran_out(database):
    """Row 148: it is purged once its time to live has passed, not when it is revoked."""
    row = {**ROWS["client_token"], "expires_at": NOW + HOUR, "revoked_at": NOW}
    with database.writing() as connection:
        connection.execute(insert(client_token).values(row))
        assert purge(connection, NOW + 2 * HOUR - JUST, HOUR)["client_token"] == 0
        assert purge(connection, NOW + 2 * HOUR, HOUR)["client_token"] == 1


def test_diaries_usage_and_the_audit_trail_are_never_purged(database):
    log = {"id": "l", "end_user_id": "u", "eaten_at": NOW, "foods": "[]", "created_at": NOW}
    month = {"month": "2026-02", "requests": 1, "credits": 1}
    with database.writing() as connection:
        connection.execute(insert(food_log).values({**OF_ONE, **log}))
        connection.execute(insert(usage).values({**OF_ONE, **month}))
        assert sum(purge(connection, NOW + 3650 * DAY, HOUR).values()) == 0
        kept = [number_of(connection, table) for table in (food_log, usage, organization)]
    assert kept == [1, 1, 2]


def test_purged_tokens_leave_one_line_in_the_audit_trail(database):
    """Row 483: retention purge; nothing is written when nothing went."""
    token = {**ROWS["client_token"], "expires_at": NOW}
    with database.writing() as connection:
        for number in range(3):
            connection.execute(insert(client_token).values({**token, "sha256": b"%d" % number}))
        for _ in range(2):
            purge(connection, NOW + HOUR, HOUR)
        lines = connection.execute(select(audit.c.actor, audit.c.action, audit.c.subject)).all()
    assert [tuple(line) for line in lines] == [("job", "purged", "client tokens: 3")]


def test_the_job_purges_while_the_service_runs(database):
    clock = SetClock()
    with database.writing() as connection:
        connection.execute(insert(client_token).values({**ROWS["client_token"], "expires_at": NOW}))

    async def tokens() -> int:
        return await database.read(number_of, client_token)

    async def serve() -> None:
        async with Job("retention", lambda: delete_expired(database, clock, HOUR), every_s=0.01):
            await asyncio.sleep(0.1)
            assert await tokens() == 1
            clock.forward(hours=1)
            while await tokens():
                await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(serve(), 300))


def test_a_job_that_fails_is_tried_again_and_says_so_without_details(caplog):
    runs = []

    async def work() -> None:
        runs.append(len(runs))
        if len(runs) == 1:
            raise ValueError("u-1 ate porridge")

    async def serve() -> None:
        async with Job("retention", work, every_s=0.001):
            while len(runs) < 3:
                await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(serve(), 300))
    assert "background job retention failed and will be retried: ValueError" in caplog.text
    assert "porridge" not in caplog.text


def test_a_job_outlives_a_database_that_cannot_be_used(tmp_path, caplog):
    database = Database(f"sqlite:///{tmp_path}/postmeal.sqlite")  # without tables

    async def serve() -> None:
        async with Job("retention", lambda: delete_expired(database, SetClock(), HOUR), 0.01):
            while len(caplog.records) < 2:
                await asyncio.sleep(0.01)
            migrate(database)
            seen = len(caplog.records)
            await asyncio.sleep(0.1)
            assert len(caplog.records) <= seen + 1

    asyncio.run(asyncio.wait_for(serve(), 300))
    database.close()


def test_a_job_ends_with_the_service():
    runs = []

    async def work() -> None:
        runs.append(1)
        await asyncio.sleep(3600)

    async def serve() -> None:
        async with Job("retention", work, every_s=0.001):
            while not runs:
                await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(serve(), 300))
    assert runs == [1]
