"""Population model: the mean rise of glucose after a meal, by state of glucose regulation.

The model is a formula with few coefficients, so that it generalizes between groups of people::

    rise(t) = G · K · (1 − exp(−c / K)) · (z · exp(1 − z)) ^ s  +  d · t / 120  +  r(t)
    z = t / peak_min          c = (carbs_g − fiber_g / 2) / (1 + b)

Protein, fat and fiber blunt the effect of the carbohydrate: b is a weighted sum of their grams. The
remaining amount c saturates at K grams, which depends on the state of glucose regulation. The gain
G, in mg/dL per gram, depends on the state and on the time of day. The shape is a gamma curve with a
maximum of one at ``peak_min``. After the peak, its exponent s decreases with the protein and fat of
the meal, because they slow gastric emptying (Ma et al. 2009, doi:10.2337/dc09-0723), and with the
amount c, because a larger dose lengthens the response more than it raises the peak.

The gain of a person may differ from the mean of the state; see `postmeal.glucose.person.prior`.

The term r(t) is the effect of a recent previous meal, after which glucose is still falling. This
effect fades within hours and does not depend on the current meal.

The amount c increases with the carbohydrate and with the size of the whole meal, and no other term
lowers the curve as they increase. Therefore, neither more carbohydrate nor a larger portion lowers
the curve at any minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.features import TYPICAL_RECENCY, Meals, recency_after
from postmeal.glucose.population.states import STATES

Array = NDArray[np.float64]

EDGE_PER_HOUR = 4.0
"""Steepness of the edges of morning and evening."""

MORNING_H = (3.5, 10.75)
"""Start and end of the morning, in hours since midnight."""

EVENING_H = 17.0
"""Start of the evening, in hours since midnight."""


MAX_SLOWING_CARBS_G = 150.0
"""Grams of carbohydrate above which the fall after the peak does not become slower."""


class TimeOfDay(NamedTuple):
    """Degree to which each hour belongs to the morning and to the evening, from 0 to 1."""

    morning: Array
    evening: Array


def time_of_day(hour: Array) -> TimeOfDay:
    """Return the degree to which each hour belongs to the morning and the evening, from 0 to 1.

    The morning is from 3:30 to 10:45 and the evening from 17:00 to midnight; the transitions take
    about half an hour.
    """

    def after(start: float) -> Array:
        return np.asarray(1 / (1 + np.exp(EDGE_PER_HOUR * (start - hour))))

    return TimeOfDay(after(MORNING_H[0]) * (1 - after(MORNING_H[1])), after(EVENING_H))


@dataclass(frozen=True)
class PopulationModel:
    """Coefficients of the formula.

    Tuples contain one value per state in `STATES`.
    """

    log_gain: tuple[float, ...]
    morning: tuple[float, ...]
    evening: tuple[float, ...]
    protein_per_g: float
    fat_per_g: float
    fiber_per_g: float
    saturation_g: tuple[float, ...]
    peak_min: tuple[float, ...]
    sharpness: float
    slowing_per_kcal: float
    drift_mg_dl: tuple[float, ...]
    slowing_per_g: float = 0.0
    recent_middle_mg_dl: float = 0.0
    recent_end_mg_dl: float = 0.0

    @classmethod
    def from_dict(cls, coefficients: dict[str, Any]) -> PopulationModel:
        """Create the model from the output of `to_dict`."""
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in coefficients.items()
        }
        if isinstance(values["saturation_g"], float):  # format 2: the same for all states
            values["saturation_g"] = (values["saturation_g"],) * len(STATES)
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the coefficients as a JSON-serializable dict."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    def rise(self, meals: Meals, minutes: Sequence[float] | Array) -> Array:
        """Predict the mean rise of blood glucose after meals."""
        carbs, fiber, protein, fat = meals.macronutrients.T
        state = meals.state
        day = time_of_day(meals.hour)
        log_gain = (
            _by_state(self.log_gain, state)
            + _by_state(self.morning, state) * day.morning
            + _by_state(self.evening, state) * day.evening
        )
        if meals.log_gain is not None:
            log_gain = log_gain + meals.log_gain
        blunting = self.protein_per_g * protein + self.fat_per_g * fat + self.fiber_per_g * fiber
        available = np.maximum(carbs - fiber / 2, 0.0) / (1 + blunting)
        limit = _by_state(self.saturation_g, state)
        saturated = limit * -np.expm1(-available / limit)
        t = np.asarray(minutes, dtype=np.float64)
        z = t / np.array(self.peak_min)[:, None]  # by state, of shape (4, n_times)
        slow_kcal = 4 * protein + 9 * fat  # Atwater factors
        slowing = self.slowing_per_kcal * slow_kcal
        slowing += self.slowing_per_g * np.minimum(available, MAX_SLOWING_CARBS_G)
        fall = self.sharpness * np.exp(-slowing)
        exponent = np.where((z <= 1)[state], self.sharpness, fall[:, None])
        shape = (z * np.exp(1 - z))[state] ** exponent
        drift = _by_state(self.drift_mg_dl, state)[:, None] * (t / 120)
        change = drift + self._recent_change(meals, t)
        return np.asarray((np.exp(log_gain) * saturated)[:, None] * shape + change)

    def _recent_change(self, meals: Meals, t: Array) -> Array:
        middle = np.sin(np.pi * np.minimum(t, 120.0) / 120)
        end = np.minimum(t, 120.0) / 120
        by_time = self.recent_middle_mg_dl * middle + self.recent_end_mg_dl * end
        if meals.since_meal_h is None:
            return TYPICAL_RECENCY * by_time  # the same for all meals, of shape (n_times,)
        return recency_after(meals.since_meal_h)[:, None] * by_time


def _by_state(values: tuple[float, ...], state: NDArray[np.intp]) -> Array:
    return np.array(values)[state]
