"""Training days: which days of a person may be learned from, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import TooFewDays
from postmeal.glucose.cgm import CgmTrace
from postmeal.glucose.eaten import Eaten

__all__ = ["LEAST_DAYS", "TrainingDay", "require_training_days", "training_days"]

LEAST_DAYS = 5
"""How many valid days a personal model needs."""

_LEAST_BINS = 48
_LEAST_MEALS = 2
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True)
class TrainingDay:
    """One local calendar day of a person.

    Attributes
    ----------
    day : date
        The day.
    covered_h : float
        Hours covered by readings: a quarter for each 15 minutes with a reading.
    meal_times : int
        Different times at which something was eaten.
    """

    day: date
    covered_h: float
    meal_times: int

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the day cannot be learned from; empty for a valid day."""
        found = []
        if self.covered_h < _LEAST_BINS / 4:
            found.append(f"{self.covered_h:g} h of CGM, 12 needed")
        if self.meal_times < _LEAST_MEALS:
            found.append(f"meals at {self.meal_times} different times, 2 needed")
        return tuple(found)

    @property
    def is_valid(self) -> bool:
        """Whether the day may be learned from."""
        return not self.problems


def training_days(trace: CgmTrace, eaten: Eaten) -> tuple[TrainingDay, ...]:
    """Judge every local calendar day that has a reading or a meal.

    A day is valid with readings in at least 48 of its quarter hours and food at two or more
    different times. Days are those of the clock that each reading and each entry carries.

    Parameters
    ----------
    trace : CgmTrace
        What the sensor read.
    eaten : Eaten
        What was eaten.

    Returns
    -------
    tuple of TrainingDay
        The days, ascending.
    """
    bins = _count(trace.utc_s, trace.utc_offset_s, trace.utc_s // 900)
    meals = _count(eaten.utc_s, eaten.utc_offset_s, eaten.utc_s)
    return tuple(
        TrainingDay(_EPOCH + timedelta(days=day), bins.get(day, 0) / 4, meals.get(day, 0))
        for day in sorted(bins.keys() | meals.keys())
    )


def require_training_days(trace: CgmTrace, eaten: Eaten) -> tuple[date, ...]:
    """Give the valid days, or say why each day did not count.

    Raises
    ------
    TooFewDays
        Fewer than `LEAST_DAYS` are valid.
    """
    days = training_days(trace, eaten)
    valid = tuple(one.day for one in days if one.is_valid)
    if len(valid) < LEAST_DAYS:
        raise TooFewDays(len(valid), {one.day: one.problems for one in days if one.problems})
    return valid


def _count(
    utc_s: NDArray[np.float64], utc_offset_s: NDArray[np.float64], what: NDArray[np.float64]
) -> dict[int, int]:
    day = (utc_s + utc_offset_s) // 86400
    distinct = np.unique(np.column_stack([day, what]), axis=0)
    found, count = np.unique(distinct[:, 0], return_counts=True)
    return dict(zip(found.astype(int).tolist(), count.tolist(), strict=True))
