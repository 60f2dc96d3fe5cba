"""Steady time, which every process of an installation shares, and jumps of the wall clock."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from api_client import PREDICT, Api, VirtualClock
from clock_jumps import HOUR, JUMPS, SECOND, TRIED, jumps, started
from sqlalchemy import select, update
from stored_people import NOW, prepared

from postmeal_serve.admin.session import open_session
from postmeal_serve.resources.idempotency import Claim, claim
from postmeal_serve.resources.retention import delete_expired
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.clock_synchronization import join, synchronize
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import steady_time, usage


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


@pytest.mark.parametrize("jump", JUMPS)
def test_wall_time_follows_a_jump_and_steady_time_does_not(caplog, jump):
    """R13: and the jump is one line of the log."""
    clock = VirtualClock(NOW)
    before = clock.steady()
    clock.now()
    clock.at += jump
    for seconds in (1, 1, 60):
        clock.advance(seconds)
        clock.now()
    assert clock.now() == NOW + jump + timedelta(seconds=62)
    assert clock.steady() == before + timedelta(seconds=62)
    assert jumps(caplog) == [f"system clock jumped by {jump.total_seconds():+.1f} s"]
    clock.at -= jump
    clock.now()
    assert len(jumps(caplog)) == 2


def test_a_clock_that_is_adjusted_slowly_does_not_jump(caplog):
    clock = VirtualClock(NOW)
    for _ in range(10):
        clock.advance(60)
        clock.at += SECOND / 10
        clock.now()
    assert jumps(caplog) == []


def test_a_process_that_was_paused_while_it_read_the_clock_reports_no_jump(caplog):
    class Paused(VirtualClock):
        def wall(self) -> datetime:
            self.seconds += 5  # between the two readings
            return self.at

    clock = Paused(NOW)
    for _ in range(3):
        clock.now()
    assert jumps(caplog) == []
    assert clock.wall_zero_at == NOW - timedelta(seconds=clock.seconds)


def test_the_real_clock_counts_the_seconds_since_the_boot():
    clock, other = Clock(), Clock()
    assert clock.boot == other.boot or len(clock.boot) == len(other.boot)
    first = clock.monotonic_s()
    assert 0 < first <= clock.monotonic_s()
    assert abs(datetime.now(UTC) - clock.now()) < HOUR


@pytest.mark.parametrize("jump", TRIED)
def test_processes_of_one_machine_agree_exactly_whenever_they_start(database, jump):
    """R13: also after a jump, without a tick in between."""
    first = started(database, VirtualClock(NOW))
    first.advance(1000)
    first.at += jump
    later = started(database, first.restarted())
    assert later.steady() == first.steady() == NOW + timedelta(seconds=1000)
    assert later.now() == NOW + jump + timedelta(seconds=1000)


def test_a_process_that_starts_after_a_jump_logs_it(database, caplog):
    clock = started(database, VirtualClock(NOW))
    clock.at += 3 * HOUR
    started(database, clock.restarted()).now()
    assert jumps(caplog) == ["system clock jumped by +10800.0 s"]


def test_a_process_that_starts_writes_only_for_the_first_of_a_boot(database):
    clock = started(database, VirtualClock(NOW))
    with database.reading() as connection:
        before = connection.execute(select(steady_time)).all()
    clock.advance(10)
    started(database, clock.restarted())
    with database.reading() as connection:
        assert connection.execute(select(steady_time)).all() == before


def test_after_a_boot_steady_time_continues_from_the_latest_record(database):
    """R13: it never runs backwards; on SQLite the time without a process is measured by wall."""
    clock = started(database, VirtualClock(NOW))
    clock.advance(100)
    with database.writing() as connection:
        synchronize(connection, clock)
    rebooted = started(database, VirtualClock(clock.at - 3 * HOUR))
    assert NOW + 100 * SECOND <= rebooted.steady() < NOW + 160 * SECOND
    rebooted.advance(1)
    with database.writing() as connection:
        synchronize(connection, rebooted)
    again = started(database, VirtualClock(rebooted.at + 2 * HOUR))
    passed = again.steady() - rebooted.steady()
    assert passed == 2 * HOUR if database.is_sqlite else timedelta(0) <= passed < 60 * SECOND


def test_a_machine_that_is_behind_is_moved_ahead_and_none_is_moved_back(database):
    """Processes on several machines; the one that is ahead keeps its time."""
    here, there = started(database, VirtualClock(NOW)), VirtualClock(NOW)
    here.advance(50)
    started(database, there)
    for clock in (here, there, here):
        with database.writing() as connection:
            synchronize(connection, clock)
    assert here.steady() == NOW + 50 * SECOND
    assert here.steady() <= there.steady() < here.steady() + 60 * SECOND


def test_a_boot_whose_seconds_begin_anew_does_not_turn_the_time_back(database):
    """As after a restored snapshot of a machine."""
    clock = started(database, VirtualClock(NOW))
    clock.advance(500)
    with database.writing() as connection:
        synchronize(connection, clock)
    anew = clock.restarted()
    anew.seconds = 0.0
    assert started(database, anew).steady() == NOW + 500 * SECOND


def test_the_job_records_the_time_and_forgets_old_boots(database):
    started(database, VirtualClock(NOW))
    clock = started(database, VirtualClock(NOW))
    clock.advance(24 * 3600 + 60)
    asyncio.run(delete_expired(database, clock, HOUR))
    with database.reading() as connection:
        rows = connection.execute(select(steady_time).order_by(steady_time.c.seen_at)).all()
    assert [row.boot for row in rows] == [clock.boot]
    assert rows[0].seen_at == clock.steady()


def test_a_command_of_administration_shares_the_time_of_the_service(tmp_path, monkeypatch):
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path))
    with open_session() as office:
        clock = Clock()
        join(office.database, clock)
        assert timedelta(0) <= clock.steady() - office.steady < HOUR
        with office.database.writing() as connection:
            ahead = office.steady + 4 * HOUR - timedelta(seconds=clock.monotonic_s())
            connection.execute(update(steady_time).values(zero_at=ahead))
    with open_session() as office:
        assert office.steady - clock.steady() > 3 * HOUR


@pytest.mark.parametrize("jump", TRIED)
@pytest.mark.parametrize("restarts", [False, True])
def test_a_claim_of_a_key_ends_after_30_elapsed_seconds(database, jump, restarts):
    """R13: not before, and not hours later."""
    clock = started(database, VirtualClock(NOW))

    def taken() -> bool:
        with database.writing() as connection:
            return isinstance(claim(connection, 1, "u", "k", b"", clock.steady()), Claim)

    assert taken()
    clock.at += jump
    if restarts:
        clock = started(database, clock.restarted())
    clock.advance(29.999)
    with pytest.raises(Exception, match="is still in progress"):
        taken()
    clock.advance(0.001)
    assert taken()


def test_a_claim_in_the_future_does_not_hold(database):
    """An earlier release followed a clock that was ahead."""
    with database.writing() as connection:
        assert isinstance(claim(connection, 1, "u", "k", b"", NOW + 3 * HOUR), Claim)
        assert isinstance(claim(connection, 1, "u", "k", b"", NOW), Claim)


@pytest.mark.parametrize(
    ("begun", "jump", "other"),
    [
        (datetime(2026, 2, 28, 22, tzinfo=UTC), 25 * HOUR, "2026-03"),
        (datetime(2026, 2, 1, 1, tzinfo=UTC), -25 * HOUR, "2026-01"),
    ],
)
def test_a_month_is_that_of_the_clock_as_it_is_now(tmp_path, begun, jump, other):
    """Rows 55, 65: after a jump, and after its correction."""
    clock = VirtualClock(begun)
    with Api(tmp_path, clock, credit_costs={"predict_glucose": 1}) as api:
        partner = api.partner("months", monthly_credits=1)
        for shift in (timedelta(0), jump, -jump):
            clock.at += shift
            headers = partner.headers(PREDICT)
            answers = [
                api.client.post(PREDICT, json=api.body(), headers=headers).status_code
                for _ in range(2)
            ]
            assert answers == ([429, 429] if shift == -jump else [200, 429])
        with api.service.database.reading() as connection:
            rows = connection.execute(select(usage.c.month, usage.c.credits)).all()
    assert {row.month: row.credits for row in rows} == {"2026-02": 1, other: 1}


@pytest.mark.parametrize("jump", TRIED)
def test_a_service_logs_a_jump_once_while_nobody_calls_it(tmp_path, caplog, jump):
    clock = VirtualClock()
    with Api(tmp_path, clock) as api:
        api.client.portal.call(api.service._do_upkeep)
        clock.at += jump
        for _ in range(3):
            api.client.portal.call(api.service._do_upkeep)
            clock.advance(2)
    assert len(jumps(caplog)) == 1
