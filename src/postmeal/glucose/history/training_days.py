"""Determine the days that can be used to train a personal model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError, TooFewDays, UnusableHistory
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.wall_clock import EPOCH
from postmeal.glucose.personal.prior import FULL_DAYS

__all__ = [
    "MIN_DAYS",
    "MIN_HOURS",
    "MIN_PRELIMINARY_DAYS",
    "TRAINING_DAYS_REQUIRED",
    "TrainingDay",
    "explain_days",
    "require_changing_glucose",
    "require_training_days",
    "training_days",
]

Array = NDArray[np.float64]

MIN_DAYS = FULL_DAYS
"""Number of valid days that a personal model requires, unless a preliminary model is requested."""

MIN_PRELIMINARY_DAYS = 2
"""Number of valid days that a preliminary personal model requires."""

MIN_HOURS = 12
"""Hours that CGM readings must cover on a valid day, counted in quarter-hours."""

_MIN_BINS = 4 * MIN_HOURS
_MIN_MEALS = 2

TRAINING_DAYS_REQUIRED = (
    f"At least {MIN_DAYS} days must be complete, with readings in {_MIN_BINS} quarter-hours"
    f" and food at {_MIN_MEALS} different times."
)
"""The requirements for training a personal model, as a sentence."""

_NOT_MEALS = "must be a MealHistory, such as read_meals(...).meals or read_export(...).meals"
_BIN_S = 900
_DAY_S = 86400


@dataclass(frozen=True)
class TrainingDay:
    """A calendar day of a person, in local time.

    Attributes
    ----------
    day : date
        The date.
    covered_h : float
        Hours covered by readings: 0.25 for each quarter-hour with a reading.
    meal_times : int
        Number of different times at which food was eaten.
    impossible_meals : int, default=0
        Number of different times with an implausibly large meal. `meal_times` does not include
        them.
    """

    day: date
    covered_h: float
    meal_times: int
    impossible_meals: int = 0

    @property
    def problems(self) -> tuple[str, ...]:
        """Reasons why the day cannot be used for training; empty for a valid day."""
        problems = []
        if self.covered_h < _MIN_BINS / 4:
            problems.append(f"{self.covered_h:g} h of CGM, {_MIN_BINS / 4:g} needed")
        if self.meal_times < _MIN_MEALS:
            times = "time" if self.meal_times == 1 else "different times"
            problems.append(f"meals at {self.meal_times} {times}, {_MIN_MEALS} needed")
            if self.impossible_meals:
                meals = "meal" if self.impossible_meals == 1 else "meals"
                problems.append(f"{self.impossible_meals} implausibly large {meals} not counted")
        return tuple(problems)

    @property
    def is_valid(self) -> bool:
        """Whether the day can be used for training."""
        return not self.problems


def training_days(trace: CgmTrace, meals: MealHistory) -> tuple[TrainingDay, ...]:
    """Check every local calendar day that has a reading or a meal.

    A day is valid if at least 48 of its quarter-hours have a reading and there is food at two or
    more different times. The UTC offset of a reading or meal determines its local day. If the
    offset of a meal is unknown, its day is that in UTC.

    Quarter-hours start at :00, :15, :30 and :45 of local time and are distinguished by UTC time.
    A day has 96 quarter-hours, 92 if clocks are set forward, or 100 if clocks are set back. Several
    readings in a quarter-hour count once, even if their UTC offsets differ. Entries at the same
    time count as one meal. Implausibly large meals (`postmeal.glucose.population.meal_limits`) are
    not counted.

    Parameters
    ----------
    trace : CgmTrace
        The CGM readings.
    meals : MealHistory
        The meals.

    Returns
    -------
    tuple of TrainingDay
        The days, sorted by date.
    """
    if not isinstance(trace, CgmTrace):
        raise InputError("trace", "must be a CgmTrace, such as export.trace", type(trace).__name__)
    if not isinstance(meals, MealHistory):
        raise InputError("meals", _NOT_MEALS, type(meals).__name__)
    into_quarter_s = (trace.utc_s + trace.utc_offset_s) % _BIN_S
    quarter = np.round(trace.utc_s - into_quarter_s)
    bins = _count_by_day(_days(trace), quarter)
    day, counts = _days(meals), meals.is_credible
    meal_times = _count_by_day(day[counts], meals.utc_s[counts])
    impossible = _count_by_day(day[~counts], meals.utc_s[~counts])
    return tuple(
        TrainingDay(
            EPOCH.date() + timedelta(days=day),
            bins.get(day, 0) / 4,
            meal_times.get(day, 0),
            impossible.get(day, 0),
        )
        for day in sorted(bins.keys() | meal_times.keys() | impossible.keys())
    )


def explain_days(days: Iterable[TrainingDay], needed: int = MIN_DAYS) -> str:
    """Format days as a table that states why invalid days are not valid.

    Parameters
    ----------
    days : iterable of TrainingDay
        The days.
    needed : int, default=5
        Number of valid days that are needed.

    Returns
    -------
    str
        A header, a line per day, and a line with the number of valid days.

    Examples
    --------
    >>> days = [TrainingDay(date(2026, 5, 1), 23.75, 3), TrainingDay(date(2026, 5, 2), 11.75, 2)]
    >>> print(explain_days(days))
    day         CGM hours  meal times  verdict
    2026-05-01      23.75           3  valid
    2026-05-02      11.75           2  11.75 h of CGM, 12 needed
    1 valid day, 5 needed
    """
    days = list(days)
    lines = ["day         CGM hours  meal times  verdict"]
    for day in days:
        verdict = "; ".join(day.problems) or "valid"
        lines.append(f"{day.day}  {day.covered_h:9.2f}  {day.meal_times:10}  {verdict}")
    n_valid = sum(day.is_valid for day in days)
    lines.append(f"{n_valid} valid {'day' if n_valid == 1 else 'days'}, {needed} needed")
    return "\n".join(lines)


def require_training_days(
    trace: CgmTrace, meals: MealHistory, needed: int = MIN_DAYS
) -> tuple[date, ...]:
    """Return the dates of the valid days.

    Parameters
    ----------
    trace : CgmTrace
        The CGM readings.
    meals : MealHistory
        The meals.
    needed : int, default=5
        Number of valid days that are needed.

    Returns
    -------
    tuple of date
        The valid days, in ascending order.

    Raises
    ------
    TooFewDays
        Fewer than `needed` days are valid; the error lists the problems of each invalid day.
    """
    days = training_days(trace, meals)
    valid = tuple(day.day for day in days if day.is_valid)
    if len(valid) < needed:
        problems = {day.day: day.problems for day in days if day.problems}
        raise TooFewDays(len(valid), needed, problems)
    return valid


def require_changing_glucose(trace: CgmTrace, days: Iterable[date], field: str = "trace") -> None:
    """Check that the readings change on the training days.

    Readings that never change come from a stuck sensor or a filled gap. A single change is enough
    to pass this check, because the fit accounts for histories with little information.

    Parameters
    ----------
    trace : CgmTrace
        The CGM readings.
    days : iterable of date
        The training days.
    field : str, default="trace"
        Field name for error messages.

    Raises
    ------
    UnusableHistory
        All readings on these days are the same.
    """
    selected = [(day - EPOCH.date()).days for day in days]
    glucose = trace.glucose_mg_dl[np.isin(_days(trace), selected)]
    if len(glucose) and (glucose == glucose[0]).all():
        problem = f"must vary over the day; all {len(glucose)} readings are the same"
        raise UnusableHistory(field, problem, float(glucose[0]))


def _days(rows: CgmTrace | MealHistory) -> Array:
    return np.floor((rows.utc_s + np.nan_to_num(rows.utc_offset_s)) / _DAY_S)


def _count_by_day(day: Array, values: Array) -> dict[int, int]:
    """Count the distinct values of each day."""
    order = np.lexsort((values, day))
    day, values = day[order], values[order]
    is_new = (np.diff(day, prepend=np.nan) != 0) | (np.diff(values, prepend=np.nan) != 0)
    distinct_days, count = np.unique(day[is_new], return_counts=True)
    return dict(zip(distinct_days.astype(int).tolist(), count.tolist(), strict=True))
