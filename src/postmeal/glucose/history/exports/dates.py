"""Numeric dates, whose order of day and month follows from the whole file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from postmeal.errors import InputError

__all__ = ["STAMP", "has_day_first", "shown"]

STAMP = re.compile(
    r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})[\sT]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"\s*(?:([AP])\.?M\.?)?",
    re.IGNORECASE,
)
"""A date and a time of day: ``05-31-2026 08:15 AM``, ``31.05.26 8:15`` or ``2026/05/31 08:15``."""


def has_day_first(stamps: Iterable[tuple[int, re.Match[str]]]) -> bool:
    """Find out from the days above 12 whether the day comes before the month.

    Parameters
    ----------
    stamps : iterable of (int, match of `STAMP`)
        Dates of one file with their lines.

    Returns
    -------
    bool
        Whether 03-04-2026 is the third of April.

    Raises
    ------
    InputError
        No day is above 12, or both orders are found.
    """
    day_first = month_first = 0
    unclear = ""
    for line, stamp in stamps:
        if len(stamp[1]) > 2:
            continue
        day_first = day_first or (line if int(stamp[1]) > 12 else 0)
        month_first = month_first or (line if int(stamp[2]) > 12 else 0)
        unclear = unclear or (stamp[0] if stamp[1] != stamp[2] else "")
    if day_first and month_first:
        problem = f"must be the same in all rows: day first in line {day_first}"
        raise InputError("date order", f"{problem}, month first in line {month_first}")
    if unclear and not (day_first or month_first):
        problem = "must be given as day first or month first: the file has no day above 12"
        raise InputError("day_first", problem, unclear)
    return bool(day_first)


def shown(stamp: re.Match[str], day_first: bool) -> datetime | None:
    """Parse a date and time; return None if it does not exist."""
    one, two, three, hour = (int(stamp[at]) for at in (1, 2, 3, 4))
    year, month, day = (one, two, three) if len(stamp[1]) == 4 else (three, one, two)
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
