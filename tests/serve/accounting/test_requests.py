"""Requests: leased, refused and returned by one process."""

import asyncio
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from api_client import VirtualClock
from sqlalchemy import Connection, insert, select
from stored_people import prepared

from postmeal_serve.accounting.requests import Requests, lease_requests
from postmeal_serve.partners.plans import Agreement, Allowances, Plan
from postmeal_serve.runtime.clock import SKEW
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import burst, organization, usage

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
NUMBERS = itertools.count(10)
MINUTE = timedelta(minutes=1)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = prepared(f"sqlite:///{tmp_path_factory.mktemp('requests')}/postmeal.sqlite")
    yield database
    database.close()


@pytest.fixture
def partner(database) -> int:
    """A partner without any call."""
    number = next(NUMBERS)
    row = {"id": number, "name": f"no. {number}", "plan": "free", "agreement": {}}
    with database.writing() as connection:
        connection.execute(insert(organization).values(**row, may_mint=True, created_at=NOW))
    return number


@pytest.fixture
def clock() -> VirtualClock:
    clock = VirtualClock(NOW)
    clock.seconds = 1000.0
    return clock


def allowed(requests: int | None) -> Allowances:
    return Allowances.of("plan", Plan(monthly_requests=requests), Agreement())


def counted(connection: Connection, partner: int) -> tuple[dict[str, int], dict[datetime, int]]:
    """Return the requests by month and by minute."""
    months = connection.execute(select(usage).where(usage.c.organization_id == partner))
    minutes = connection.execute(select(burst).where(burst.c.organization_id == partner))
    return (
        {row.month: row.requests for row in months},
        {row.minute: row.requests for row in minutes},
    )


def leased(database: Database, partner: int) -> int:
    with database.reading() as connection:
        months, minutes = counted(connection, partner)
    assert sum(months.values()) == sum(minutes.values())
    return sum(months.values())


def test_requests_are_counted_on_their_month_and_minute(database, partner):
    """Rows 51, 65: leases of the same minute add up."""
    with database.writing() as connection:
        at = NOW + timedelta(seconds=59, milliseconds=999)
        for moment, number in ((NOW, 3), (at, 4), (NOW + MINUTE, 5)):
            grant = lease_requests(connection, moment, partner, allowed(None), number)
            assert (grant.requests, grant.retry_after_s) == (number, None)
            assert grant.minute == moment.replace(second=0, microsecond=0)
        assert counted(connection, partner) == ({"2026-02": 12}, {NOW: 7, NOW + MINUTE: 5})


def test_blocks_become_single_requests_towards_the_end_of_a_day(database, partner):
    """Row 51: the limit of a day is never exceeded."""
    with database.writing() as connection:
        lease = lambda: lease_requests(connection, NOW, partner, allowed(2000), 256)  # noqa: E731
        taken = list(iter(lambda: lease().requests, 0))
    assert sum(taken) == 400
    assert taken[0] > 1
    assert taken == sorted(taken, reverse=True)
    assert taken[-64:] == [1] * 64


def test_blocks_become_single_requests_towards_the_end_of_a_month(database, partner):
    """Row 52: also when the day has more left."""
    later = NOW + timedelta(days=2)
    with database.writing() as connection:
        lease_requests(connection, NOW, partner, allowed(None), 990)
        lease = lambda: lease_requests(connection, later, partner, allowed(1000), 256)  # noqa: E731
        assert [lease().requests for _ in range(11)] == [1] * 10 + [0]
        assert lease().retry_after_s is None


@pytest.mark.parametrize(("ceiling", "a_day"), [(1, 1), (5, 1), (6, 2), (10, 2), (11, 3)])
def test_a_day_takes_a_fifth_of_the_month_rounded_up(database, partner, ceiling, a_day):
    """Row 51."""
    with database.writing() as connection:
        grants = [
            lease_requests(connection, NOW, partner, allowed(ceiling), 1).requests
            for _ in range(a_day + 2)
        ]
        assert grants == [1] * a_day + [0] * 2
        assert sum(counted(connection, partner)[0].values()) == a_day


def test_nothing_is_left_of_an_allowance_of_zero(database, partner):
    """Row 52: a refusal counts no minute."""
    with database.writing() as connection:
        grant = lease_requests(connection, NOW, partner, allowed(0), 1)
        assert (grant.requests, grant.retry_after_s) == (0, None)
        assert counted(connection, partner)[1] == {}


@pytest.mark.parametrize(
    ("ceiling", "opens_after"),
    [(20, timedelta(minutes=0)), (15, timedelta(minutes=1)), (5, timedelta(minutes=2))],
)
def test_the_guard_opens_when_enough_minutes_are_a_day_old(database, partner, ceiling, opens_after):
    """Row 51: enough of 1, 1 and 2 requests must expire, also after an allowance was lowered."""
    with database.writing() as connection:
        for minute, number in ((0, 1), (1, 1), (2, 2)):
            lease_requests(connection, NOW + minute * MINUTE, partner, allowed(None), number)
        at = NOW + timedelta(minutes=2, seconds=30)
        grant = lease_requests(connection, at, partner, allowed(ceiling), 1)
        opens = NOW + opens_after + timedelta(days=1)
        assert grant.retry_after_s == (opens - at).total_seconds()
        early = opens - timedelta(milliseconds=1)
        again = lease_requests(connection, early, partner, allowed(ceiling), 1)
        assert (again.requests, again.retry_after_s) == (0, 1)
        assert lease_requests(connection, opens, partner, allowed(ceiling), 1).requests == 1


def test_minutes_in_the_future_count_as_far_as_two_machines_may_differ(database, partner):
    """Rows 50, 51: a minute further ahead comes from a wrong clock and does not count."""
    with database.writing() as connection:
        ahead = NOW + SKEW
        assert lease_requests(connection, ahead, partner, allowed(5), 1).requests == 1
        refused = lease_requests(connection, NOW, partner, allowed(5), 1)
        assert (refused.requests, refused.retry_after_s) == (0, 86400)
        before = NOW - timedelta(microseconds=1)
        assert lease_requests(connection, before, partner, allowed(5), 1).requests == 1


def test_partners_do_not_share_allowances(database, partner):
    """Row 51: neither the month nor the day."""
    other = next(NUMBERS)
    with database.writing() as connection:
        row = {"id": other, "name": f"no. {other}", "plan": "free", "agreement": {}}
        connection.execute(insert(organization).values(**row, may_mint=True, created_at=NOW))
        for whose in (partner, other):
            assert lease_requests(connection, NOW, whose, allowed(5), 1).requests == 1
            assert lease_requests(connection, NOW, whose, allowed(5), 1).requests == 0


def test_blocks_double_while_requests_come_quickly_up_to_a_limit(database, partner, clock):
    """Row 74: leases never run 1,024 requests ahead."""

    async def run() -> None:
        requests, sizes, before = Requests(database, clock), [], 0
        for taken in range(1, 4097):
            assert (await requests.take(partner, allowed(None))).requests == 1
            ahead = leased(database, partner)
            assert ahead - taken < 1024
            if ahead != before:
                sizes.append(ahead - before)
            before = ahead
        assert sizes[:11] == [2**power for power in range(11)]
        assert set(sizes[11:]) == {sizes[10]}

    asyncio.run(run())


def test_a_crowd_is_admitted_with_one_lease(database, partner, clock, monkeypatch):
    """Requests that arrive together wait for one transaction, not for one another."""
    written, write = [], database.write

    async def counted(work, *args):
        written.append(work)
        return await write(work, *args)

    async def crowd() -> list[int]:
        requests = Requests(database, clock)
        grants = await asyncio.gather(*(requests.take(partner, allowed(None)) for _ in range(300)))
        return [grant.requests for grant in grants]

    monkeypatch.setattr(database, "write", counted)
    assert asyncio.run(crowd()) == [1] * 300
    assert len(written) == 1
    assert leased(database, partner) == 300


def test_a_crowd_beyond_the_allowance_is_admitted_up_to_it(database, partner, clock):
    async def crowd() -> list[int]:
        requests = Requests(database, clock)
        grants = await asyncio.gather(*(requests.take(partner, allowed(100)) for _ in range(50)))
        return [grant.requests for grant in grants]

    assert sum(asyncio.run(crowd())) == leased(database, partner) == 20  # a fifth in a day


@pytest.mark.parametrize(("pause_s", "size"), [(0.999, 2), (1.0, 1)])
def test_after_a_second_without_a_request_they_are_leased_singly(
    database, partner, clock, pause_s, size
):
    """Row 74."""

    async def run() -> None:
        requests = Requests(database, clock)
        await requests.take(partner, allowed(None))
        clock.seconds += pause_s
        await requests.take(partner, allowed(None))

    asyncio.run(run())
    assert leased(database, partner) == 1 + size


@pytest.mark.parametrize(("pause_s", "kept"), [(5.0, 7), (5.001, 4)])
def test_an_idle_lease_is_given_back_after_five_seconds(database, partner, clock, pause_s, kept):
    """Row 74: other processes can then use the rest."""

    async def run() -> None:
        requests = Requests(database, clock)
        for _ in range(4):
            await requests.take(partner, allowed(None))
        clock.seconds += pause_s
        await requests.return_idle()

    asyncio.run(run())
    assert leased(database, partner) == kept


def test_a_request_is_put_back_to_the_minute_it_was_counted_on(database, partner, clock):
    """Rows 65, 73: also after the month has ended."""

    async def run() -> None:
        clock.at = datetime(2026, 2, 28, 23, 59, tzinfo=UTC)
        requests = Requests(database, clock)
        first = await requests.take(partner, allowed(None))
        await requests.take(partner, allowed(None))
        clock.advance(60)
        await requests.take(partner, allowed(None))
        await requests.undo(partner, first)
        await requests.return_idle(all_of_them=True)

    asyncio.run(run())
    with database.reading() as connection:
        months, minutes = counted(connection, partner)
    assert months == {"2026-02": 1, "2026-03": 1}
    assert {at.month: number for at, number in minutes.items()} == {2: 1, 3: 1}


def test_a_request_that_is_put_back_is_the_next_one(database, partner, clock):
    """Row 73: its lease serves it again, without asking the database."""

    async def run() -> None:
        requests = Requests(database, clock)
        grant = await requests.take(partner, allowed(1))
        for _ in range(3):
            await requests.undo(partner, grant)
            with database.writing():  # holds the write lock
                assert await requests.take(partner, allowed(1)) == grant
        assert (await requests.take(partner, allowed(1))).requests == 0

    asyncio.run(run())
    assert leased(database, partner) == 1


def test_of_many_calls_that_wait_for_a_lease_one_fetches_it(database, partner, clock):
    """Row 74: the others are served from it."""

    async def run() -> None:
        requests = Requests(database, clock)
        for _ in range(3):  # the next block is of four
            await requests.take(partner, allowed(None))
        calls = [requests.take(partner, allowed(None)) for _ in range(4)]
        assert all(grant.requests == 1 for grant in await asyncio.gather(*calls))

    asyncio.run(run())
    assert leased(database, partner) == 7


def test_a_refused_request_is_not_put_back(database, partner, clock):
    """Row 73: it was never counted."""

    async def run() -> None:
        requests = Requests(database, clock)
        await requests.undo(partner, await requests.take(partner, allowed(0)))
        await requests.return_idle(all_of_them=True)

    asyncio.run(run())
    assert leased(database, partner) == 0
