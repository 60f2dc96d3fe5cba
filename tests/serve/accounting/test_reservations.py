"""Reservations: credits and slots that calls in flight hold, on both databases."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update
from stored_people import prepared

from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.process_lease import LIFE as LEASE
from postmeal_serve.accounting.process_lease import end_lease, renew
from postmeal_serve.accounting.reservations import LIFE, credits_left, credits_used, reserve, settle
from postmeal_serve.runtime.clock import SKEW
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import process, reservation, usage

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def test_held_credits_are_not_given_to_another_call(database):
    """Row 62: until the call fails or its reservation expires."""
    with database.writing() as connection:
        first = reserve(connection, NOW, 1, 2, 3, "chat")
        assert reserve(connection, NOW, 1, 2, 3, "chat") == "credits"
        assert credits_left(connection, NOW, 1, 3) == 1
        assert credits_left(connection, NOW, 2, 3) == 3
        assert credits_left(connection, NOW, 1, None) is None
        settle(connection, NOW, first, charged=False)
        assert credits_left(connection, NOW, 1, 3) == 3
        second = reserve(connection, NOW, 1, 2, 3, "chat")
        settle(connection, NOW, second, charged=True)
        assert credits_used(connection, 1, Month.of(NOW)) == 2
        reserve(connection, NOW, 1, 1, 3, "chat")
        assert reserve(connection, NOW, 1, 1, 3, "chat") == "credits"
        assert connection.execute(select(reservation)).one().credits == 1
        assert credits_left(connection, NOW + LIFE, 1, 3) == 1


def test_a_call_belongs_to_the_month_in_which_it_began(database):
    """Row 65: it holds a credit of only that month, and is charged there."""
    last = datetime(2026, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)
    first = last + timedelta(milliseconds=1)
    with database.writing() as connection:
        old = reserve(connection, last, 1, 1, 1, "chat")
        assert reserve(connection, last, 1, 1, 1, "chat") == "credits"
        new = reserve(connection, first, 1, 1, 1, "chat")
        assert reserve(connection, first, 1, 1, 1, "chat") == "credits"
        for held in (old, new):
            settle(connection, first, held, charged=True)
        rows = connection.execute(select(usage.c.month, usage.c.credits)).all()
    assert {row.month: row.credits for row in rows} == {"2026-12": 1, "2027-01": 1}


def test_a_call_that_ends_late_is_charged_up_to_the_limit_of_its_month(database):
    """Row 62."""
    with database.writing() as connection:
        slow = reserve(connection, NOW, 1, 3, 4, "chat")
        later = NOW + LIFE
        settle(connection, later, reserve(connection, later, 1, 2, 4, "chat"), charged=True)
        settle(connection, later, slow, charged=True)
        assert credits_used(connection, 1, Month.of(NOW)) == 4


def test_a_late_call_of_a_spent_month_is_neither_charged_nor_credited(database):
    """Row 62: also if the agreed number has changed since."""
    with database.writing() as connection:
        late = [reserve(connection, NOW, 1, 2, ceiling, "chat") for ceiling in (4, 9, None)]
        later = NOW + LIFE
        for ceiling in (7, 7):
            settle(
                connection, later, reserve(connection, later, 1, 3, ceiling, "chat"), charged=True
            )
        for held, charged in zip(late, (6, 8, 10), strict=True):
            settle(connection, later, held, charged=True)
            assert credits_used(connection, 1, Month.of(NOW)) == charged


def test_a_late_call_is_charged_up_to_the_limit_of_the_month_in_which_it_began(database):
    """Rows 62, 65: credits of the new month do not count."""
    last = datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)
    with database.writing() as connection:
        late = reserve(connection, last, 1, 2, 2, "chat")
        settle(connection, last + LIFE, late, charged=False)
        spent = reserve(connection, last, 1, 2, 2, "chat")
        settle(connection, last, spent, charged=True)
        settle(connection, last + LIFE, late, charged=True)
        assert credits_used(connection, 1, Month.of(last)) == 2
        assert credits_used(connection, 1, Month.of(last + LIFE)) == 0


def test_a_call_is_settled_once(database):
    """Rows 61, 62: a call that ends in time is charged in full, whatever others hold."""
    with database.writing() as connection:
        first, second = (reserve(connection, NOW, 1, 2, 4, "chat") for _ in range(2))
        in_time = NOW + LIFE - timedelta.resolution
        settle(connection, in_time, first, charged=True)
        assert connection.execute(select(reservation.c.id)).scalars().all() == [second.id]
        assert credits_left(connection, in_time, 1, 4) == 0
        settle(connection, in_time, second, charged=False)
        assert credits_left(connection, in_time, 1, 4) == 2
        assert credits_used(connection, 1, Month.of(NOW)) == 2


def test_held_credits_belong_to_the_month_of_their_reservation(database):
    """Row 65: to the microsecond."""
    january = datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC)
    february = january + timedelta.resolution
    with database.writing() as connection:
        for moment, credits in ((january, 2), (february, 3)):
            reserve(connection, moment, 1, credits, 10, "chat")
        left = [
            credits_left(connection, february, 1, 10, Month.of(moment))
            for moment in (january, february)
        ]
        assert left == [8, 7]
        assert credits_left(connection, february, 1, 10) == 7


def test_the_month_of_a_reservation_is_that_of_the_wall_clock(database):
    """Row 65: whatever the steady time; one that an earlier release made is of every month."""
    march = Month.of(datetime(2026, 3, 1, tzinfo=UTC))
    with database.writing() as connection:
        held = reserve(connection, NOW, 1, 2, 10, "chat", None, march)
        assert reserve(connection, NOW, 1, 9, 10, "chat", None, march) == "credits"
        assert credits_left(connection, NOW, 1, 10, march) == 8
        assert credits_left(connection, NOW, 1, 10) == 10
        connection.execute(update(reservation).values(month=None))
        assert credits_left(connection, NOW, 1, 10) == 8
        settle(connection, NOW, held, charged=True)
        assert credits_used(connection, 1, march) == 2


def test_a_reservation_in_the_future_holds_as_far_as_two_machines_may_differ(database):
    """Row 70: a reservation further ahead comes from a wrong clock and does not count."""
    with database.writing() as connection:
        reserve(connection, NOW + SKEW, 1, 1, 9, "chat", 1)
        assert reserve(connection, NOW, 1, 1, 9, "chat", 1) == "slots"
        before = NOW - timedelta.resolution
        assert reserve(connection, before, 1, 1, 9, "chat", 1) != "slots"


def test_used_credits_are_counted_by_partner_and_month(database):
    """Rows 53, 65: they are 0 without any use."""
    with database.writing() as connection:
        settle(connection, NOW, reserve(connection, NOW, 1, 2, 9, "chat"), charged=True)
        month = Month.of(NOW)
        assert credits_used(connection, 1, month) == 2
        assert credits_used(connection, 2, month) == 0
        assert credits_used(connection, 1, Month.of(month.end)) == 0
        row = connection.execute(select(usage)).one()
        assert (row.organization_id, row.month, row.requests, row.credits) == (1, "2026-02", 0, 2)


def test_a_reservation_is_stored_with_all_that_a_call_holds(database):
    """Rows 67, 74: so it can be read after a kill."""
    with database.writing() as connection:
        held = reserve(connection, NOW, 2, 3, 9, "chat")
        assert (held.organization_id, held.credits, held.ceiling) == (2, 3, 9)
        row = connection.execute(select(reservation)).one()
        assert (row.id, row.organization_id, row.endpoint) == (held.id, 2, "chat")
        assert (row.credits, row.expires_at) == (3, NOW + LIFE)


def test_a_slot_is_held_only_by_calls_of_its_endpoint(database):
    """Rows 67, 68, 70: a call whose clock was years ahead holds none."""
    with database.writing() as connection:
        reserve(connection, NOW + timedelta(days=3650), 1, 0, 0, "chat", 1)
        first = reserve(connection, NOW, 1, 0, 0, "chat", 1)
        assert reserve(connection, NOW, 1, 0, 0, "chat", 1) == "slots"
        assert reserve(connection, NOW, 1, 0, 0, "search", 1) not in {"slots", "credits"}
        assert reserve(connection, NOW, 2, 0, 0, "chat", 1) not in {"slots", "credits"}
        settle(connection, NOW, first, charged=True)
        assert reserve(connection, NOW, 1, 0, 0, "chat", 1) != "slots"


def test_spent_credits_are_reported_before_missing_slots(database):
    """Row 57."""
    with database.writing() as connection:
        reserve(connection, NOW, 1, 1, 1, "chat", 1)
        assert reserve(connection, NOW, 1, 1, 1, "chat", 1) == "credits"
        assert reserve(connection, NOW, 1, 1, 2, "chat", 1) == "slots"


def test_the_reservations_of_a_dead_process_end_with_its_lease_and_others_stay(database):
    """Rows 62, 70: and a call that comes late is charged only what is left."""
    with database.writing() as connection:
        for process_id in ("alive", "dead"):
            renew(connection, NOW, process_id)
        lost, _ = (
            reserve(connection, NOW, 1, 2, 4, "chat", 2, process_id=process_id)
            for process_id in ("dead", "alive")
        )
        later = NOW + LEASE
        renew(connection, later - timedelta.resolution, "alive")
        at_last = later - timedelta.resolution
        assert reserve(connection, at_last, 1, 0, None, "chat", 2) == "slots"
        assert credits_left(connection, later, 1, 4) == 2
        late = reserve(connection, later, 1, 2, 4, "chat", 2, process_id="alive")
        settle(connection, later, late, charged=True)
        settle(connection, later, lost, charged=True)
        assert credits_used(connection, 1, Month.of(NOW)) == 2


def test_a_process_that_ends_leaves_no_reservation(database):
    with database.writing() as connection:
        for process_id in ("ended", "alive"):
            renew(connection, NOW, process_id)
            reserve(connection, NOW, 1, 1, 2, "chat", process_id=process_id)
        end_lease(connection, "ended")
        assert connection.execute(select(reservation.c.process_id)).scalars().all() == ["alive"]
        assert connection.execute(select(process.c.id)).scalars().all() == ["alive"]
        assert credits_left(connection, NOW, 1, 2) == 1
