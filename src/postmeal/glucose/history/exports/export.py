"""Content of an export file, and a builder that collects the content row by row."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import GLUCOSE_UNITS, READABLE_MG_DL, CgmTrace
from postmeal.glucose.history.exports.dates import MAX_YEAR, MIN_YEAR, missing_date
from postmeal.glucose.history.exports.rows import number
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.wall_clock import EPOCH, utc_of_wall_clock

__all__ = ["Export", "ExportBuilder", "FoodEntry", "Reading", "SkippedRow", "check_unit", "unit_of"]

_BELOW_RANGE = {"low", "lo", "niedrig", "nízká"}
_ABOVE_RANGE = {"high", "hi", "hoch", "vysoká"}
_BELOW_MG_DL, _ABOVE_MG_DL = 40.0, 400.0
_UNIT = re.compile(r"\b(mg/dl|mmol/l)\b(?!/)", re.IGNORECASE)


class SkippedRow(NamedTuple):
    """A row that could not be read: its line number, counted from 1, and the reason."""

    line: int
    reason: str


@dataclass(frozen=True, eq=False)
class Export:
    """Content of an export file.

    Attributes
    ----------
    trace : CgmTrace
        The readings. Words such as ``Low`` and ``High``, which apps write for readings outside the
        range of the sensor, are replaced by 40 and 400 mg/dL.
    meals : MealHistory
        Logged food. Carbohydrate is NaN for food without an amount; other macronutrients are NaN
        unless the file contains them.
    device : str or None
        Name of the sensor or app in the file.
    format : str
        Name of the format, one of `postmeal.glucose.history.export_formats.FORMATS`.
    skipped : tuple of SkippedRow
        Readings and food that could not be read, in the order of the file. In JSON files, the line
        is the position in the list.
    has_offsets : bool
        Whether times are exact, because the file contains offsets or a zone was given.
    n_readings : int
        Number of rows with a reading. The trace can be shorter, because simultaneous readings, such
        as a scan and a stored reading, are averaged.
    """

    trace: CgmTrace
    meals: MealHistory
    device: str | None
    format: str
    skipped: tuple[SkippedRow, ...]
    has_offsets: bool
    n_readings: int


class Reading(NamedTuple):
    """A reading as written in a file.

    Attributes
    ----------
    time_s : float
        UTC or local time in seconds since 1970.
    glucose_mg_dl : float
        Glucose in mg/dL.
    run : str
        Device or section of the row; see `utc_of_wall_clock`.
    elapsed_s : float
        The device's counter of elapsed seconds, NaN if unknown; see `utc_of_wall_clock`.
    sensor : str
        Identifier of the sensor or its transmitter, empty if unknown.
    """

    time_s: float
    glucose_mg_dl: float
    run: str = ""
    elapsed_s: float = math.nan
    sensor: str = ""


class FoodEntry(NamedTuple):
    """Food as written in a file: UTC or local time in seconds since 1970, and amounts in grams."""

    time_s: float
    carbs_g: float
    fiber_g: float = math.nan
    protein_g: float = math.nan
    fat_g: float = math.nan


@dataclass
class ExportBuilder:
    """Collect the readings, foods and skipped rows of a file.

    `sensor_starts_s` contains logged sensor starts, in seconds since 1970-01-01T00:00Z.
    """

    readings: list[Reading] = field(default_factory=list)
    foods: list[FoodEntry] = field(default_factory=list)
    skipped: list[SkippedRow] = field(default_factory=list)
    sensor_starts_s: list[float] = field(default_factory=list)

    def skip(self, line: int, reason: str) -> None:
        """Record a row that cannot be read."""
        self.skipped.append(SkippedRow(line, reason))

    def parse_glucose(self, line: int, text: str, unit: str) -> float | None:
        """Return glucose in mg/dL; if it is invalid, record the row as skipped and return None."""
        if text.lower() in _BELOW_RANGE:
            return _BELOW_MG_DL
        if text.lower() in _ABOVE_RANGE:
            return _ABOVE_MG_DL
        value = number(text)
        if value is None:
            self.skip(line, f"glucose must be a number, got {text[:20]!r}")
            return None
        glucose_mg_dl = value * GLUCOSE_UNITS[unit]
        low, high = READABLE_MG_DL
        if not low <= glucose_mg_dl <= high:
            problem = f"glucose must be {low:g} to {high:g} mg/dL"
            self.skip(line, f"{problem}, got {value:g} {unit}")
            return None
        return glucose_mg_dl

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
            self.foods.append(FoodEntry(time_s, carbs_g))

    def build_from_wall_clock(self, format: str, device: str | None, zone: tzinfo | None) -> Export:
        """Build the export of a file with local times."""
        reading_times = utc_of_wall_clock(
            np.array([reading.time_s for reading in self.readings], dtype=np.float64),
            zone,
            [reading.run for reading in self.readings],
            np.array([reading.elapsed_s for reading in self.readings], dtype=np.float64),
        )
        food_times = utc_of_wall_clock(
            np.array([food.time_s for food in self.foods], dtype=np.float64), zone
        )
        return self.build(reading_times, food_times, format, device, has_offsets=zone is not None)

    def build(
        self,
        reading_times: tuple[ArrayLike, ArrayLike],
        food_times: tuple[ArrayLike, ArrayLike],
        format: str,
        device: str | None,
        *,
        has_offsets: bool,
    ) -> Export:
        """Build the export, given the UTC times and offsets of readings and foods."""
        glucose = np.array([reading.glucose_mg_dl for reading in self.readings], dtype=np.float64)
        content = np.array([food[1:] for food in self.foods], dtype=np.float64).reshape(-1, 4)
        trace, meals = CgmTrace.of(*reading_times, glucose), MealHistory.of(*food_times, content)
        trace = replace(trace, changed_s=self._sensor_changes(np.asarray(reading_times[0])))
        skipped = tuple(sorted(self.skipped))
        return Export(trace, meals, device, format, skipped, has_offsets, len(glucose))

    def _sensor_changes(self, reading_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logged starts of sensors, and the first reading of each new transmitter."""
        first: dict[str, float] = {}
        for reading, utc_s in zip(self.readings, reading_s.tolist(), strict=True):
            if reading.sensor:
                first[reading.sensor] = min(utc_s, first.get(reading.sensor, utc_s))
        return np.unique([*self.sensor_starts_s, *sorted(first.values())[1:]])


def unit_of(header: str, given: str | None) -> str:
    """Return the unit named in a column header, or the given unit if the header does not name one.

    Raises
    ------
    InputError
        The unit is neither named nor given, or the given unit differs from the named one.

    Examples
    --------
    >>> unit_of("Glucose Value (mmol/L)", None)
    'mmol/L'
    """
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
    """Check that a unit is supported.

    Raises
    ------
    InputError
        The unit is not one of `GLUCOSE_UNITS`.
    """
    if unit not in GLUCOSE_UNITS:
        raise InputError("unit", "must be one of", unit, allowed=GLUCOSE_UNITS)
