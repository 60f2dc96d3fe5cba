"""Content of an export file, and a builder that collects the content row by row."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports.dates import MAX_YEAR, MIN_YEAR, missing_date
from postmeal.glucose.history.exports.rows import number
from postmeal.glucose.history.glucose_column import GLUCOSE_UNITS, READABLE_MG_DL
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.repeated_rows import SkippedRow
from postmeal.glucose.history.wall_clock import EPOCH, utc_of_wall_clock

__all__ = [
    "LEAST_UPLOADED_MG_DL",
    "Export",
    "ExportBuilder",
    "FoodEntry",
    "Reading",
    "SkippedRow",
    "check_unit",
    "unit_of",
]

Array = NDArray[np.float64]

LEAST_UPLOADED_MG_DL = 39.0
"""Least reading that xDrip+ and Nightscout contain; lower numbers are error codes."""

_BELOW_RANGE = {"low", "lo", "niedrig", "nízká"}
_ABOVE_RANGE = {"high", "hi", "hoch", "vysoká"}
_LOWEST_MG_DL, _HIGHEST_MG_DL, _HIGHEST_OF_LIBRE_MG_DL = 40.0, 400.0, 500.0
_MAX_ROUNDED_MG_DL = 401.0  # 400 mg/dL, rounded to another unit
_UNIT = re.compile(r"\b(mg/dl|mmol/l)\b(?!/)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Export:
    """Content of an export file.

    Attributes
    ----------
    trace : CgmTrace
        The readings. Words such as ``Low`` and ``High``, which apps write for readings outside the
        range of the sensor, are replaced by the limits of the range: 40 and 400 mg/dL, or 40 and
        500 mg/dL if the file contains a reading above 400 mg/dL. If the file contains a number
        beyond a limit, this number is the limit.
    meals : MealHistory
        Logged food. Carbohydrate is NaN for food without an amount; other macronutrients are NaN
        unless the file contains them.
    device : str or None
        Name of the sensor or app in the file; of several, the one with the most readings.
    format : str
        Name of the format, one of `postmeal.glucose.history.export_formats.FORMATS`.
    skipped : tuple of SkippedRow
        Readings and food that could not be read or are not certain, in the order of the file; see
        `postmeal.glucose.history.repeated_rows`. In JSON files, the line is the position in the
        list.
    has_offsets : bool
        Whether times are exact, because the file contains offsets or a zone was given.
    n_readings : int
        Number of rows with a reading. The trace can be shorter, because equal readings at the same
        time are used once, and readings that are not certain are left out.
    """

    trace: CgmTrace
    meals: MealHistory
    device: str | None
    format: str
    skipped: tuple[SkippedRow, ...]
    has_offsets: bool
    n_readings: int


class Reading(NamedTuple):
    """A reading as written in a file."""

    line: int
    time_s: float
    glucose_mg_dl: float
    run: str = ""
    elapsed_s: float = math.nan
    sensor: str = ""
    device: str = ""
    is_scan: bool = False
    offset_s: float = 0.0


class FoodEntry(NamedTuple):
    """Food as written in a file.

    The fields are the line, UTC or local time in seconds since 1970, amounts in grams, and the UTC
    offset of the time in seconds, if the file contains it.
    """

    line: int
    time_s: float
    carbs_g: float
    fiber_g: float = math.nan
    protein_g: float = math.nan
    fat_g: float = math.nan
    offset_s: float = 0.0


@dataclass
class ExportBuilder:
    """Collect the readings, foods and skipped rows of a file.

    Times are local times in the zone if `is_local` is true, otherwise in UTC. Numbers below
    `least_mg_dl` are error codes of the app. `sensor_starts_s` contains logged sensor starts, in
    seconds since 1970-01-01T00:00Z. The other fields are those of `Export`.
    """

    format: str
    zone: tzinfo | None
    is_local: bool = True
    least_mg_dl: float = READABLE_MG_DL[0]
    device: str | None = None
    readings: list[Reading] = field(default_factory=list)
    foods: list[FoodEntry] = field(default_factory=list)
    skipped: list[SkippedRow] = field(default_factory=list)
    sensor_starts_s: list[float] = field(default_factory=list)

    def skip(self, line: int, reason: str) -> None:
        """Record a row that cannot be read."""
        self.skipped.append(SkippedRow(line, reason))

    def add_reading(self, line: int, time_s: float, glucose: str, unit: str, **fields: Any) -> bool:
        """Add a reading, or record the row as skipped if the glucose is invalid.

        `fields` are the other fields of `Reading`. Return whether the glucose is valid.
        """
        if glucose.lower() in _BELOW_RANGE:
            glucose_mg_dl = -math.inf
        elif glucose.lower() in _ABOVE_RANGE:
            glucose_mg_dl = math.inf
        elif (value := number(glucose)) is None:
            self.skip(line, f"glucose must be a number, got {glucose[:20]!r}")
            return False
        else:
            glucose_mg_dl = value * GLUCOSE_UNITS[unit]
            low, high = self.least_mg_dl, READABLE_MG_DL[1]
            if not low <= glucose_mg_dl <= high:
                is_code = READABLE_MG_DL[0] <= glucose_mg_dl < low
                problem = f"glucose must be {low:g} to {high:g} mg/dL"
                kind = ", an error code" if is_code else f" {unit}"
                self.skip(line, f"{problem}, got {value:g}{kind}")
                return False
        self.readings.append(Reading(line, time_s, glucose_mg_dl, **fields))
        return True

    def parse_wall_time(
        self,
        line: int,
        time: datetime | None,
        form: str,
        text: str,
        day_first: bool | None = None,
    ) -> float | None:
        """Convert a local time to seconds since 1970.

        If the time is invalid, record the row as skipped and return None. `form` describes the
        accepted format, and `text` is the time as written in the file. `day_first` states the order
        of day and month in the file, if it is known.
        """
        problem = None
        if time is None and (order := missing_date(text, day_first)):
            problem = f"date does not exist in the calendar (read as {order})"
        elif time is None or time.tzinfo is not None:
            problem = f"time must be {form}"
        elif not MIN_YEAR <= time.year <= MAX_YEAR:
            problem = f"time must be in the years {MIN_YEAR} to {MAX_YEAR}"
        if time is None or problem:
            self.skip(line, f"{problem}, got {text[:30]!r}")
            return None
        return (time - EPOCH).total_seconds()

    def add_food(self, line: int, time_s: float, carbs: str) -> None:
        """Add food, or record the row as skipped if the carbohydrate (in grams) is invalid.

        An empty `carbs` means that the carbohydrate is unknown.
        """
        carbs_g = number(carbs) if carbs else math.nan
        if carbs_g is None or carbs_g < 0:
            self.skip(line, f"carbohydrate must be 0 g or more, got {carbs[:20]!r}")
        else:
            self.foods.append(FoodEntry(line, time_s, carbs_g))

    def reading_s(self) -> Array:
        """Return the times of the readings in UTC, NaN for local times that do not exist."""
        time_s = np.array([reading.time_s for reading in self.readings], dtype=np.float64)
        if not self.is_local:
            return time_s
        elapsed_s = np.array([reading.elapsed_s for reading in self.readings], dtype=np.float64)
        runs = [reading.run for reading in self.readings]
        return utc_of_wall_clock(time_s, self.zone, runs, elapsed_s)[0]

    def food_s(self) -> Array:
        """Return the times of the foods in UTC, NaN for local times that do not exist."""
        time_s = np.array([food.time_s for food in self.foods], dtype=np.float64)
        return utc_of_wall_clock(time_s, self.zone)[0] if self.is_local else time_s

    def glucose_mg_dl(self) -> Array:
        """Return the readings; those outside the range of the sensor become its limits."""
        glucose = np.array([reading.glucose_mg_dl for reading in self.readings], dtype=np.float64)
        known = glucose[np.isfinite(glucose)]
        low, high = min([_LOWEST_MG_DL, *known]), max([_HIGHEST_MG_DL, *known])
        if high > _MAX_ROUNDED_MG_DL:
            high = max(high, _HIGHEST_OF_LIBRE_MG_DL)
        return np.clip(glucose, low, high)

    def sensor_changes(self, reading_s: Array) -> Array:
        """Return the logged starts of sensors, and the first reading of each new transmitter."""
        first: dict[str, float] = {}
        for reading, utc_s in zip(self.readings, reading_s.tolist(), strict=True):
            if reading.sensor and not math.isnan(utc_s):
                first[reading.sensor] = min(utc_s, first.get(reading.sensor, utc_s))
        return np.unique([*self.sensor_starts_s, *sorted(first.values())[1:]])


def unit_of(header: str, given: str | None) -> str:
    """Return the unit named in a column header, or the given unit if it does not name one."""
    named = _UNIT.search(header)
    if named is None:
        if given is None:
            problem = "is required because the file does not state it; supported units"
            raise InputError("unit", problem, allowed=GLUCOSE_UNITS)
        return given
    unit = "mg/dL" if named[1].lower() == "mg/dl" else "mmol/L"
    if given not in (None, unit):
        raise InputError("unit", f"must be {unit}, the unit of the file", given)
    return unit


def check_unit(unit: str) -> None:
    """Check that a unit is supported."""
    if unit not in GLUCOSE_UNITS:
        raise InputError("unit", "must be one of", unit, allowed=GLUCOSE_UNITS)
