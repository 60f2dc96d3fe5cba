"""Calibrate the bands of preliminary personal models, which are fitted to two to four days."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.history.training_days import MIN_DAYS, MIN_PRELIMINARY_DAYS
from postmeal.glucose.population.band import widening
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.calibration import COVERAGE, weighted_quantile
from postmeal.training.fit.later_days import LaterMeals, later_meals, while_level_is_used
from postmeal.training.fit.person_history import PersonHistory

Array = NDArray[np.float64]

_LEAST_MEALS = 3
_TINY_MG_DL = 1e-9


def fit_preliminary_scale(
    folds: list[tuple[Predictor, list[PersonHistory]]], personal: dict[str, Any]
) -> dict[str, float]:
    """Find factors that widen the bands of preliminary models to contain 90% of readings."""
    result: dict[str, float] = {}
    least = 1.0
    for n_days in reversed(range(MIN_PRELIMINARY_DAYS, MIN_DAYS)):
        needed, weight = [], []
        for fold, unseen in folds:
            people = [one for one in unseen if one.state != "type_1"]
            later = later_meals(fold, people, n_days, least_meals=_LEAST_MEALS)
            for one in while_level_is_used(later):
                factors = _needed_factors(one, fold, personal).ravel()
                needed.append(factors)
                weight.append(np.full(len(factors), 1 / len(factors)))
        if needed:
            factor = weighted_quantile(np.concatenate(needed), np.concatenate(weight), COVERAGE)
            least = max(least, factor)
        result[str(n_days)] = least
    return dict(sorted(result.items()))


def _needed_factors(one: LaterMeals, predictor: Predictor, personal: dict[str, Any]) -> Array:
    """Return the factors by which the band must be widened to contain each reading."""
    assert one.personal is not None  # There are training days.
    gain = sensor_constant(one.history.sensor, predictor.sensors).gain
    n_meals, weight = int(one.known.is_complete.sum()), personal["scale_weight"]
    typical = personal["typical_error_mg_dl"][one.history.state]
    scale = (gain * weight * typical + n_meals * one.personal.scale_mg_dl) / (weight + n_meals)
    unit = scale * widening(one.personal_mg_dl - one.personal_mg_dl[:, :1])
    errors = one.meals.glucose_mg_dl - one.personal_mg_dl
    sides = (np.array(personal["band"][name]) for name in ("below", "above"))
    below, above = (np.maximum(unit * side, _TINY_MG_DL) for side in sides)
    return np.asarray(np.where(errors < 0, -errors / below, errors / above))
