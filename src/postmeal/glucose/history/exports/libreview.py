"""Reader for CSV exports of Abbott LibreView.

The file starts with a line about the file and a header. The following rows are grouped by device
and record type, and times ascend only within a group. Columns are identified by their position,
because their names are translated. The names contain the unit. Record type 0 is a reading stored by
the sensor, 1 is a scan and 5 is food. Fingersticks (2), ketones (3), insulin (4) and notes (6) are
ignored. Times are local, without seconds or offset. The order of day and month and the use of AM
and PM depend on account settings. The order is inferred only from rows that are otherwise valid.
"""

from __future__ import annotations

import re
from datetime import tzinfo

from postmeal.errors import InputError
from postmeal.glucose.history.exports.dates import STAMP, has_day_first, parse_stamp
from postmeal.glucose.history.exports.export import ExportBuilder, unit_of
from postmeal.glucose.history.exports.rows import first_lines, rows, separator

_DEVICE, _SERIAL, _TIME, _TYPE, _HISTORIC, _SCAN, _CARBS = 0, 1, 2, 3, 4, 5, 9
_UNIT = re.compile(r"\b(?:mg/dL|mmol/L)", re.IGNORECASE)
_FORM = "in a format such as 05-31-2026 08:15 AM or 31-05-2026 08:15"
_FOOD, _SCANNED, _IGNORED = "5", "1", {"2", "3", "4", "6"}
_READINGS = {"0": _HISTORIC, _SCANNED: _SCAN}


def recognizes(text: str) -> bool:
    """Return whether a text is a CSV export of LibreView."""
    return any(_is_header(line) for line in first_lines(text, 5))


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> ExportBuilder:
    """Parse the text of a file; see `postmeal.glucose.history.exports.read_export`."""
    head = next(line for line in first_lines(text, 5) if _is_header(line))
    builder = ExportBuilder("LibreView", zone)
    header: list[str] | None = None
    dates: list[tuple[int, re.Match[str]]] = []
    pending: list[tuple[int, re.Match[str], list[str]]] = []
    for line, fields in rows(text, separator(head)):
        if header is None:
            if fields and _names_units(fields):
                header = fields
            elif created := STAMP.search(" ".join(fields or ())):
                dates.append((line, created))  # creation date of the file, in the same format
        elif fields is None:
            builder.skip(line, "quotes must be closed")
        elif len(fields) < len(header):
            builder.skip(line, f"must have {len(header)} fields, got {len(fields)}")
        elif fields[_TYPE] in _IGNORED:
            continue
        elif fields[_TYPE] not in _READINGS and fields[_TYPE] != _FOOD:
            builder.skip(line, f"record type must be 0 to 6, got {fields[_TYPE][:20]!r}")
        elif not (stamp := STAMP.fullmatch(fields[_TIME])):
            builder.parse_wall_time(line, None, _FORM, fields[_TIME])
        else:
            builder.device = builder.device or fields[_DEVICE] or None
            pending.append((line, stamp, fields))
    if header is None:
        raise InputError("file", "must have a header row in which every quote is closed")
    unit = unit_of(header[_HISTORIC], unit)
    if day_first is None:
        dates += [(line, stamp) for line, stamp, fields in pending if _has_value(fields, unit)]
        day_first = has_day_first(dates)
    for line, stamp, fields in pending:
        time = parse_stamp(stamp, day_first)
        time_s = builder.parse_wall_time(line, time, _FORM, stamp[0], day_first)
        if time_s is not None:
            _add_row(builder, line, time_s, fields, unit)
    return builder


def _add_row(
    builder: ExportBuilder, line: int, time_s: float, fields: list[str], unit: str
) -> None:
    """Add the reading or food of a row, or record the row as skipped."""
    if fields[_TYPE] == _FOOD:
        builder.add_food(line, time_s, fields[_CARBS] if len(fields) > _CARBS else "")
        return
    kind = fields[_TYPE]
    builder.add_reading(
        line,
        time_s,
        fields[_READINGS[kind]],
        unit,
        run=f"{fields[_SERIAL]} {kind}",
        device=fields[_DEVICE],
        is_scan=kind == _SCANNED,
    )


def _has_value(fields: list[str], unit: str) -> bool:
    """Return whether a row has a valid reading or food."""
    trial = ExportBuilder("LibreView", None)
    _add_row(trial, 0, 0.0, fields, unit)
    return not trial.skipped


def _is_header(line: str) -> bool:
    return _names_units(line.split(separator(line)))


def _names_units(fields: list[str]) -> bool:
    return len(fields) > _SCAN and all(
        _UNIT.search(fields[position]) for position in (_HISTORIC, _SCAN)
    )
