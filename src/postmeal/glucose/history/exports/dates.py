"""Parse numeric dates, inferring the order of day and month from the whole file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime

from postmeal.errors import InputError

MIN_YEAR, MAX_YEAR = 1971, 2199
"""Years of readable times."""

STAMP = re.compile(
    r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})[\sT]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"\s*(?:([AP])\.?M\.?)?",
    re.IGNORECASE,
)
"""Date and time, such as ``05-31-2026 08:15 AM``, ``31.05.26 8:15`` or ``2026/05/31 08:15``."""

_DATE = re.compile(r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})(?!\d)")
_ORDER_NAMES = {True: "day-month-year", False: "month-day-year"}


def has_day_first(stamps: Iterable[tuple[int, re.Match[str]]]) -> bool:
    """Infer from the valid dates whether the day precedes the month.

    A date that is valid in only one order, such as 31-05-2026, shows the order of the file. Dates
    that are not valid in either order are ignored.
    """
    day_first = month_first = 0
    ambiguous = ""
    for line, stamp in stamps:
        if len(stamp[1]) > 2:
            continue
        times = {order: parse_stamp(stamp, order) for order in (True, False)}
        orders = [order for order, time in times.items() if time and _is_readable(time)]
        if orders == [True]:
            day_first = day_first or line
        elif orders == [False]:
            month_first = month_first or line
        elif orders and times[True] != times[False]:
            ambiguous = ambiguous or stamp[0].strip()
    if day_first and month_first:
        raise InputError(
            "date order",
            f"must be the same in all rows: line {day_first} has the day first, but line"
            f" {month_first} has the month first; export the file again",
        )
    if ambiguous and not (day_first or month_first):
        raise InputError(
            "day_first",
            "is required because the order of day and month is ambiguous in this file",
            ambiguous,
        )
    return bool(day_first)


def _is_readable(time: datetime) -> bool:
    return MIN_YEAR <= time.year <= MAX_YEAR


def missing_date(text: str, day_first: bool | None = None) -> str | None:
    """Return the order of day, month and year in a date that does not exist, such as 31.02.2026."""
    found = _DATE.match(text)
    if found is None:
        return None
    first, second, third = (int(part) for part in found.groups())
    if len(found[1]) == 4:
        return None if _exists(first, second, third) else "year-month-day"
    orders = (True, False) if day_first is None else (day_first,)
    for order in orders:
        day, month = (first, second) if order else (second, first)
        if _exists(third, month, day):
            return None
    return " or ".join(_ORDER_NAMES[order] for order in orders)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return False
    return True


def parse_stamp(stamp: re.Match[str], day_first: bool) -> datetime | None:
    """Return the date and time of a match of `STAMP`, or None if they are not valid."""
    first, second, third, hour = (int(stamp[group]) for group in (1, 2, 3, 4))
    year, month, day = (first, second, third) if len(stamp[1]) == 4 else (third, first, second)
    if day_first and len(stamp[1]) != 4:
        month, day = day, month
    if year < 100:
        year += 2000
    if stamp[7]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if stamp[7].upper() == "P" else 0)
    try:
        return datetime(year, month, day, hour, int(stamp[5]), int(stamp[6] or 0))
    except ValueError:
        return None
