"""Training days: which days of a person may be learned from, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import TooFewDays, UnusableHistory
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.wall_clock import EPOCH

__all__ = [
    "LEAST_DAYS",
    "TRAINING_DAYS_NEEDED",
    "TrainingDay",
    "explain_days",
    "require_changing_glucose",
    "require_training_days",
    "training_days",
]

Array = NDArray[np.float64]

LEAST_DAYS = 5
"""How many valid days a personal model needs."""

_LEAST_BINS = 48
_LEAST_MEALS = 2

TRAINING_DAYS_NEEDED = (
    f"At least {LEAST_DAYS} days must be complete: readings in {_LEAST_BINS} of the day's quarter"
    f" hours, and food at {_LEAST_MEALS} different times."
)
"""What a history must hold, as a sentence."""

_BIN_S = 900
_DAY_S = 86400


@dataclass(frozen=True)
class TrainingDay:
    """One local calendar day of a person.

    Attributes
    ----------
    day : date
        The day.
    covered_h : float
        Hours covered by readings: a quarter for each quarter of an hour with a reading.
    meal_times : int
        Different times at which something was eaten.
    impossible_meals : int, default=0
        Further times with a meal that is larger than people eat; they do not count.
    """

    day: date
    covered_h: float
    meal_times: int
    impossible_meals: int = 0

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the day cannot be learned from; empty for a valid day."""
        found = []
        if self.covered_h < _LEAST_BINS / 4:
            found.append(f"{self.covered_h:g} h of CGM, {_LEAST_BINS / 4:g} needed")
        if self.meal_times < _LEAST_MEALS:
            times = "time" if self.meal_times == 1 else "different times"
            found.append(f"meals at {self.meal_times} {times}, {_LEAST_MEALS} needed")
            if self.impossible_meals:
                entered = "meal is" if self.impossible_meals == 1 else "meals are"
                found.append(
                    f"{self.impossible_meals} {entered} larger than people eat and not counted"
                )
        return tuple(found)

    @property
    def is_valid(self) -> bool:
        """Whether the day may be learned from."""
        return not self.problems


def training_days(trace: CgmTrace, eaten: MealHistory) -> tuple[TrainingDay, ...]:
    """Judge every local calendar day that has a reading or a meal.

    A day is valid with readings in at least 48 of its quarter hours and food at two or more
    different times. The day of a reading, or of an entry, is that of the clock it carries.

    Quarter hours begin on the quarter of that clock and are told apart by their moment, not by
    what the clock showed: 96 in most days, 92 where clocks are put forward, and 100 where they
    are put back, for the repeated hour has eight. Two readings of one quarter hour count once,
    even where they carry different offsets. What was eaten twice at one moment is one meal time.
    A meal that is larger than people eat (`postmeal.glucose.population.meal_limits`) does not
    count.

    Parameters
    ----------
    trace : CgmTrace
        What the sensor read.
    eaten : MealHistory
        What was eaten.

    Returns
    -------
    tuple of TrainingDay
        The days, ascending.
    """
    into_quarter_s = (trace.utc_s + trace.utc_offset_s) % _BIN_S
    quarter = np.round(trace.utc_s - into_quarter_s)
    bins = _count_by_day(_days(trace), quarter)
    day, counts = _days(eaten), eaten.is_credible
    meals = _count_by_day(day[counts], eaten.utc_s[counts])
    impossible = _count_by_day(day[~counts], eaten.utc_s[~counts])
    return tuple(
        TrainingDay(
            EPOCH.date() + timedelta(days=day),
            bins.get(day, 0) / 4,
            meals.get(day, 0),
            impossible.get(day, 0),
        )
        for day in sorted(bins.keys() | meals.keys() | impossible.keys())
    )


def explain_days(days: Iterable[TrainingDay]) -> str:
    """Tell in a table how each day was judged.

    Parameters
    ----------
    days : iterable of TrainingDay
        The days.

    Returns
    -------
    str
        A line a day and the number of valid days below.

    Examples
    --------
    >>> judged = [TrainingDay(date(2026, 5, 1), 23.75, 3), TrainingDay(date(2026, 5, 2), 11.75, 2)]
    >>> print(explain_days(judged))
    day         CGM hours  meal times  verdict
    2026-05-01      23.75           3  valid
    2026-05-02      11.75           2  11.75 h of CGM, 12 needed
    1 valid day, 5 needed
    """
    judged = list(days)
    lines = ["day         CGM hours  meal times  verdict"]
    for one in judged:
        verdict = "; ".join(one.problems) or "valid"
        lines.append(f"{one.day}  {one.covered_h:9.2f}  {one.meal_times:10}  {verdict}")
    valid = sum(one.is_valid for one in judged)
    lines.append(f"{valid} valid {'day' if valid == 1 else 'days'}, {LEAST_DAYS} needed")
    return "\n".join(lines)


def require_training_days(trace: CgmTrace, eaten: MealHistory) -> tuple[date, ...]:
    """Give the valid days, or say why each day did not count.

    Raises
    ------
    TooFewDays
        Fewer than `LEAST_DAYS` are valid.
    """
    days = training_days(trace, eaten)
    valid = tuple(one.day for one in days if one.is_valid)
    if len(valid) < LEAST_DAYS:
        raise TooFewDays(
            len(valid), LEAST_DAYS, {one.day: one.problems for one in days if one.problems}
        )
    return valid


def require_changing_glucose(
    trace: CgmTrace, days: Iterable[date], field: str = "cgm_data"
) -> None:
    """Refuse a history whose readings never change on the days it would be learned from.

    A living person's glucose changes within every day; a line without any change is a stuck
    sensor or a filled-in gap. One change is enough: how much is learned from little is left to
    the fit.

    Parameters
    ----------
    trace : CgmTrace
        What the sensor read.
    days : iterable of date
        The days to be learned from.
    field : str, default="cgm_data"
        Field name for error messages.

    Raises
    ------
    UnusableHistory
        All readings of these days are one number.
    """
    wanted = [(day - EPOCH.date()).days for day in days]
    glucose = trace.glucose_mg_dl[np.isin(_days(trace), wanted)]
    if len(glucose) and (glucose == glucose[0]).all():
        problem = f"must change over the day: all {len(glucose)} readings are the same"
        raise UnusableHistory(field, problem, float(glucose[0]))


def _days(rows: CgmTrace | MealHistory) -> Array:
    return np.floor((rows.utc_s + rows.utc_offset_s) / _DAY_S)


def _count_by_day(day: Array, what: Array) -> dict[int, int]:
    """Count different things a day."""
    order = np.lexsort((what, day))
    day, what = day[order], what[order]
    is_new = (np.diff(day, prepend=np.nan) != 0) | (np.diff(what, prepend=np.nan) != 0)
    found, count = np.unique(day[is_new], return_counts=True)
    return dict(zip(found.astype(int).tolist(), count.tolist(), strict=True))
