"""Export: what an export file holds, and how its rows become a trace and meals."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import GLUCOSE_UNITS, READABLE_MG_DL, CgmTrace
from postmeal.glucose.history.exports.rows import number
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.wall_clock import EPOCH, utc_of_wall_clock

__all__ = ["Export", "Found", "Logged", "Reading", "SkippedRow", "check_unit", "unit_of"]

_BELOW_RANGE = {"low", "lo", "niedrig", "nízká"}
_ABOVE_RANGE = {"high", "hi", "hoch", "vysoká"}
_BELOW_MG_DL, _ABOVE_MG_DL = 40.0, 400.0
_UNIT = re.compile(r"\b(mg/dl|mmol/l)\b(?!/)", re.IGNORECASE)


class SkippedRow(NamedTuple):
    """A row of a file that could not be read: its line, from 1, and why."""

    line: int
    reason: str


@dataclass(frozen=True, eq=False)
class Export:
    """What an export file holds.

    Attributes
    ----------
    trace : CgmTrace
        The readings. A reading beyond the sensor's range, written as a word such as ``Low`` or
        ``High``, counts as 40 or 400 mg/dL.
    eaten : MealHistory
        What was logged with an amount of carbohydrate, or as food of unknown amount; other
        macronutrients are NaN unless the file knows them.
    device : str or None
        The sensor or app, as the file names it.
    format : str
        The publisher's format, one of `postmeal.glucose.history.exports.FORMATS`.
    skipped : tuple of SkippedRow
        Rows that should hold a reading or food but cannot be read, in the order of the file. In
        JSON the line is the position in its list.
    has_offsets : bool
        Whether moments are exact: the file writes them, or a zone was given.
    n_readings : int
        How many rows gave a reading. The trace may be shorter: it averages those of one moment,
        such as a scan and a reading of the sensor's memory.
    """

    trace: CgmTrace
    eaten: MealHistory
    device: str | None
    format: str
    skipped: tuple[SkippedRow, ...]
    has_offsets: bool
    n_readings: int


class Reading(NamedTuple):
    """One reading as a file has it: time on its clock, mg/dL, and what tells two 02:30 apart."""

    time_s: float
    glucose_mg_dl: float
    run: str = ""
    elapsed_s: float = math.nan


class Logged(NamedTuple):
    """One food as a file has it: time on its clock and grams of `MACRONUTRIENTS`."""

    time_s: float
    carbs_g: float
    fiber_g: float = math.nan
    protein_g: float = math.nan
    fat_g: float = math.nan


@dataclass
class Found:
    """What was found in a file so far, row by row."""

    readings: list[Reading] = field(default_factory=list)
    foods: list[Logged] = field(default_factory=list)
    skipped: list[SkippedRow] = field(default_factory=list)

    def skip(self, line: int, reason: str) -> None:
        """Report a row that cannot be read."""
        self.skipped.append(SkippedRow(line, reason))

    def glucose_mg_dl(self, line: int, text: str, unit: str) -> float | None:
        """Read glucose, or report why the row cannot be read."""
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

    def wall_s(self, line: int, shown: datetime | None, form: str, text: str) -> float | None:
        """Count the seconds that a clock showed since 1970, or report why they cannot be."""
        problem = None
        if shown is None or shown.tzinfo is not None:
            problem = f"time must be {form}"
        elif not 1970 < shown.year < 2200:
            problem = "time must be in the years 1971 to 2199"
        if shown is None or problem:
            self.skip(line, f"{problem}, got {text[:30]!r}")
            return None
        return (shown - EPOCH).total_seconds()

    def add_food(self, line: int, time_s: float, carbs: str) -> None:
        """Add food with its grams of carbohydrate, empty where unknown, or report the row."""
        carbs_g = number(carbs) if carbs else math.nan
        if carbs_g is None or carbs_g < 0:
            self.skip(line, f"carbohydrate must be grams from 0, got {carbs[:20]!r}")
        else:
            self.foods.append(Logged(time_s, carbs_g))

    def on_wall_clock(self, format: str, device: str | None, zone: tzinfo | None) -> Export:
        """Make the export of a file whose times are those of a local clock."""
        reading_times = utc_of_wall_clock(
            np.array([one.time_s for one in self.readings], dtype=np.float64),
            zone,
            [one.run for one in self.readings],
            np.array([one.elapsed_s for one in self.readings], dtype=np.float64),
        )
        food_times = utc_of_wall_clock(
            np.array([one.time_s for one in self.foods], dtype=np.float64), zone
        )
        return self.at(reading_times, food_times, format, device, has_offsets=zone is not None)

    def at(
        self,
        reading_times: tuple[ArrayLike, ArrayLike],
        food_times: tuple[ArrayLike, ArrayLike],
        format: str,
        device: str | None,
        *,
        has_offsets: bool,
    ) -> Export:
        """Make the export with moments and offsets of the readings and of the foods."""
        glucose = np.array([one.glucose_mg_dl for one in self.readings], dtype=np.float64)
        content = np.array([one[1:] for one in self.foods], dtype=np.float64).reshape(-1, 4)
        trace, eaten = CgmTrace.of(*reading_times, glucose), MealHistory.of(*food_times, content)
        skipped = tuple(sorted(self.skipped))
        return Export(trace, eaten, device, format, skipped, has_offsets, len(glucose))


def unit_of(header: str, given: str | None) -> str:
    """Tell the unit that a column's header names, or the one given where it names none.

    Raises
    ------
    InputError
        None is named or given, or the one given is not the one named.

    Examples
    --------
    >>> unit_of("Glucose Value (mmol/L)", None)
    'mmol/L'
    """
    named = _UNIT.search(header)
    if named is None:
        if given is None:
            raise InputError("unit", "must be given: the file names none", allowed=GLUCOSE_UNITS)
        return given
    unit = "mg/dL" if named[1].lower() == "mg/dl" else "mmol/L"
    if given not in (None, unit):
        raise InputError("unit", f"must be that of the file, {unit}", given)
    return unit


def check_unit(unit: str) -> None:
    """Refuse an unknown unit.

    Raises
    ------
    InputError
        It is not one of `GLUCOSE_UNITS`.
    """
    if unit not in GLUCOSE_UNITS:
        raise InputError("unit", "must be one of", unit, allowed=GLUCOSE_UNITS)
