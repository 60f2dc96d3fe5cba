"""xDrip+'s CSV, in the format of SiDiary.

``DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK``: first all readings, then fingersticks, then
treatments, each part ascending. Times are local, ``31.05.2026;08:15``; glucose is in mg/dL,
whatever the app shows. Remarks are not quoted.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from postmeal.errors import InputError
from postmeal.glucose.history.exports.export import Export, Found, Reading
from postmeal.glucose.history.exports.rows import first_lines

__all__ = ["read", "recognizes"]

_COLUMNS = "DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS"
_DAY, _TIME, _GLUCOSE, _FINGERSTICK, _CARBS = range(5)


def recognizes(text: str) -> bool:
    """Tell whether a text is such a file."""
    return "".join(first_lines(text, 1)).startswith(_COLUMNS)


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> Export:
    """Read the file; see `postmeal.glucose.history.exports.read_export`."""
    if unit not in (None, "mg/dL"):
        raise InputError("unit", "must be that of xDrip+'s exports, mg/dL", unit)
    if day_first is False:
        raise InputError("day_first", "must be true for xDrip+'s exports: 31.05.2026")
    found = Found()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for line, fields in enumerate((one.split(";") for one in lines), start=1):
        fields = [field.strip() for field in fields]
        if fields[0] == "DAY" or not any(fields):
            continue
        if len(fields) <= _GLUCOSE or (not fields[_GLUCOSE] and len(fields) <= _CARBS):
            found.skip(line, f"must have 7 fields, got {len(fields)}")
            continue
        glucose, carbs = fields[_GLUCOSE], fields[_CARBS] if len(fields) > _CARBS else ""
        if not glucose and not carbs:
            continue
        time = f"{fields[_DAY]};{fields[_TIME]}"
        time_s = found.wall_s(line, _shown(time), "as 31.05.2026;08:15", time)
        if time_s is None:
            continue
        if glucose:
            glucose_mg_dl = found.glucose_mg_dl(line, glucose, "mg/dL")
            if glucose_mg_dl is not None:
                found.readings.append(Reading(time_s, glucose_mg_dl))
        if carbs:
            found.add_food(line, time_s, carbs)
    return found.on_wall_clock("xDrip+", None, zone)


def _shown(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%d.%m.%Y;%H:%M")
    except ValueError:
        return None
