"""Reader for CSV exports of Nightscout: its entries, and the output of its report exporter.

Files of entries do not have a header. Their columns are the UTC time, the time in milliseconds
since 1970, glucose in mg/dL, a trend and a device. The report exporter writes a section of readings
and a section of treatments, each with a title and a header. Its times are local, such as
``3/16/2025`` and ``12:55:28 PM``.
"""

from __future__ import annotations

import re
from datetime import tzinfo

from postmeal.glucose.history.exports.dates import STAMP, has_day_first, parse_stamp
from postmeal.glucose.history.exports.export import (
    LEAST_UPLOADED_MG_DL,
    ExportBuilder,
    unit_of,
)
from postmeal.glucose.history.exports.nightscout import add_row, check_mg_dl
from postmeal.glucose.history.exports.rows import first_lines, rows

_ENTRY = re.compile(r'"?\d{4}-\d\d-\d\dT[\d:.]+Z"?,\d{10,},[^,]*,')
_READINGS, _TREATMENTS = "# CGM ENTRIES", "# TREATMENTS"
_FORM = "in a format such as 5/31/2026, 8:15:00 AM"


def recognizes(text: str) -> bool:
    """Return whether a text is a CSV export of Nightscout."""
    first = "".join(first_lines(text, 1))
    return first.startswith((_READINGS, _TREATMENTS)) or bool(_ENTRY.match(first))


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> ExportBuilder:
    """Parse the text of a file; see `postmeal.glucose.history.exports.read_export`."""
    if text.lstrip().startswith("#"):
        return _read_sections(text, zone, unit, day_first)
    return _read_entries(text, zone, unit)


def _read_entries(text: str, zone: tzinfo | None, unit: str | None) -> ExportBuilder:
    check_mg_dl(unit)
    builder = ExportBuilder("Nightscout", zone, is_local=False, least_mg_dl=LEAST_UPLOADED_MG_DL)
    for line, fields in rows(text, ","):
        if fields is None or len(fields) < 3:
            problem = "must have a time, a time in milliseconds and glucose"
            given = "an unclosed quote" if fields is None else f"{len(fields)} fields"
            builder.skip(line, f"{problem}, got {given}")
            continue
        device = fields[4] if len(fields) > 4 else ""
        row = {"dateString": fields[0], "date": fields[1], "sgv": fields[2], "device": device}
        add_row(builder, line, row)
    return builder


def _read_sections(
    text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None
) -> ExportBuilder:
    builder = ExportBuilder("Nightscout", zone, least_mg_dl=LEAST_UPLOADED_MG_DL)
    header: list[str] | None = None
    numbered_rows: list[tuple[int, dict[str, str]]] = []
    for line, fields in rows(text, ","):
        if fields is None:
            builder.skip(line, "quotes must be closed")
        elif fields[0].startswith("#"):
            header = None
        elif header is None:
            header = fields
        else:
            numbered_rows.append((line, dict(zip(header, fields, strict=False))))
    stamps = {
        line: STAMP.fullmatch(f"{row.get('Date')} {row.get('Time')}") for line, row in numbered_rows
    }
    if day_first is None:
        day_first = has_day_first((line, stamp) for line, stamp in stamps.items() if stamp)
    for line, row in numbered_rows:
        glucose_name = next((name for name in row if name.startswith("Glucose")), None)
        is_reading = glucose_name is not None and row.get("Type") == "sgv"
        carbs = row.get("Carbs (g)", "")
        if not is_reading and carbs in ("", "0"):
            continue
        stamp = stamps[line]
        time = parse_stamp(stamp, day_first) if stamp else None
        text = f"{row.get('Date')}, {row.get('Time')}"
        time_s = builder.parse_wall_time(line, time, _FORM, text, day_first)
        if time_s is None:
            continue
        if glucose_name is None:
            builder.add_food(line, time_s, carbs)
            continue
        device, named = row.get("Device") or "", unit_of(glucose_name, unit)
        builder.add_reading(line, time_s, row[glucose_name], named, device=device)
    return builder
