"""Abbott LibreView's CSV.

A line about the file, then a header, then rows grouped by device and by record type, so that they
ascend in time within a group only. Columns are found by position, for their names are translated;
the unit stands in the names. Record type 0 is a reading of the sensor's memory, 1 a scan, 5 food;
fingersticks (2), ketones (3), insulin (4) and notes (6) are left out. Times are local, without
seconds and offset, with day or month first and with or without AM and PM, as the account is set.
"""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from postmeal.errors import InputError
from postmeal.glucose.exports.export import Export, Found, Reading, unit_of
from postmeal.glucose.exports.text import first_lines, rows, separator

__all__ = ["read", "recognizes"]

_DEVICE, _SERIAL, _TIME, _TYPE, _HISTORIC, _SCAN, _CARBS = 0, 1, 2, 3, 4, 5, 9
_UNIT = re.compile(r"\b(?:mg/dL|mmol/L)", re.IGNORECASE)
_STAMP = re.compile(
    r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})[\sT]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"\s*(?:([AP])\.?M\.?)?",
    re.IGNORECASE,
)
_FORM = "as 05-31-2026 08:15 AM or 31-05-2026 08:15"
_FOOD, _READINGS, _OTHERS = "5", {"0": _HISTORIC, "1": _SCAN}, {"2", "3", "4", "6"}


def recognizes(text: str) -> bool:
    """Tell whether a text is such a file."""
    return any(_is_header(line) for line in first_lines(text, 5))


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> Export:
    """Read the file; see `postmeal.glucose.exports.read_export`."""
    head = next(line for line in first_lines(text, 5) if _is_header(line))
    found, device = Found(), None
    header: list[str] | None = None
    dates: list[tuple[int, re.Match[str]]] = []
    pending: list[tuple[int, re.Match[str], list[str]]] = []
    for line, fields in rows(text, separator(head)):
        if header is None:
            if fields and _names_units(fields):
                header = fields
            elif made := _STAMP.search(" ".join(fields or ())):
                dates.append((line, made))  # the line about the file is dated like its rows
        elif fields is None:
            found.skip(line, "a quote is not closed")
        elif len(fields) < len(header):
            found.skip(line, f"must have {len(header)} fields, got {len(fields)}")
        elif fields[_TYPE] in _OTHERS:
            continue
        elif fields[_TYPE] not in _READINGS and fields[_TYPE] != _FOOD:
            found.skip(line, f"record type must be 0 to 6, got {fields[_TYPE][:20]!r}")
        elif not (stamp := _STAMP.fullmatch(fields[_TIME])):
            found.wall_s(line, None, _FORM, fields[_TIME])
        else:
            device = device or fields[_DEVICE]
            dates.append((line, stamp))
            pending.append((line, stamp, fields))
    if header is None:
        raise InputError("file", "must have a header with closed quotes")
    unit = unit_of(header[_HISTORIC], unit)
    if day_first is None:
        day_first = _day_first(dates)
    for line, stamp, fields in pending:
        time_s = found.wall_s(line, _shown(stamp, day_first), _FORM, stamp[0])
        if time_s is None:
            continue
        if fields[_TYPE] == _FOOD:
            found.add_food(line, time_s, fields[_CARBS] if len(fields) > _CARBS else "")
            continue
        glucose_mg_dl = found.glucose_mg_dl(line, fields[_READINGS[fields[_TYPE]]], unit)
        if glucose_mg_dl is not None:
            run = f"{fields[_SERIAL]} {fields[_TYPE]}"
            found.readings.append(Reading(time_s, glucose_mg_dl, run))
    return found.on_wall_clock("LibreView", device or None, zone)


def _is_header(line: str) -> bool:
    return _names_units(line.split(separator(line)))


def _names_units(fields: list[str]) -> bool:
    return len(fields) > _SCAN and all(_UNIT.search(fields[at]) for at in (_HISTORIC, _SCAN))


def _day_first(stamps: list[tuple[int, re.Match[str]]]) -> bool:
    """Tell by the days above 12 which of the first two numbers is the day.

    Raises
    ------
    InputError
        No day is above 12, or both orders are found.
    """
    day_first = month_first = 0
    for line, stamp in stamps:
        if len(stamp[1]) > 2:
            continue
        day_first = day_first or (line if int(stamp[1]) > 12 else 0)
        month_first = month_first or (line if int(stamp[2]) > 12 else 0)
    if day_first and month_first:
        problem = f"must be the same in all rows: day first in line {day_first}"
        raise InputError("date order", f"{problem}, month first in line {month_first}")
    unclear = [stamp[0] for _, stamp in stamps if len(stamp[1]) <= 2 and stamp[1] != stamp[2]]
    if unclear and not (day_first or month_first):
        problem = "must be given as day first or month first: the file has no day above 12"
        raise InputError("day_first", problem, unclear[0])
    return bool(day_first)


def _shown(stamp: re.Match[str], day_first: bool) -> datetime | None:
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
