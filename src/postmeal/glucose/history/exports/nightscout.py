"""Nightscout's JSON: the entries, the treatments, or an object or list that holds both.

Entries of type ``sgv`` are readings, always in mg/dL, at ``date`` in milliseconds since 1970;
fingersticks (``mbg``) and calibrations (``cal``) are left out. Treatments with ``carbs`` are food;
they may also know ``protein`` and ``fat``. ``utcOffset`` is in minutes. Rows are counted by their
position in their list, from 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any

from postmeal.errors import InputError
from postmeal.glucose.history.exports.export import Export, Found, Logged, Reading
from postmeal.glucose.history.exports.rows import number
from postmeal.glucose.history.wall_clock import moment_of

__all__ = ["Rows", "check_mg_dl", "read", "recognizes"]

_LISTS = ("entries", "treatments", "result")
_EARLIEST_S = 946_684_800.0  # 2000-01-01; seconds taken for milliseconds lie before
_LATEST_S = 7_258_118_400.0  # 2200-01-01
_NO_MOMENT = "must have a date in milliseconds or a time in ISO 8601, in the years 2000 to 2199"


def recognizes(text: str) -> bool:
    """Tell whether a text is such a file."""
    return text.lstrip()[:1] in ("[", "{")


def read(text: str, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> Export:
    """Read the file; see `postmeal.glucose.history.exports.read_export`."""
    del day_first  # moments are numbers or ISO 8601
    check_mg_dl(unit)
    rows = Rows()
    for line, row in _rows(text):
        rows.add(line, row)
    return rows.export(zone)


def check_mg_dl(unit: str | None) -> None:
    """Refuse a unit other than mg/dL.

    Raises
    ------
    InputError
        Another unit is given.
    """
    if unit not in (None, "mg/dL"):
        raise InputError("unit", "must be that of Nightscout's exports, mg/dL", unit)


@dataclass
class Rows:
    """Readings and foods of Nightscout's rows, with the offsets of their clocks."""

    found: Found = field(default_factory=Found)
    reading_offset_s: list[float] = field(default_factory=list)
    food_offset_s: list[float] = field(default_factory=list)
    device: str | None = None

    def add(self, line: int, row: dict[str, Any]) -> None:
        """Add an entry with a reading or a treatment with food, or skip the row with a reason."""
        is_reading = row.get("type", "sgv") == "sgv" and "sgv" in row
        if not is_reading and (row.get("carbs") in (None, "") or _number(row["carbs"]) == 0):
            return
        moment = _moment(row)
        if moment is None:
            self.found.skip(line, _NO_MOMENT)
            return
        utc_s, offset_s = moment
        if is_reading:
            glucose_mg_dl = self.found.glucose_mg_dl(line, str(row["sgv"]).strip(), "mg/dL")
            if glucose_mg_dl is not None:
                self.device = self.device or (str(row["device"]) if row.get("device") else None)
                self.reading_offset_s.append(offset_s)
                self.found.readings.append(Reading(utc_s, glucose_mg_dl))
            return
        content = [_number(row.get(key)) for key in ("carbs", "fiber", "protein", "fat")]
        grams = [math.nan if one is None else one for one in content]
        if content[0] is None or any(one < 0 for one in grams):
            self.found.skip(line, "carbs, fiber, protein and fat must be grams from 0")
        else:
            self.food_offset_s.append(offset_s)
            self.found.foods.append(Logged(utc_s, *grams))

    def export(self, zone: tzinfo | None) -> Export:
        """Make the export, in a time zone if one is given."""
        export = self.found.at(
            ([one.time_s for one in self.found.readings], self.reading_offset_s),
            ([one.time_s for one in self.found.foods], self.food_offset_s),
            "Nightscout",
            self.device,
            has_offsets=True,
        )
        if zone is None:
            return export
        return replace(export, trace=export.trace.in_zone(zone), eaten=export.eaten.in_zone(zone))


def _rows(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for rows in _lists(text):
        for line, row in enumerate(rows, start=1):
            yield line, row if isinstance(row, dict) else {}


def _lists(text: str) -> list[list[Any]]:
    try:
        plain = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"line {error.lineno}", f"must be JSON: {error.msg}") from None
    except ValueError:  # an integer of thousands of digits
        raise InputError("file", "must hold numbers of a sensible length") from None
    except RecursionError:
        raise InputError("file", "must be a list of entries, not nested deeply") from None
    if isinstance(plain, list):
        return [plain]
    found = [plain[key] for key in _LISTS if isinstance(plain.get(key), list)]
    if not found:
        raise InputError("file", "must hold a list, alone or in one of", allowed=_LISTS)
    return found


def _moment(row: dict[str, Any]) -> tuple[float, float] | None:
    """Moment of a row, and the offset of its clock: `utcOffset`, or that of its written time."""
    utc_s, offset_s = _written(row) or (None, 0.0)
    for key in ("date", "mills"):
        milliseconds = _number(row.get(key))
        if milliseconds is not None and _EARLIEST_S < milliseconds / 1000 < _LATEST_S:
            utc_s = milliseconds / 1000
            break
    minutes = _number(row.get("utcOffset"))
    if minutes and abs(minutes) < 1440:
        offset_s = 60 * minutes
    return None if utc_s is None else (utc_s, offset_s)


def _written(row: dict[str, Any]) -> tuple[float, float] | None:
    for key in ("created_at", "timestamp", "dateString", "sysTime"):
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
