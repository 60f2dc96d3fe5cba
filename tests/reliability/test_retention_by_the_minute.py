"""Retention over days, with a clock that is turned."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Table, insert, select
from stored_people import NOW, SetClock, prepared

from postmeal_serve.resources.retention import INTERVAL_S, delete_expired
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import client_token, idempotency

pytestmark = pytest.mark.reliability

TOKENS_KEPT = timedelta(hours=1)
LIFE = timedelta(minutes=30)
OF_ONE = {"organization_id": 1, "end_user_id": "u-1", "created_at": NOW}


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def test_every_row_is_gone_within_one_run_of_the_job_after_its_time_and_none_before(database):
    """S13: rows made all through a day, and the job run every minute of two days by its clock."""
    made = [NOW + timedelta(minutes=7 * turn) for turn in range(200)]
    interval = timedelta(seconds=INTERVAL_S)
    with database.writing() as connection:
        for turn, at in enumerate(made):
            mine = {**OF_ONE, "created_at": at}
            token = {"sha256": b"%d" % turn, "scopes": "", "expires_at": at + LIFE}
            answer = {"key": str(turn), "request_sha256": b"", "claimed_until": at}
            connection.execute(insert(client_token).values({**mine, **token}))
            connection.execute(insert(idempotency).values({**mine, **answer}))

    due = {
        client_token: {at: at + LIFE + TOKENS_KEPT for at in made},
        idempotency: {at: at + timedelta(hours=24) for at in made},
    }
    clock = SetClock()
    gone = asyncio.run(_run_for_two_days(database, clock, interval))
    for table, moments in due.items():
        late = [gone[table][at] - moment for at, moment in moments.items()]
        assert timedelta(0) <= min(late)
        assert max(late) <= interval


async def _run_for_two_days(
    database: Database, clock: SetClock, interval: timedelta
) -> dict[Table, dict[datetime, datetime]]:
    """When each row was first missed, by the moment when it was made."""
    left = {table: await _made(database, table) for table in (client_token, idempotency)}
    gone: dict[Table, dict[datetime, datetime]] = {table: {} for table in left}
    end = clock.now() + timedelta(days=2)
    while clock.now() < end:
        clock.at += interval
        await delete_expired(database, clock, TOKENS_KEPT)
        for table, before in left.items():
            left[table] = await _made(database, table)
            gone[table] |= dict.fromkeys(before - left[table], clock.at)
    return gone


async def _made(database: Database, table: Table) -> set[datetime]:
    return await database.read(lambda each: set(each.execute(select(table.c.created_at)).scalars()))
