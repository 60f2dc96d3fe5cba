"""Numeric dates: their order is that of the whole file, their parts are those of a calendar."""

from datetime import datetime

import pytest

from postmeal.errors import InputError
from postmeal.glucose.history.exports.dates import (
    STAMP,
    has_day_first,
    missing_date,
    parse_stamp,
)


def stamp(text: str):
    found = STAMP.fullmatch(text)
    assert found is not None
    return found


def order(*texts: str) -> bool:
    return has_day_first((line, stamp(text)) for line, text in enumerate(texts, start=1))


def test_a_day_above_twelve_shows_the_order():
    assert order("12-12-2026 8:00", "13-04-2026 8:00", "03-04-2026 8:00")
    assert not order("12-12-2026 8:00", "04-13-2026 8:00", "03-04-2026 8:00")


def test_dates_that_are_the_same_in_both_orders_need_no_order():
    assert not order("05-05-2026 5:00", "12-12-2026 7:00")


def test_dates_with_the_year_first_have_one_order_alone():
    assert not order("2026-04-03 8:00")
    assert not order("2026-04-13 8:00", "05-05-2026 8:00")


def test_an_order_that_no_date_shows_is_asked_for_with_the_first_such_date():
    with pytest.raises(InputError) as refusal:
        order("05-05-2026 8:00", "03-04-2026 8:00", "04-03-2026 8:00")
    problem = "is required because the order of day and month is ambiguous in this file"
    assert str(refusal.value) == f"day_first {problem}, got '03-04-2026 8:00'"


def test_two_orders_in_one_file_are_refused_with_their_first_lines():
    texts = ("01-02-2026 8:00", "13-04-2026 8:00", "14-04-2026 8:00", "04-13-2026 8:00")
    with pytest.raises(InputError) as refusal:
        order(*texts, "04-14-2026 8:00")
    assert str(refusal.value) == (
        "date order must be the same in all rows: line 2 has the day first, but line 4 has the "
        "month first; export the file again"
    )


@pytest.mark.parametrize(
    "invalid",
    [
        "31-02-2026 8:00",
        "31-31-2026 8:00",
        "13-04-2026 13:30 PM",
        "13-04-2026 0:30 AM",
        "13-04-2026 24:00",
        "13-04-1970 8:00",
    ],
)
def test_a_date_that_is_valid_in_no_order_does_not_decide(invalid):
    assert not order("04-13-2026 8:00", invalid)
    with pytest.raises(InputError, match="ambiguous"):
        order(invalid, "03-04-2026 8:00")


@pytest.mark.parametrize(
    ("text", "day_first", "missing"),
    [
        ("31-02-2026 08:15 AM", True, "day-month-year"),
        ("13/31/2026, 8:15:00 AM", False, "month-day-year"),
        ("31.02.26 8:15", None, "day-month-year or month-day-year"),
        ("2026-02-29T08:15:00", None, "year-month-day"),
        ("2026-13-01 08:15", True, "year-month-day"),
        ("02-31-2026 8:15", False, "month-day-year"),
        ("04-31-2026 8:15", None, "day-month-year or month-day-year"),
        ("29-02-2028 8:15", True, None),
        ("05-13-2026 8:15", None, None),
        ("05-13-2026 99:99", False, None),
        ("yesterday", True, None),
    ],
)
def test_a_date_that_no_calendar_contains_is_missing(text, day_first, missing):
    assert missing_date(text, day_first) == missing


@pytest.mark.parametrize(
    ("text", "day_first", "time"),
    [
        ("31.05.26 8:15", True, datetime(2026, 5, 31, 8, 15)),
        ("05/31/2026T08:15:30", False, datetime(2026, 5, 31, 8, 15, 30)),
        ("2026/05/03 08.15.30", True, datetime(2026, 5, 3, 8, 15, 30)),
        ("5-3-2026 12:00 am", False, datetime(2026, 5, 3, 0, 0)),
        ("5-3-2026 12:00 p.m.", False, datetime(2026, 5, 3, 12, 0)),
        ("5-3-2026 1:59PM", False, datetime(2026, 5, 3, 13, 59)),
        ("5-3-2026 1:59 A.M.", False, datetime(2026, 5, 3, 1, 59)),
        ("5-3-99 23:59", False, datetime(2099, 5, 3, 23, 59)),
        ("5-3-100 0:00", False, datetime(100, 5, 3)),
        ("5-3-2026 0:30 AM", False, None),
        ("5-3-2026 13:30 PM", False, None),
        ("31-4-2026 8:00", True, None),
        ("5-3-2026 24:00", False, None),
        ("5-3-2026 8:60", False, None),
    ],
)
def test_a_date_is_read_or_is_none(text, day_first, time):
    assert parse_stamp(stamp(text), day_first) == time
