"""Reader for JSON exports of Nightscout: entries, treatments or both.

Entries of type ``sgv`` are readings, always in mg/dL, with the time in ``date`` in milliseconds
since 1970. Fingersticks (``mbg``) and calibrations (``cal``) are ignored. Treatments with ``carbs``
are food and can include ``protein`` and ``fat``. The treatments ``Sensor Start`` and ``Sensor
Change`` are sensor changes. ``utcOffset`` is in minutes. Row numbers are positions in the list,
counted from 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from typing import Any

from postmeal.errors import InputError
from postmeal.glucose.history.exports.dates import missing_date
from postmeal.glucose.history.exports.export import (
    LEAST_UPLOADED_MG_DL,
    ExportBuilder,
    FoodEntry,
)
from postmeal.glucose.history.exports.rows import number
from postmeal.glucose.history.wall_clock import moment_of

_AMOUNTS = ("carbs", "fiber", "protein", "fat")
_MILLISECONDS = ("date", "mills")
_ISO_TIMES = ("created_at", "timestamp", "dateString", "sysTime")
_LISTS = ("entries", "treatments", "result")
_SENSOR_EVENTS = ("Sensor Start", "Sensor Change")
_EARLIEST_S = 946_684_800.0  # 2000-01-01; times in seconds, read as milliseconds, are earlier
_LATEST_S = 7_258_118_400.0  # 2200-01-01
_INVALID_TIME = "must have a date in milliseconds or an ISO 8601 time in the years 2000 to 2199"


def recognizes(text: str) -> bool:
    """Return whether a text is JSON, as exported by Nightscout."""
    return text.lstrip()[:1] in ("[", "{")


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> ExportBuilder:
    """Parse the text of a file; see `postmeal.glucose.history.exports.read_export`."""
    del day_first  # unused, because times are numbers or in ISO 8601
    check_mg_dl(unit)
    builder = ExportBuilder("Nightscout", zone, is_local=False, least_mg_dl=LEAST_UPLOADED_MG_DL)
    for line, row in _rows(text):
        add_row(builder, line, row)
    return builder


def check_mg_dl(unit: str | None) -> None:
    """Check that the unit is mg/dL, if it is given."""
    if unit not in (None, "mg/dL"):
        raise InputError("unit", "must be mg/dL, the unit of Nightscout exports", unit)


def add_row(builder: ExportBuilder, line: int, row: dict[str, Any]) -> None:
    """Add an entry with a reading or a treatment with food, or record the row as skipped."""
    is_reading = row.get("type", "sgv") == "sgv" and "sgv" in row
    if row.get("eventType") in _SENSOR_EVENTS and (start := _moment(row)):
        builder.sensor_starts_s.append(start[0])
    if not is_reading and (row.get("carbs") in (None, "") or _number(row["carbs"]) == 0):
        return
    moment = _moment(row)
    if moment is None:
        problem = _INVALID_TIME
        if any(missing_date(str(row.get(key))) for key in _ISO_TIMES):
            problem = "date does not exist in the calendar (read as year-month-day)"
        given = _describe(row, _MILLISECONDS + _ISO_TIMES)
        builder.skip(line, f"{problem}, got {given}")
        return
    utc_s, offset_s = moment
    if is_reading:
        device, glucose = str(row.get("device") or ""), str(row["sgv"]).strip()
        builder.add_reading(line, utc_s, glucose, "mg/dL", device=device, offset_s=offset_s)
        return
    content = [_number(row.get(key)) for key in _AMOUNTS]
    grams = [math.nan if amount is None else amount for amount in content]
    if content[0] is None or any(amount < 0 for amount in grams):
        problem = "carbs, fiber, protein and fat must be 0 g or more"
        builder.skip(line, f"{problem}, got {_describe(row, _AMOUNTS)}")
    else:
        builder.foods.append(FoodEntry(line, utc_s, *grams)._replace(offset_s=offset_s))


def _rows(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for rows in _lists(text):
        for line, row in enumerate(rows, start=1):
            yield line, row if isinstance(row, dict) else {}


def _lists(text: str) -> list[list[Any]]:
    try:
        plain = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"line {error.lineno}", f"must be JSON: {error.msg}") from None
    except ValueError:  # an integer with thousands of digits
        raise InputError("file", "must not contain a number with thousands of digits") from None
    except RecursionError:
        raise InputError("file", "must be a list of entries that is not deeply nested") from None
    if isinstance(plain, list):
        return [plain]
    lists = [plain[key] for key in _LISTS if isinstance(plain.get(key), list)]
    if not lists:
        problem = "must be a list or an object with at least one of the lists"
        raise InputError("file", problem, allowed=_LISTS)
    return lists


def _describe(row: dict[str, Any], keys: Iterable[str]) -> str:
    """Describe the values of a row for the given keys, for error messages."""
    fields = [
        f"{key} {value if isinstance(value, str | int | float) else type(value).__name__}"[:40]
        for key in keys
        if (value := row.get(key)) is not None
    ]
    return ", ".join(fields) or "no value"


def _moment(row: dict[str, Any]) -> tuple[float, float] | None:
    """Return the time of a row and its UTC offset, from `utcOffset` or from the ISO 8601 time."""
    utc_s, offset_s = _iso_moment(row) or (None, 0.0)
    for key in _MILLISECONDS:
        milliseconds = _number(row.get(key))
        if milliseconds is not None and _EARLIEST_S < milliseconds / 1000 < _LATEST_S:
            utc_s = milliseconds / 1000
            break
    minutes = _number(row.get("utcOffset"))
    if minutes and abs(minutes) < 1440:
        offset_s = 60 * minutes
    return None if utc_s is None else (utc_s, offset_s)


def _iso_moment(row: dict[str, Any]) -> tuple[float, float] | None:
    for key in _ISO_TIMES:
        try:
            utc_s, offset_s = moment_of(datetime.fromisoformat(row[key]))
        except (KeyError, TypeError, ValueError):
            continue
        if _EARLIEST_S < utc_s < _LATEST_S:
            return utc_s, offset_s
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) <= 1000 * _LATEST_S else None
    return number(value.strip()) if isinstance(value, str) else None
