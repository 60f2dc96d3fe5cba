"""Reader for CSV exports of Dexcom Clarity.

The header is followed by rows without a time, which describe the patient, the devices and their
alert settings; the thresholds of alerts are in the glucose column. The other rows are events,
sorted by local time without an offset. Column names, words and separators depend on the language,
but the order of the columns does not. Columns are therefore identified by their position relative
to the time column. When clocks are set back, the file interleaves the two passes of the repeated
hour; ``Transmitter Time``, a counter of elapsed seconds, distinguishes them.
Spreadsheet applications may rewrite times as ``5/31/26 8:15``.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, tzinfo

from postmeal.errors import InputError
from postmeal.glucose.history.exports.dates import STAMP, has_day_first, parse_stamp
from postmeal.glucose.history.exports.export import ExportBuilder, unit_of
from postmeal.glucose.history.exports.rows import first_lines, number, rows, separator

_TIME_COLUMN = re.compile(r"\(\w{4}-\w{2}-\w{2}T\w{2}:\w{2}:\w{2}\)")
_FORM = "a local time such as 2026-05-01T08:00:00"
# Column positions relative to the time column.
_EVENT, _DEVICE, _SOURCE, _GLUCOSE, _CARBS, _COUNTER, _TRANSMITTER = 1, 4, 5, 6, 8, 11, 12


def recognizes(text: str) -> bool:
    """Return whether a text is a CSV export of Dexcom Clarity."""
    return bool(_TIME_COLUMN.search("".join(first_lines(text, 1))))


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> ExportBuilder:
    """Parse the text of a file; see `postmeal.glucose.history.exports.read_export`."""
    builder = ExportBuilder("Dexcom Clarity", zone)
    parsed = rows(text, separator(first_lines(text, 1)[0]))
    _, header = next(parsed)
    if header is None:
        raise InputError("file", "must have a header row in which every quote is closed")
    origin = next(position for position, name in enumerate(header) if _TIME_COLUMN.search(name))
    if len(header) <= origin + _GLUCOSE:
        raise InputError("file", "must have a glucose column after the time column")
    unit = unit_of(header[origin + _GLUCOSE], unit)
    is_english = header[origin + _EVENT] == "Event Type"
    device = source = None
    lines = list(parsed)
    if day_first is None:
        day_first = _has_day_first(lines, origin)
    for line, fields in lines:
        if fields is None:
            builder.skip(line, "quotes must be closed")
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
            builder.skip(line, f"must have {len(header)} fields, got {len(fields)}")
            continue
        time_s = builder.parse_wall_time(line, _parse_time(time, day_first), _FORM, time, day_first)
        if time_s is None:
            continue
        if not is_reading:
            builder.add_food(line, time_s, carbs)
            continue
        counter, transmitter = number(columns[_COUNTER]), columns[_TRANSMITTER]
        is_valid = builder.add_reading(
            line,
            time_s,
            glucose,
            unit,
            run=f"{transmitter} {columns[_SOURCE]}",
            elapsed_s=math.nan if counter is None else counter,
            sensor=transmitter,
            device=columns[_SOURCE],
        )
        if is_valid:
            source = source or columns[_SOURCE]
    builder.device = device or source or None
    return builder


def _has_day_first(lines: list[tuple[int, list[str] | None]], origin: int) -> bool | None:
    """Return whether rewritten dates start with the day, or None if times are in ISO 8601."""
    times = [(line, fields[origin]) for line, fields in lines if fields and len(fields) > origin]
    if any(_parse_iso(time) for _, time in times):
        return None
    stamps = [(line, stamp) for line, time in times if (stamp := STAMP.fullmatch(time))]
    return has_day_first(stamps) if stamps else None


def _parse_time(text: str, day_first: bool | None) -> datetime | None:
    if day_first is None:
        return _parse_iso(text)
    stamp = STAMP.fullmatch(text)
    return _parse_iso(text) or (parse_stamp(stamp, day_first) if stamp else None)


def _parse_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
