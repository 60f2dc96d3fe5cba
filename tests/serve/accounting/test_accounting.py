"""Accounting: months, leased requests and windows of rates, on both databases."""

import asyncio
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, text
from stored_people import SetClock, prepared

from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.rates import Rates, lease_calls
from postmeal_serve.accounting.requests import LARGEST_BLOCK, Requests, lease_requests
from postmeal_serve.partners.plans import ENDPOINT_IN_FLIGHT, PLANS, Agreement, Allowances, Plan
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import burst, rate_window, usage

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
UNLIMITED = Allowances.of("unlimited", Plan(), Agreement())


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def allowed(requests: int) -> Allowances:
    return Allowances.of("plan", Plan(monthly_requests=requests), Agreement())


def requests_in(database: Database, organization_id: int = 1) -> tuple[int, int]:
    """Requests of all months, and of all minutes of the last day."""
    with database.reading() as connection:
        months = connection.execute(
            select(usage.c.requests).where(usage.c.organization_id == organization_id)
        )
        minutes = connection.execute(
            select(burst.c.requests).where(burst.c.organization_id == organization_id)
        )
        return sum(months.scalars()), sum(minutes.scalars())


@pytest.mark.parametrize("year", [2026, 2027, 2028, 2100])
def test_every_moment_is_of_one_month(year):
    """Row 65: of the one whose first moment it is at or after."""
    for number in range(1, 13):
        month = Month.of(datetime(year, number, 15, tzinfo=UTC))
        assert Month.of(month.start) == month
        assert Month.of(month.end - timedelta.resolution) == month
        following = Month.of(month.end)
        assert following.start == month.end
        assert following != month
        assert (month.first_day.day, month.first_day.month) == (1, number)
        assert month.last_day + timedelta(days=1) == following.first_day
        assert month.resets_at == f"{following.name}-01T00:00:00.000Z"


def test_an_agreement_lies_over_its_plan_number_by_number():
    """Row 56."""
    plan = Plan(monthly_requests=10, monthly_credits=5, per_minute=3, in_flight={"chat": 5})
    agreed = Agreement(monthly_credits=0, rates={"search": 9}, in_flight={"read": 2})
    has = Allowances.of("free", plan, agreed)
    assert (has.monthly_requests, has.monthly_credits, has.plan_named) == (10, 0, True)
    assert [has.rate(name) for name in ("search", "chat", "read_credits")] == [9, 3, 60]
    assert has.in_flight == {**ENDPOINT_IN_FLIGHT, "chat": 5, "read": 2}
    uncapped = Allowances.of("free", plan, Agreement(uncapped=True, monthly_credits=7))
    assert (uncapped.monthly_requests, uncapped.monthly_credits) == (None, None)
    assert not Allowances.of("enterprise", PLANS["enterprise"], Agreement()).plan_named


def test_what_is_leased_is_counted_and_what_is_left_is_given_back(database, clock):
    """Row 74: in blocks that grow while requests come quickly."""

    async def run() -> None:
        requests = Requests(database, clock)
        for _ in range(100):
            assert (await requests.take(1, UNLIMITED)).requests == 1
        month, day = requests_in(database)
        assert month == day
        assert 100 <= month <= 100 + LARGEST_BLOCK
        await requests.return_idle()
        assert requests_in(database) == (month, day)  # it is not idle yet
        clock.forward(seconds=5.1)
        await requests.return_idle()
        assert requests_in(database) == (100, 100)
        await requests.take(1, UNLIMITED)
        assert requests_in(database) == (101, 101)  # after a pause, one by one again
        await requests.take(2, UNLIMITED)
        await requests.return_idle(all_of_them=True)
        assert (requests_in(database), requests_in(database, 2)) == ((101, 101), (1, 1))

    asyncio.run(run())


@pytest.mark.parametrize("ceiling", [1, 7, 60])
def test_an_allowance_is_used_to_the_last_request_and_not_beyond(database, clock, ceiling):
    """Rows 51, 52: by three processes that take turns."""

    async def run() -> None:
        workers = [Requests(database, clock) for _ in range(3)]
        draw, taken = random.Random(1), 0
        while taken < ceiling:
            worker = draw.choice(workers)
            grant = await worker.take(1, allowed(ceiling))
            taken += grant.requests
            assert requests_in(database)[0] <= ceiling
            if grant.retry_after_s is not None:
                clock.forward(days=1, minutes=1)
                if clock.at.month != NOW.month:
                    return
            elif not grant.requests:
                for each in workers:
                    await each.return_idle(all_of_them=True)
        for worker in workers:
            await worker.return_idle(all_of_them=True)
            grant = await worker.take(1, allowed(ceiling))
            assert (grant.requests, grant.retry_after_s) == (0, None)
        assert requests_in(database)[0] == ceiling

    asyncio.run(run())


def test_the_share_of_a_day_is_used_to_the_last_request(database, clock):
    """Row 51: also in blocks, which become smaller towards its end."""

    async def run() -> int:
        workers, taken = [Requests(database, clock) for _ in range(3)], 0
        draw, full = random.Random(2), 0
        while full < 2:
            grant = await draw.choice(workers).take(1, allowed(3000))
            taken += grant.requests
            if not grant.requests:
                full += 1
                for each in workers:
                    await each.return_idle(all_of_them=True)
            assert requests_in(database)[1] <= 600
        return taken

    assert 600 - 3 <= asyncio.run(run()) <= 600


def test_a_request_is_put_back_wherever_it_came_from(database, clock):
    """Row 73: also when the lease it was taken of has ended since."""

    async def run() -> None:
        requests = Requests(database, clock)
        first = await requests.take(1, UNLIMITED)
        await requests.undo(1, first)
        assert await requests.take(1, UNLIMITED) == first
        assert requests_in(database) == (1, 1)
        clock.forward(minutes=1)
        second = await requests.take(1, UNLIMITED)
        await requests.undo(1, first)
        await requests.undo(1, second)
        await requests.return_idle(all_of_them=True)
        assert requests_in(database) == (0, 0)
        await requests.undo(1, await requests.take(1, UNLIMITED))
        refused = await requests.take(2, allowed(0))
        assert (refused.requests, refused.retry_after_s) == (0, None)
        await requests.take(2, UNLIMITED)
        await requests.undo(2, refused)  # there is nothing to put back
        await requests.return_idle(all_of_them=True)
        assert requests_in(database, 2) == (1, 1)
        await requests.return_idle(all_of_them=True)
        assert requests_in(database) == (0, 0)

    asyncio.run(run())


def test_requests_that_are_put_back_at_the_same_moment_are_not_lost(database, clock):
    """Row 73: while another lease is fetched."""

    async def one(requests: Requests, refused: bool) -> int:
        grant = await requests.take(1, UNLIMITED)
        if refused:
            await asyncio.sleep(random.uniform(0, 0.01))
            await requests.undo(1, grant)
        return not refused

    async def run() -> None:
        workers = [Requests(database, clock) for _ in range(2)]
        kept = 0
        for round_ in range(6):
            calls = (one(workers[n % 2], n % 3 == 0) for n in range(40))
            kept += sum(await asyncio.gather(*calls))
            clock.forward(seconds=37 * (round_ % 2))
        for worker in workers:
            await worker.return_idle(all_of_them=True)
        assert requests_in(database) == (kept, kept)

    asyncio.run(run())


def test_a_lease_of_the_old_month_is_not_used_in_the_new_one(database, clock):
    """Row 65: what is left of it goes back to its own month."""

    async def run() -> None:
        clock.at = datetime(2026, 2, 28, 23, 59, 59, 999000, tzinfo=UTC)
        requests = Requests(database, clock)
        for _ in range(5):
            await requests.take(1, UNLIMITED)
        clock.forward(milliseconds=1)
        await requests.take(1, UNLIMITED)
        await requests.return_idle(all_of_them=True)

    asyncio.run(run())
    with database.reading() as connection:
        rows = connection.execute(select(usage.c.month, usage.c.requests)).all()
    assert {row.month: row.requests for row in rows} == {"2026-02": 5, "2026-03": 1}


def test_a_retry_after_is_never_longer_than_a_day(database, clock):
    """Row 51: also where another machine's clock is a little ahead."""
    with database.writing() as connection:
        assert lease_requests(connection, NOW, 1, allowed(5), 1).requests == 1
        before = NOW - timedelta(microseconds=1)
        assert lease_requests(connection, before, 1, allowed(5), 1).retry_after_s == 86400


@pytest.mark.parametrize("ahead", [timedelta(seconds=1), timedelta(hours=3), timedelta(days=400)])
def test_a_window_that_was_opened_in_the_future_ends_within_a_minute(database, clock, ahead):
    """Row 50: as an earlier release may have left it; its calls count until then."""

    async def run() -> None:
        await Rates(database, SetClock(NOW + ahead)).take("partner", "search", 1)
        wait_s = []
        for seconds in (0, 59):
            clock.forward(seconds=seconds)
            standing = await Rates(database, clock).take("partner", "search", 1)
            assert not standing.admitted
            wait_s.append(standing.reset_s)
        assert wait_s == [60, 1]
        clock.forward(seconds=1)
        assert (await Rates(database, clock).take("partner", "search", 1)).admitted

    asyncio.run(run())


@pytest.mark.parametrize("limit", [1, 5, 40, 3000])
def test_a_window_admits_its_calls_and_no_more(database, clock, limit):
    """Row 50: of two processes, of which each leases blocks of large limits."""

    async def run() -> None:
        workers = [Rates(database, clock) for _ in range(2)]
        for _ in range(2):
            admitted = 0
            for number in range(limit + 60):
                worker = workers[number * 7 % 5 % 2]
                standing = await worker.take("partner", "search", limit)
                admitted += standing.admitted
                assert standing.limit == limit
                assert 0 <= standing.left < limit
                assert standing.reset_s == 60
            assert admitted == limit
            clock.forward(seconds=60)

    asyncio.run(run())


def test_a_call_that_is_put_back_belongs_to_its_own_window(database, clock):
    """Row 73: it opens the next one no further."""

    async def run() -> None:
        rates = Rates(database, clock)
        first = await rates.take("partner", "search", 2)
        rates.undo("partner", "search", first)
        assert [(await rates.take("partner", "search", 2)).left for _ in range(2)] == [1, 0]
        clock.forward(seconds=60)
        for _ in range(2):
            assert (await rates.take("partner", "search", 2)).admitted
        rates.undo("partner", "search", first)
        assert not (await rates.take("partner", "search", 2)).admitted
        clock.forward(seconds=60)
        rates.forget_old()
        rates.undo("partner", "search", first)
        assert (await rates.take("partner", "search", 2)).left == 1

    asyncio.run(run())


def test_a_limit_that_is_changed_holds_in_the_window_that_is_open(database, clock):
    """Row 50: a higher one admits more at once, a lower one nothing more."""

    async def run() -> None:
        rates = Rates(database, clock)
        for limit, admitted in ((2, True), (2, True), (2, False), (3, True), (2, False)):
            assert (await rates.take("partner", "search", limit)).admitted is admitted
        assert (await rates.take("partner", "search", 5000)).admitted
        assert not (await rates.take("partner", "search", 3)).admitted

    asyncio.run(run())


def test_a_window_is_open_for_a_minute_from_its_first_call(database):
    """Rows 50, 156: the clock of another process decides nothing."""
    with database.writing() as connection:
        take = lambda at: lease_calls(connection, at, "partner", "search", 2)  # noqa: E731
        assert take(NOW) == (NOW, 1, 1)
        behind = NOW - timedelta(seconds=5)
        assert take(behind) == (behind, 1, 0)  # another machine's time, which counts from now on
        last = behind + timedelta(seconds=60) - timedelta.resolution
        assert take(last) == (behind, 0, 0)
        assert take(behind + timedelta(seconds=60))[1:] == (1, 1)
        assert len(connection.execute(select(rate_window)).all()) == 1


def test_no_counter_ever_goes_below_zero(database, clock):
    """Row 73: whatever is taken, put back and given back."""

    async def run() -> None:
        draw, requests = random.Random(5), Requests(database, clock)
        for _ in range(150):
            grant = await requests.take(1, allowed(4000))
            if grant.requests and draw.random() < 0.5:
                await requests.undo(1, grant)
            if draw.random() < 0.2:
                clock.forward(seconds=draw.uniform(0, 90))
            if draw.random() < 0.2:
                clock.forward(seconds=draw.uniform(0, 9))
                await requests.return_idle()

    asyncio.run(run())
    with database.reading() as connection:
        for table in ("usage", "burst"):
            lowest = connection.execute(text(f"SELECT min(requests) FROM {table}")).scalar_one()
            assert lowest >= 0
