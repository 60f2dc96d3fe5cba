"""Abbott LibreView's CSV.

A line about the file, then a header, then rows grouped by device and by record type, so that they
ascend in time within a group only. Columns are found by position, for their names are translated;
the unit stands in the names. Record type 0 is a reading of the sensor's memory, 1 a scan, 5 food;
fingersticks (2), ketones (3), insulin (4) and notes (6) are left out. Times are local, without
seconds and offset, with day or month first and with or without AM and PM, as the account is set.
"""

from __future__ import annotations

import re
from datetime import tzinfo

from postmeal.errors import InputError
from postmeal.glucose.history.exports.dates import STAMP, has_day_first, shown
from postmeal.glucose.history.exports.export import Export, Found, Reading, unit_of
from postmeal.glucose.history.exports.rows import first_lines, rows, separator

__all__ = ["read", "recognizes"]

_DEVICE, _SERIAL, _TIME, _TYPE, _HISTORIC, _SCAN, _CARBS = 0, 1, 2, 3, 4, 5, 9
_UNIT = re.compile(r"\b(?:mg/dL|mmol/L)", re.IGNORECASE)
_FORM = "as 05-31-2026 08:15 AM or 31-05-2026 08:15"
_FOOD, _READINGS, _OTHERS = "5", {"0": _HISTORIC, "1": _SCAN}, {"2", "3", "4", "6"}


def recognizes(text: str) -> bool:
    """Tell whether a text is such a file."""
    return any(_is_header(line) for line in first_lines(text, 5))


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> Export:
    """Read the file; see `postmeal.glucose.history.exports.read_export`."""
    head = next(line for line in first_lines(text, 5) if _is_header(line))
    found, device = Found(), None
    header: list[str] | None = None
    dates: list[tuple[int, re.Match[str]]] = []
    pending: list[tuple[int, re.Match[str], list[str]]] = []
    for line, fields in rows(text, separator(head)):
        if header is None:
            if fields and _names_units(fields):
                header = fields
            elif made := STAMP.search(" ".join(fields or ())):
                dates.append((line, made))  # the line about the file is dated like its rows
        elif fields is None:
            found.skip(line, "a quote is not closed")
        elif len(fields) < len(header):
            found.skip(line, f"must have {len(header)} fields, got {len(fields)}")
        elif fields[_TYPE] in _OTHERS:
            continue
        elif fields[_TYPE] not in _READINGS and fields[_TYPE] != _FOOD:
            found.skip(line, f"record type must be 0 to 6, got {fields[_TYPE][:20]!r}")
        elif not (stamp := STAMP.fullmatch(fields[_TIME])):
            found.wall_s(line, None, _FORM, fields[_TIME])
        else:
            device = device or fields[_DEVICE]
            dates.append((line, stamp))
            pending.append((line, stamp, fields))
    if header is None:
        raise InputError("file", "must have a header with closed quotes")
    unit = unit_of(header[_HISTORIC], unit)
    if day_first is None:
        day_first = has_day_first(dates)
    for line, stamp, fields in pending:
        time_s = found.wall_s(line, shown(stamp, day_first), _FORM, stamp[0])
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
