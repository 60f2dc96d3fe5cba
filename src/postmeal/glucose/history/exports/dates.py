"""Parse numeric dates, inferring the order of day and month from the whole file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from postmeal.errors import InputError

__all__ = ["STAMP", "has_day_first", "parse_stamp"]

STAMP = re.compile(
    r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})[\sT]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"\s*(?:([AP])\.?M\.?)?",
    re.IGNORECASE,
)
"""Date and time, such as ``05-31-2026 08:15 AM``, ``31.05.26 8:15`` or ``2026/05/31 08:15``."""


def has_day_first(stamps: Iterable[tuple[int, re.Match[str]]]) -> bool:
    """Infer from days above 12 whether the day precedes the month.

    Parameters
    ----------
    stamps : iterable of (int, match of `STAMP`)
        Line numbers and dates of a file.

    Returns
    -------
    bool
        Whether 03-04-2026 means April 3.

    Raises
    ------
    InputError
        No date shows the order of day and month, or both orders occur.
    """
    day_first = month_first = 0
    ambiguous = ""
    for line, stamp in stamps:
        if len(stamp[1]) > 2:
            continue
        day_first = day_first or (line if int(stamp[1]) > 12 else 0)
        month_first = month_first or (line if int(stamp[2]) > 12 else 0)
        ambiguous = ambiguous or (stamp[0] if stamp[1] != stamp[2] else "")
    if day_first and month_first:
        problem = f"must be the same in all rows: line {day_first} has the day first"
        raise InputError(
            "date order",
            f"{problem}, but line {month_first} has the month first; export the file again",
        )
    if ambiguous and not (day_first or month_first):
        problem = "is required because the order of day and month is ambiguous in this file"
        raise InputError("day_first", problem, ambiguous)
    return bool(day_first)


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
