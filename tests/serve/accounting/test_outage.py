"""Outage: what is admitted while no count can be written, and what is counted afterwards."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from api_client import VirtualClock
from database_faults import locked, unwritable
from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from stored_people import prepared

from postmeal_serve.accounting.meter import Charge, Meter
from postmeal_serve.accounting.minutes import Minutes
from postmeal_serve.accounting.outage import CounterWrites, Unwritable
from postmeal_serve.accounting.process_lease import ProcessLease
from postmeal_serve.accounting.rates import Rates
from postmeal_serve.accounting.requests import LARGEST_BLOCK, Grant, Requests
from postmeal_serve.partners import organizations
from postmeal_serve.partners.credentials import Caller
from postmeal_serve.partners.plans import PLANS, Agreement, Allowances, Plan
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import burst, rate_window, usage
from postmeal_serve.storage.transaction import DatabaseTimeout
from postmeal_serve.wire.errors import Refusal

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
PARTNER = 1
PREDICT, CHAT = Charge("predict"), Charge("chat", credits=1)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


@pytest.fixture
def clock() -> VirtualClock:
    clock = VirtualClock(NOW)
    clock.seconds = 1000.0
    return clock


def allowed(requests: int | None) -> Allowances:
    return Allowances.of("plan", Plan(monthly_requests=requests), Agreement())


def counted(database: Database) -> int:
    """Return the requests of the partner, which are the same by month and by minute."""
    with database.reading() as connection:
        months, minutes = (
            connection.execute(
                select(func.coalesce(func.sum(table.c.requests), 0)).where(
                    table.c.organization_id == PARTNER
                )
            ).scalar_one()
            for table in (usage, burst)
        )
    assert months == minutes
    return int(months)


def windows(database: Database) -> dict[str, int]:
    with database.reading() as connection:
        return {row.endpoint: row.calls for row in connection.execute(select(rate_window))}


async def taken(take: Callable[[], Awaitable[Grant]]) -> int:
    """Take requests until a limit or the outage refuses one; return how many were granted."""
    number = 0
    while True:
        try:
            grant = await take()
        except Unwritable:
            return number
        if not grant.requests:
            return number
        number += 1


def test_requests_are_counted_in_memory_and_written_afterwards(database, clock):
    """Row 74: those of a partner without a limit are always admitted."""

    async def run() -> None:
        requests = Requests(database, clock)
        with unwritable(database):
            for _ in range(3000):
                assert (await requests.take(PARTNER, allowed(None))).requests == 1
            with pytest.raises(Unwritable):
                await requests.return_idle(all_of_them=True)
            assert counted(database) == 0
        clock.advance(1)
        await requests.return_idle(all_of_them=True)
        assert counted(database) == 3000
        await requests.take(PARTNER, allowed(None))
        await requests.return_idle(all_of_them=True)
        assert counted(database) == 3001

    asyncio.run(run())


@pytest.mark.parametrize(
    ("ceiling", "most"),
    [(100, 20), (10_000, LARGEST_BLOCK), (1_000_000, 200_000 // 64)],
)
def test_a_process_counts_at_most_one_lease_in_memory(database, clock, ceiling, most):
    """Row 74: so that two processes exceed the limit by at most one lease."""

    async def run() -> None:
        processes = [Requests(database, clock) for _ in range(2)]
        take = [lambda process=each: process.take(PARTNER, allowed(ceiling)) for each in processes]
        with unwritable(database):
            assert [await taken(each) for each in take] == [most, most]
        clock.advance(1)
        for process in processes:
            await process.return_idle(all_of_them=True)
        assert counted(database) == 2 * most
        day = ceiling // 5
        assert 2 * most - day <= most
        assert await taken(take[0]) == max(0, day - 2 * most)

    asyncio.run(run())


def test_a_spent_allowance_is_refused_with_the_same_wait_during_an_outage(database, clock):
    """Rows 51, 52."""

    async def run() -> list[Grant]:
        requests = Requests(database, clock)
        await requests.take(PARTNER, allowed(5))
        grants = [await requests.take(PARTNER, allowed(5)), await requests.take(2, allowed(0))]
        clock.advance(1)
        with unwritable(database):
            grants += [await requests.take(PARTNER, allowed(5)), await requests.take(2, allowed(0))]
        return grants

    day, month, day_later, month_later = asyncio.run(run())
    assert (day.requests, day.retry_after_s, month.retry_after_s) == (0, 86400, None)
    assert (day_later.requests, day_later.retry_after_s) == (0, 86399)
    assert month_later == month


def test_a_lease_of_before_the_outage_is_used_and_its_rest_given_back_later(database, clock):
    """Row 74: nothing that was leased is lost."""

    async def run() -> None:
        requests = Requests(database, clock)
        for _ in range(4):  # The last of three blocks has three requests left.
            await requests.take(PARTNER, allowed(None))
        assert counted(database) == 7
        clock.advance(60)
        with unwritable(database), pytest.raises(Unwritable):
            await requests.return_idle()
        clock.advance(1)
        await requests.return_idle()
        assert counted(database) == 4

    asyncio.run(run())


def test_a_request_that_is_put_back_during_an_outage_is_not_counted(database, clock):
    """Row 73: of the present lease and of one that has ended."""

    async def run() -> None:
        requests = Requests(database, clock)
        with unwritable(database):
            first = await requests.take(PARTNER, allowed(None))
            clock.advance(60)
            second = await requests.take(PARTNER, allowed(None))
            await requests.take(PARTNER, allowed(None))
            for grant in (first, second):
                await requests.undo(PARTNER, grant)
        clock.advance(60)
        await requests.return_idle(all_of_them=True)
        assert counted(database) == 1

    asyncio.run(run())


def test_if_the_outcome_is_unknown_requests_count_as_used(database, clock, monkeypatch):
    """Row 51: after a deadline, unused requests are not given back twice."""

    async def too_late(*_: Any) -> None:
        raise DatabaseTimeout("the database did not respond within the deadline")

    async def run() -> None:
        requests = Requests(database, clock)
        for _ in range(2):
            await requests.take(PARTNER, allowed(None))  # One of three is left.
        with monkeypatch.context() as patched:
            patched.setattr(database, "write", too_late)
            with pytest.raises(DatabaseTimeout):
                await requests.return_idle(all_of_them=True)
        await requests.return_idle(all_of_them=True)
        assert counted(database) == 3
        with unwritable(database):
            await requests.take(PARTNER, allowed(None))
        clock.advance(1)
        with monkeypatch.context() as patched:
            patched.setattr(database, "write", too_late)
            with pytest.raises(DatabaseTimeout):
                await requests.return_idle(all_of_them=True)
        await requests.return_idle(all_of_them=True)
        assert counted(database) == 4

    asyncio.run(run())


@pytest.mark.parametrize("limit", [10, 2000])
def test_processes_of_a_machine_keep_to_a_rate_together(database, clock, limit):
    """Row 50: requests that were counted in the database before the outage count."""

    async def run() -> None:
        minutes = Minutes()
        processes = [Rates(database, clock, minutes) for _ in range(2)]

        async def admitted(calls: int) -> int:
            standings = [
                await processes[number % 2].take("partner", "search", limit)
                for number in range(calls)
            ]
            return sum(standing.admitted for standing in standings)

        before = await admitted(4)
        clock.advance(10)
        with unwritable(database):
            assert await admitted(2 * limit) == limit - before
            clock.advance(49.9)
            assert await admitted(4) == 0
            clock.advance(0.1)
            reset_s = (await processes[0].take("partner", "search", limit)).reset_s
            assert 0 < reset_s <= 60
            clock.advance(10)
            assert await admitted(2 * limit) >= limit - 1

    asyncio.run(run())


def test_a_rate_that_was_counted_in_memory_is_written_in_its_minute(database, clock):
    """Rows 50, 74: the rest of the minute admits what is left."""

    async def run() -> None:
        rates = Rates(database, clock)
        take = lambda: rates.take("partner", "search", 10)  # noqa: E731
        with unwritable(database):
            lefts = [(await take()).left for _ in range(6)]
        assert (lefts, windows(database)) == ([9, 8, 7, 6, 5, 4], {})
        clock.advance(1)
        assert (await take()).left == 3
        assert windows(database) == {"search": 7}
        assert sum([(await take()).admitted for _ in range(6)]) == 3
        clock.advance(60)
        assert (await take()).left == 9
        assert windows(database) == {"search": 1}

    asyncio.run(run())


def test_a_prediction_is_admitted_and_a_chat_is_not_and_neither_counts_wrongly(database, clock):
    """Rows 73, 74: whatever costs credits needs the database."""
    agreed = organizations.parse_agreement({"per_minute": 5, "monthly_requests": 1000})
    with database.writing() as connection:
        partner = organizations.change(
            connection, NOW, "partner 1", PLANS, plan="free", agreement=agreed
        )
    caller = Caller(partner, "v1.2", 1, None, None, None)
    meter = Meter(database, clock, None, None, None, Minutes(), ProcessLease(database, clock))

    async def run() -> None:
        with unwritable(database):
            for _ in range(5):
                assert (await meter.admit(caller, PREDICT, "")).reservation is None
            with pytest.raises(Refusal, match="5 requests per minute"):
                await meter.admit(caller, PREDICT, "")
            for _ in range(8):
                with pytest.raises(SQLAlchemyError):
                    await meter.admit(caller, CHAT, "")
            await meter.rest()
        clock.advance(6)
        await meter.rest()

    asyncio.run(run())
    assert counted(database) == 5


def test_an_outage_is_noticed_once_a_second(database, clock):
    """In between, nothing waits for the database."""
    written = []

    def count(connection: Any) -> None:
        written.append(connection.execute(update(usage).values(credits=0)).rowcount)

    async def run() -> None:
        writes = CounterWrites(database, clock)
        with unwritable(database), pytest.raises(Unwritable):
            await writes.write(count)
        clock.advance(0.999)
        with pytest.raises(Unwritable):
            await writes.write(count)
        clock.advance(0.001)
        await writes.write(count)
        assert len(written) == 1

    asyncio.run(run())


def test_a_lock_is_no_outage(tmp_path, clock):
    """A database that may have counted is not counted beside."""
    database = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite")
    database.close()
    database = Database(f"sqlite:///{tmp_path}/postmeal.sqlite", 0.2)
    requests = Requests(database, clock)
    with locked(f"sqlite:///{tmp_path}/postmeal.sqlite"):
        with pytest.raises((DatabaseTimeout, OperationalError)) as caught:
            asyncio.run(requests.take(PARTNER, allowed(None)))
        assert not isinstance(caught.value, Unwritable)
    database.close()
