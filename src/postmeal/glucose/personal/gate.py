"""Compute errors on held-out days, which decide whether a personal model is used."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.personal.features import OVER_THE_DAY, RECENT
from postmeal.glucose.personal.level_age import level_share
from postmeal.glucose.personal.portion_guard import BY_MEAL, shares_at
from postmeal.glucose.personal.posterior import MealEquations
from postmeal.glucose.personal.prior import LEVEL, PersonalPrior

Array = NDArray[np.float64]

COMPARED_AGE_DAYS = 7.0
"""Days after the end of the history for which the errors of the models are compared."""


class HeldOutErrors(NamedTuple):
    """RMSE of each meal in mg/dL, averaged over the meals, with each day held out in turn."""

    population: float
    personal: float
    response: float


def held_out_rmse(
    prior: PersonalPrior,
    equations: MealEquations,
    features: Array,
    residual_mg_dl: Array,
    hour: Array,
    shares: tuple[float, ...],
) -> HeldOutErrors:
    """Compute the errors of the population model and of a personal model on held-out days."""
    guarded = features.copy()
    guarded[:, BY_MEAL] *= shares_at(np.tile(shares, (len(hour), 1)), hour)[:, None]
    share = level_share(COMPARED_AGE_DAYS)
    personal, response = residual_mg_dl.copy(), residual_mg_dl.copy()
    for meals, sensor, learned in equations.held_out_days():
        effects = learned.effects.copy()
        effects[:, RECENT] += prior.recent
        mean_level = sum(effects[LEVEL, column] * value for column, value in OVER_THE_DAY.items())
        mean_level += learned.of_sensor[sensor]
        along = guarded[meals] @ effects.T
        along[:, LEVEL] += learned.of_sensor[sensor] - mean_level
        response[meals] -= along @ prior.curves.T
        along[:, LEVEL] += share * mean_level
        personal[meals] -= along @ prior.curves.T
    complete = ~np.isnan(residual_mg_dl).any(axis=1)
    return HeldOutErrors(
        *(_mean_rmse(errors[complete]) for errors in (residual_mg_dl, personal, response))
    )


def _mean_rmse(errors: Array) -> float:
    """Return the root mean square error of each meal, averaged over the meals.

    Outliers affect this average less than a single RMSE over all readings of all meals.
    """
    return float(np.sqrt((errors**2).mean(axis=1)).mean())
