"""Rates: windows of a minute, counted singly or in blocks, and their headers."""

import asyncio
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from api_client import VirtualClock
from sqlalchemy import select
from stored_people import prepared

from postmeal_serve.accounting.rates import Rates, RateStatus, lease_calls
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import rate_window

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
NUMBERS = itertools.count()
TICK = timedelta.resolution


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = prepared(f"sqlite:///{tmp_path_factory.mktemp('rates')}/postmeal.sqlite")
    yield database
    database.close()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


@pytest.fixture
def holder() -> str:
    """A holder without any call."""
    return f"organization {next(NUMBERS)}"


def calls(database: Database, holder: str) -> dict[str, int]:
    mine = select(rate_window).where(rate_window.c.holder == holder)
    with database.reading() as connection:
        return {row.endpoint: row.calls for row in connection.execute(mine)}


def take(rates: Rates, holder: str, limit: int, times: int = 1) -> list[RateStatus]:
    async def run() -> list[RateStatus]:
        return [await rates.take(holder, "search", limit) for _ in range(times)]

    return asyncio.run(run())


def test_a_window_reports_its_limit_its_remaining_calls_and_its_end(database, clock, holder):
    """Rows 50, 75: to the whole second, rounded up."""
    rates = Rates(database, clock)
    (first,) = take(rates, holder, 3)
    assert first == RateStatus(limit=3, left=2, reset_s=60, admitted=True, opened_at=NOW)
    assert first.headers == {
        "ratelimit-policy": '"endpoint";q=3;w=60',
        "ratelimit": '"endpoint";r=2;t=60',
    }
    clock.advance(0.001)
    assert take(rates, holder, 3)[0].reset_s == 60
    clock.advance(59)
    last, over = take(rates, holder, 3, times=2)
    assert (last.left, last.reset_s, last.admitted) == (0, 1, True)
    assert (over.left, over.reset_s, over.admitted) == (0, 1, False)
    clock.advance(0.999)
    assert take(rates, holder, 3)[0] == RateStatus(3, 2, 60, True, clock.now())


def test_endpoints_and_holders_have_windows_of_their_own(database, clock, holder):
    """Row 71."""
    rates, other = Rates(database, clock), f"{holder}, another"

    async def run() -> list[bool]:
        pairs = [(holder, "search"), (holder, "chat"), (other, "search")] * 2
        return [(await rates.take(*pair, 1)).admitted for pair in pairs]

    assert asyncio.run(run()) == [True] * 3 + [False] * 3
    assert calls(database, holder) == {"search": 1, "chat": 1}
    assert calls(database, other) == {"search": 1}


@pytest.mark.parametrize(
    ("limit", "block"), [(1000, 1), (1001, 15), (20_000, 312), (100_000, 1024)]
)
def test_large_limits_are_leased_in_blocks_and_small_ones_singly(
    database, clock, holder, limit, block
):
    """Row 74: a block is at most a 64th of what is left, and 1,024 calls."""
    rates = Rates(database, clock)
    take(rates, holder, limit)
    assert calls(database, holder) == {"search": block}
    take(rates, holder, limit, times=block)
    assert block < calls(database, holder)["search"] <= 2 * block


def test_a_block_is_used_without_asking_the_database(database, clock, holder):
    """Row 50: a spent window refuses without asking, too."""
    rates = Rates(database, clock)
    (first,) = take(rates, holder, 20_000)
    with database.writing():  # holds the write lock
        standings = take(rates, holder, 20_000, times=255)
    assert [each.left for each in standings] == list(range(first.left - 1, first.left - 256, -1))
    small, spent = Rates(database, clock), f"{holder}, spent"
    take(small, spent, 2, times=2)
    with database.writing():
        assert not any(each.admitted for each in take(small, spent, 2, times=5))


def test_remaining_calls_include_those_of_other_processes(database, clock, holder):
    """Row 75: as of the last look-up."""
    here, there = Rates(database, clock), Rates(database, clock)
    lefts = [take(rates, holder, 5)[0].left for rates in (here, there, there, here, there)]
    assert lefts == [4, 3, 2, 1, 0]
    assert not take(here, holder, 5)[0].admitted


def test_a_call_that_is_put_back_is_admitted_again(database, clock, holder):
    """Row 73: once, in its window, under its limit."""
    rates = Rates(database, clock)
    (only,) = take(rates, holder, 1)
    rates.undo(holder, "search", only)
    assert [each.admitted for each in take(rates, holder, 1, times=2)] == [True, False]
    rates.undo(holder, "chat", only)
    rates.undo(f"{holder}, nobody", "search", only)
    assert not take(rates, holder, 1)[0].admitted
    take(rates, holder, 2)
    rates.undo(holder, "search", only)  # its limit has changed
    assert not take(rates, holder, 2)[0].admitted
    clock.advance(60)
    take(rates, holder, 1)
    rates.undo(holder, "search", only)
    assert not take(rates, holder, 1)[0].admitted


def test_a_call_that_is_put_back_while_another_is_counted_is_not_lost(database, clock, holder):
    """Row 73."""
    rates = Rates(database, clock)

    async def run() -> list[bool]:
        first = await rates.take(holder, "search", 3)
        second = asyncio.create_task(rates.take(holder, "search", 3))
        await asyncio.sleep(0)  # it asks the database
        rates.undo(holder, "search", first)
        more = [await rates.take(holder, "search", 3) for _ in range(3)]
        return [(await second).admitted, *(each.admitted for each in more)]

    assert sorted(asyncio.run(run())) == [False, True, True, True]
    assert calls(database, holder) == {"search": 3}


def test_ended_windows_are_forgotten_and_open_ones_are_not(database, clock, holder):
    """Row 74: an open window keeps its leased block."""
    rates = Rates(database, clock)
    take(rates, holder, 20_000)
    clock.advance(59.999)
    rates.forget_old()
    take(rates, holder, 20_000)
    assert calls(database, holder) == {"search": 312}
    clock.advance(0.001)
    rates.forget_old()
    (anew,) = take(rates, holder, 20_000)
    assert anew.opened_at == clock.now()
    assert calls(database, holder) == {"search": 312}


def test_a_window_that_is_being_opened_is_not_forgotten(database, clock, holder):
    """Row 50: calls that wait for it count in it."""
    rates = Rates(database, clock)

    async def run() -> list[bool]:
        waiting = [asyncio.create_task(rates.take(holder, "search", 2)) for _ in range(3)]
        await asyncio.sleep(0)
        rates.forget_old()
        waiting.append(asyncio.create_task(rates.take(holder, "search", 2)))
        return [standing.admitted for standing in await asyncio.gather(*waiting)]

    assert sorted(asyncio.run(run())) == [False, False, True, True]
    assert calls(database, holder) == {"search": 2}


def test_calls_of_a_window_are_counted_once_for_all_processes(database, holder):
    """Row 50: a lease returns the opening time, the granted and the remaining calls."""
    with database.writing() as connection:
        lease = lambda at, limit: lease_calls(connection, at, holder, "search", limit)  # noqa: E731
        assert lease(NOW, 3) == (NOW, 1, 2)
        assert lease(NOW + timedelta(seconds=60) - TICK, 3) == (NOW, 1, 1)
        assert lease(NOW, 2) == (NOW, 0, 0)  # a limit that was lowered is reached
        assert lease(NOW, 1) == (NOW, 0, 0)  # or passed
        assert lease(NOW, 3) == (NOW, 1, 0)
        assert lease(NOW, 3) == (NOW, 0, 0)
        later = NOW + timedelta(seconds=60)
        assert lease(later, 3) == (later, 1, 2)


def test_a_window_that_was_opened_in_the_future_is_moved_to_now(database, holder):
    """Rows 50, 156: with its calls, also by a call that is refused."""
    with database.writing() as connection:
        lease = lambda at: lease_calls(connection, at, holder, "search", 1)  # noqa: E731
        assert lease(NOW) == (NOW, 1, 0)
        before = NOW - timedelta(hours=3)
        assert lease(before) == (before, 0, 0)
        end = before + timedelta(seconds=60)
        assert lease(end - TICK) == (before, 0, 0)
        assert lease(end) == (end, 1, 0)


@pytest.mark.parametrize("limit", [40, 3000])
def test_a_crowd_is_counted_in_one_transaction_and_admitted_up_to_the_limit(
    database, clock, holder, limit, monkeypatch
):
    """Calls that arrive together wait for one transaction, not for one another."""
    written, write = [], database.write

    async def counted(work, *args):
        written.append(work)
        return await write(work, *args)

    async def crowd() -> list[bool]:
        rates = Rates(database, clock)
        standings = await asyncio.gather(*(rates.take(holder, "search", limit) for _ in range(60)))
        return [standing.admitted for standing in standings]

    monkeypatch.setattr(database, "write", counted)
    assert sum(asyncio.run(crowd())) == min(limit, 60)
    assert len(written) == 1
