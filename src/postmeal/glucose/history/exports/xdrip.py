"""Reader for CSV exports of xDrip+ in the SiDiary format.

The columns are ``DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK``. Readings are followed by
fingersticks and treatments, each sorted by time. Times are local, such as ``31.05.2026;08:15``.
Glucose is always in mg/dL, regardless of the app's settings. Remarks are not quoted.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from postmeal.errors import InputError
from postmeal.glucose.history.exports.export import LEAST_UPLOADED_MG_DL, ExportBuilder
from postmeal.glucose.history.exports.rows import first_lines

_COLUMNS = "DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS"
_FORM = "in a format such as 31.05.2026;08:15"
_DAY, _TIME, _GLUCOSE, _FINGERSTICK, _CARBS = range(5)


def recognizes(text: str) -> bool:
    """Return whether a text is a CSV export of xDrip+."""
    return "".join(first_lines(text, 1)).startswith(_COLUMNS)


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> ExportBuilder:
    """Parse the text of a file; see `postmeal.glucose.history.exports.read_export`."""
    if unit not in (None, "mg/dL"):
        raise InputError("unit", "must be mg/dL, the unit of xDrip+ exports", unit)
    if day_first is False:
        raise InputError(
            "day_first", "must be true for xDrip+ exports, whose dates start with the day"
        )
    builder = ExportBuilder("xDrip+", zone, least_mg_dl=LEAST_UPLOADED_MG_DL)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for line, fields in enumerate((row.split(";") for row in lines), start=1):
        fields = [field.strip() for field in fields]
        if fields[0] == "DAY" or not any(fields):
            continue
        if len(fields) <= _GLUCOSE or (not fields[_GLUCOSE] and len(fields) <= _CARBS):
            builder.skip(line, f"must have 7 fields, got {len(fields)}")
            continue
        glucose, carbs = fields[_GLUCOSE], fields[_CARBS] if len(fields) > _CARBS else ""
        if not glucose and not carbs:
            continue
        time = f"{fields[_DAY]};{fields[_TIME]}"
        day_first = True if "." in fields[_DAY] else None
        time_s = builder.parse_wall_time(line, _parse_time(time), _FORM, time, day_first)
        if time_s is None:
            continue
        if glucose:
            builder.add_reading(line, time_s, glucose, "mg/dL")
        if carbs:
            builder.add_food(line, time_s, carbs)
    return builder


def _parse_time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%d.%m.%Y;%H:%M")
    except ValueError:
        return None
