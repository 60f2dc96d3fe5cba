"""Usual hours of meals, which stand for the hour of a meal if it is unknown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MEAL_HOURS = np.array(
    [6.5, 7.5, 8.5, 10.5, 11.5, 12.25, 13.25, 16.0, 17.75, 18.25, 19.25, 21.25]
)  # fmt: skip
"""Twelve local hours, each of which stands for a twelfth of the meals of the training people.

They are the midpoints of the twelfths (the quantiles 1/24, 3/24, … 23/24), rounded to quarter
hours, of 4,932 meals of the 69 people in BIG IDEAs, ShanghaiT2DM and T1D-UOM, in which everyone has
the same weight and a day starts at 3:00. The other training sets contain only standard meals, most
of them at breakfast.
"""


def mean_over_hours(values_at: Callable[[Array], Array], n_rows: int) -> Array:
    """Return the mean of values over `MEAL_HOURS`."""
    return np.asarray(np.mean([values_at(np.full(n_rows, h)) for h in MEAL_HOURS], axis=0))
