"""The population model: the mean rise of glucose after a meal, for a state of regulation.

One formula with few coefficients, so that it transfers between groups of people::

    rise(t) = G · K · (1 − exp(−c / K)) · (z · exp(1 − z)) ^ s  +  d · t / 120
    z = t / peak_min          c = (carbs_g − fiber_g / 2) / (1 + b)

Protein, fat and fiber blunt the carbohydrate eaten with them: b is a sum over their grams. What is
left saturates at K grams. The gain G, mg/dL a gram, depends on the state of regulation and on the
time of day. The shape is a gamma curve that reaches one at ``peak_min``; after the peak its
exponent s is smaller the more protein and fat the meal holds, since they slow the emptying of the
stomach (Ma et al. 2009, doi:10.2337/dc09-0723).

The amount c grows with the carbohydrate and with the size of the whole meal, and nothing else does
that could lower the curve: neither more carbohydrate nor a bigger portion ever lowers any of its
points, at any resolution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.features import Meals

__all__ = [
    "EDGE_PER_HOUR",
    "EVENING_H",
    "MORNING_H",
    "PopulationModel",
    "TimeOfDay",
    "time_of_day",
]

Array = NDArray[np.float64]

EDGE_PER_HOUR = 4.0
"""Steepness of the edges of morning and evening."""

MORNING_H = (3.5, 10.75)
EVENING_H = 17.0


class TimeOfDay(NamedTuple):
    """How much an hour belongs to the morning and to the evening."""

    morning: Array
    evening: Array


def time_of_day(hour: Array) -> TimeOfDay:
    """Grade hours from 0 to 1 as morning and as evening, with edges of about half an hour.

    The morning lasts from 3:30 to 10:45, the evening starts at 17:00 and ends with the day.

    Parameters
    ----------
    hour : ndarray of shape (n_meals,)
        Local hour, 0 up to 24.

    Returns
    -------
    TimeOfDay
        Two arrays of shape (n_meals,).

    Examples
    --------
    >>> day = time_of_day(np.array([8.0, 13.0, 19.0]))
    >>> day.morning.round(2), day.evening.round(2)
    (array([1., 0., 0.]), array([0., 0., 1.]))
    """

    def after(start: float) -> Array:
        return np.asarray(1 / (1 + np.exp(EDGE_PER_HOUR * (start - hour))))

    return TimeOfDay(after(MORNING_H[0]) * (1 - after(MORNING_H[1])), after(EVENING_H))


@dataclass(frozen=True)
class PopulationModel:
    """Coefficients of the formula; four numbers in a row are for the four `STATES`.

    Attributes
    ----------
    log_gain : tuple of float
        Logarithm of mg/dL of rise a gram of carbohydrate, for small amounts.
    morning, evening : tuple of float
        Change of the logarithm of the gain in the morning and in the evening.
    protein_per_g, fat_per_g, fiber_per_g : float
        How much a gram adds to b.
    saturation_g : float
        Grams K at which carbohydrate saturates.
    peak_min : tuple of float
        Minutes from the start of the meal to the peak of the shape.
    sharpness : float
        Exponent s of the shape up to the peak.
    slowing_per_kcal : float
        Decrease of the logarithm of the exponent after the peak, a kcal of protein and fat.
    drift_mg_dl : tuple of float
        Change d over the two hours whatever is eaten.
    """

    log_gain: tuple[float, ...]
    morning: tuple[float, ...]
    evening: tuple[float, ...]
    protein_per_g: float
    fat_per_g: float
    fiber_per_g: float
    saturation_g: float
    peak_min: tuple[float, ...]
    sharpness: float
    slowing_per_kcal: float
    drift_mg_dl: tuple[float, ...]

    @classmethod
    def from_dict(cls, coefficients: dict[str, Any]) -> PopulationModel:
        """Make the model from the plain values that `to_dict` gives."""
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in coefficients.items()
        }
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Give the coefficients as plain values, fit for JSON."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    def rise(self, meals: Meals, minutes: Sequence[float] | Array) -> Array:
        """Mean rise of blood glucose after meals.

        Parameters
        ----------
        meals : Meals
            Any number of meals.
        minutes : array_like of shape (n_times,)
            Minutes after the start of the meal, zero or more.

        Returns
        -------
        ndarray of shape (n_meals, n_times)
            Rise above the glucose at the start of the meal, mg/dL.
        """
        carbs, fiber, protein, fat = meals.macronutrients.T
        state = meals.state
        day = time_of_day(meals.hour)
        log_gain = (
            _of(self.log_gain, state)
            + _of(self.morning, state) * day.morning
            + _of(self.evening, state) * day.evening
        )
        blunting = self.protein_per_g * protein + self.fat_per_g * fat + self.fiber_per_g * fiber
        available = np.maximum(carbs - fiber / 2, 0.0) / (1 + blunting)
        saturating = self.saturation_g * -np.expm1(-available / self.saturation_g)
        t = np.asarray(minutes, dtype=np.float64)
        z = t / _of(self.peak_min, state)[:, None]
        slow_kcal = 4 * protein + 9 * fat  # Atwater factors
        fall = self.sharpness * np.exp(-self.slowing_per_kcal * slow_kcal)
        exponent = np.where(z <= 1, self.sharpness, fall[:, None])
        shape = (z * np.exp(1 - z)) ** exponent
        drift = _of(self.drift_mg_dl, state)[:, None] * (t / 120)
        return np.asarray((np.exp(log_gain) * saturating)[:, None] * shape + drift)


def _of(values: tuple[float, ...], state: NDArray[np.intp]) -> Array:
    return np.array(values)[state]
