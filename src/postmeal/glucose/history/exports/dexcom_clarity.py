"""Dexcom Clarity's CSV.

One header; rows without a time for the patient, each device and its alert settings (whose
thresholds stand in the glucose column and are no readings); then rows of all events sorted by
local time, without an offset. In other languages names and words are translated and the
separator changes, but the columns keep their order, so they are found by position behind the
column of times. ``Transmitter Time`` counts the seconds of one transmitter through a change of the
clocks and tells the two passes of a repeated hour apart, which the file interleaves. A spreadsheet
that saves the file anew may rewrite all times, as ``5/31/26 8:15``.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, tzinfo

from postmeal.errors import InputError
from postmeal.glucose.history.exports.dates import STAMP, has_day_first, shown
from postmeal.glucose.history.exports.export import Export, Found, Reading, unit_of
from postmeal.glucose.history.exports.rows import first_lines, number, rows, separator

__all__ = ["read", "recognizes"]

_TIME_COLUMN = re.compile(r"\(\w{4}-\w{2}-\w{2}T\w{2}:\w{2}:\w{2}\)")
# Columns, counted from that of times.
_EVENT, _DEVICE, _SOURCE, _GLUCOSE, _CARBS, _COUNTER, _TRANSMITTER = 1, 4, 5, 6, 8, 11, 12


def recognizes(text: str) -> bool:
    """Tell whether a text is such a file."""
    return bool(_TIME_COLUMN.search("".join(first_lines(text, 1))))


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> Export:
    """Read the file; see `postmeal.glucose.history.exports.read_export`."""
    found = Found()
    parsed = rows(text, separator(first_lines(text, 1)[0]))
    _, header = next(parsed)
    if header is None:
        raise InputError("file", "must have a header with closed quotes")
    origin = next(at for at, name in enumerate(header) if _TIME_COLUMN.search(name))
    if len(header) <= origin + _GLUCOSE:
        raise InputError("file", "must have a column of glucose after that of times")
    unit = unit_of(header[origin + _GLUCOSE], unit)
    is_english = header[origin + _EVENT] == "Event Type"
    device = source = None
    lines = list(parsed)
    if day_first is None:
        day_first = _has_day_first(lines, origin)
    for line, fields in lines:
        if fields is None:
            found.skip(line, "a quote is not closed")
            continue
        columns = fields[origin:] + [""] * (len(header) + _TRANSMITTER - len(fields))
        time, event, glucose = columns[0], columns[_EVENT], columns[_GLUCOSE]
        if not time:
            device = device or columns[_DEVICE]
            continue
        is_reading = event == "EGV" or bool(not is_english and glucose and columns[_COUNTER])
        carbs = columns[_CARBS] if event == "Carbs" or not is_english else ""
        if not is_reading and not carbs:
            continue
        if len(fields) < len(header) - 1:
            found.skip(line, f"must have {len(header)} fields, got {len(fields)}")
            continue
        time_s = found.wall_s(line, _shown(time, day_first), "local as 2026-05-01T08:00:00", time)
        if time_s is None:
            continue
        if not is_reading:
            found.add_food(line, time_s, carbs)
        elif (glucose_mg_dl := found.glucose_mg_dl(line, glucose, unit)) is not None:
            source = source or columns[_SOURCE]
            counter = number(columns[_COUNTER])
            elapsed_s = math.nan if counter is None else counter
            transmitter = columns[_TRANSMITTER]
            found.readings.append(Reading(time_s, glucose_mg_dl, transmitter, elapsed_s))
    return found.on_wall_clock("Dexcom Clarity", device or source or None, zone)


def _has_day_first(lines: list[tuple[int, list[str] | None]], origin: int) -> bool | None:
    """Find the order of dates that a spreadsheet rewrote; None for times in ISO 8601."""
    times = [(line, fields[origin]) for line, fields in lines if fields and len(fields) > origin]
    if any(_iso(time) for _, time in times):
        return None
    stamps = [(line, stamp) for line, time in times if (stamp := STAMP.fullmatch(time))]
    return has_day_first(stamps) if stamps else None


def _shown(text: str, day_first: bool | None) -> datetime | None:
    if day_first is None:
        return _iso(text)
    stamp = STAMP.fullmatch(text)
    return _iso(text) or (shown(stamp, day_first) if stamp else None)


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
