"""Reservations: credits and places that calls in flight hold, on both databases."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from stored import prepared

from serve.accounting.month import Month
from serve.accounting.reservations import LIFE, credits_left, credits_used, reserve, settle
from serve.storage.database import Database
from serve.storage.tables import reservation, usage

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def test_credits_that_are_held_are_not_given_to_another(database):
    """Row 62: until the call has failed, or its time is over."""
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


def test_a_call_is_of_the_month_in_which_it_began(database):
    """Row 65: it holds a credit of that month alone, and is charged there."""
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


def test_a_call_that_ends_late_is_charged_as_far_as_its_month_reaches(database):
    """Row 62."""
    with database.writing() as connection:
        slow = reserve(connection, NOW, 1, 3, 4, "chat")
        later = NOW + LIFE
        settle(connection, later, reserve(connection, later, 1, 2, 4, "chat"), charged=True)
        settle(connection, later, slow, charged=True)
        assert credits_used(connection, 1, Month.of(NOW)) == 4


def test_a_place_is_held_by_calls_of_its_endpoint_alone(database):
    """Rows 67, 68, 70: and by none whose clock was years ahead."""
    with database.writing() as connection:
        reserve(connection, NOW + timedelta(days=3650), 1, 0, 0, "chat", 1)
        first = reserve(connection, NOW, 1, 0, 0, "chat", 1)
        assert reserve(connection, NOW, 1, 0, 0, "chat", 1) == "slots"
        assert reserve(connection, NOW, 1, 0, 0, "search", 1) not in {"slots", "credits"}
        assert reserve(connection, NOW, 2, 0, 0, "chat", 1) not in {"slots", "credits"}
        settle(connection, NOW, first, charged=True)
        assert reserve(connection, NOW, 1, 0, 0, "chat", 1) != "slots"


def test_spent_credits_are_told_before_missing_places(database):
    """Row 57."""
    with database.writing() as connection:
        reserve(connection, NOW, 1, 1, 1, "chat", 1)
        assert reserve(connection, NOW, 1, 1, 1, "chat", 1) == "credits"
        assert reserve(connection, NOW, 1, 1, 2, "chat", 1) == "slots"
