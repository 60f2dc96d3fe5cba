"""Ensure that more carbohydrate or a larger portion never lowers the peak of a personal model.

The formula of the population model has this property by construction, but meal-dependent personal
effects can violate it. For every 1.5 hours of the day, these effects are therefore scaled down
until the peak increases with the portion on a grid of compositions and amounts. The peaks are
checked at that hour and halfway to the neighboring hours, with and without a previous meal and with
and without a reading at the start.
Between the grid points, the peak can still fall by a few tenths of a mg/dL.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.personal.features import (
    DEPEND_ON_MEAL,
    RECENT,
    effect_names,
    meal_features,
)
from postmeal.glucose.personal.prior import PersonalPrior
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.formula import PopulationModel
from postmeal.glucose.population.meal_hours import mean_over_hours

Array = NDArray[np.float64]

_ROUNDING_MG_DL = 1e-9
_SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)
SHARE_EVERY_H = 1.5
"""Hours between two adjacent shares."""

_HOURS = np.arange(0.0, 24.0, SHARE_EVERY_H / 2)
_CARBS_G = np.array([0, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 75, 90, 120, 150, 200.0])
_ADDED = ((0.0, 0.0, 0.0), (3.0, 10.0, 8.0), (6.0, 25.0, 20.0), (10.0, 45.0, 45.0))
"""Grams of fiber, protein and fat that are combined with the carbohydrate."""
_WHOLE = (
    (75.0, 0.0, 0.0, 0.0),
    (75.0, 5.0, 45.0, 20.0),
    (60.0, 6.0, 25.0, 20.0),
    (50.0, 5.0, 5.0, 3.0),
    (40.0, 4.0, 40.0, 45.0),
    (30.0, 8.0, 10.0, 50.0),
    (20.0, 2.0, 30.0, 30.0),
    (8.0, 1.0, 25.0, 25.0),
)
"""Macronutrients of whole meals, which are scaled by `_PORTIONS`."""
_PORTIONS = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1, 1.15, 1.3, 1.5, 1.7, 2.0, 2.3, 2.6])
_RECENT_MEAL = 0.5
"""Value of the feature of a recent meal about an hour after that meal."""
_START_ERRORS_MG_DL = (-50.0, 40.0, 80.0)
"""Readings at the start of the meal minus the predicted start."""

BY_MEAL = [n for n, kind in enumerate(effect_names()) if kind in DEPEND_ON_MEAL]
"""Columns of the effects that depend on the meal."""

_NOT_BY_MEAL = [n for n, kind in enumerate(effect_names()) if kind not in DEPEND_ON_MEAL]


class _Grid(NamedTuple):
    macronutrients: Array
    hour: Array


@lru_cache(maxsize=1)
def _meal_grid() -> _Grid:
    """Return the grid of meals, which has rows of increasing portions for every hour."""
    rows = [
        np.array([[carbs, min(fiber, carbs), protein, fat] for carbs in _CARBS_G])
        for fiber, protein, fat in _ADDED
    ]
    rows += [_PORTIONS[:, None] * np.array(whole) for whole in _WHOLE]
    meals = np.concatenate(rows)
    return _Grid(np.tile(meals, (len(_HOURS), 1)), np.repeat(_HOURS, len(meals)))


def monotone_shares(
    population: PopulationModel, prior: PersonalPrior, effects: Array, state: int
) -> tuple[float, ...]:
    """Find factors for the meal-dependent effects that make the peak increase with the portion."""
    grid = _grid_predictions(population, prior.shapes.tobytes(), state)
    by_row = (len(GRID_MIN), len(_HOURS), -1, len(_CARBS_G))
    fixed = grid.rise_mg_dl + prior.shapes.T @ (effects[:3, _NOT_BY_MEAL] @ grid.other_features)
    fixed = fixed.reshape(by_row)
    by_meal = (prior.shapes.T @ (effects[:3, BY_MEAL] @ grid.features_by_meal)).reshape(by_row)
    start = prior.start
    slopes = np.array([start.slope]) + np.array(
        [np.zeros(len(GRID_MIN)), start.recent, start.fasting]
    )
    offsets = [np.zeros(len(GRID_MIN)), _RECENT_MEAL * effects[:3, RECENT] @ prior.shapes]
    offsets += [error * slope for error in _START_ERRORS_MG_DL for slope in slopes]
    shares, pending = np.zeros(len(_HOURS)), np.arange(len(_HOURS))
    for share in _SHARES:
        curves = fixed[:, pending] + share * by_meal[:, pending]
        passes = np.all([_is_monotone(curves, offset) for offset in offsets], axis=0)
        shares[pending[passes]] = share
        pending = pending[~passes]
        if not len(pending):
            break
    on_hour, halfway = shares.reshape(-1, 2).T
    return tuple(np.minimum.reduce([on_hour, halfway, np.roll(halfway, 1)]).tolist())


def _is_monotone(curves: Array, offset: Array) -> NDArray[np.bool_]:
    """Return whether, at each hour, the peak never falls as the portion grows.

    `curves` has the shape (9, n_hours, n_rows, n_portions), and `offset` is added to each curve.
    """
    peak_mg_dl = curves[0] + offset[0]
    for values, added in zip(curves[1:], offset[1:], strict=True):  # faster than one large array
        np.maximum(peak_mg_dl, values + added, out=peak_mg_dl)
    steps = np.diff(peak_mg_dl, axis=2)
    return np.asarray((steps >= -_ROUNDING_MG_DL).all(axis=(1, 2)))


def shares_at(shares: Array, hour: Array) -> Array:
    """Interpolate shares at the hours of meals."""
    unknown = np.flatnonzero(np.isnan(hour))
    if len(unknown):
        known = hour.copy()
        known[unknown] = 0.0
        result = shares_at(shares, known)
        result[unknown] = mean_over_hours(partial(shares_at, shares[unknown]), len(unknown))
        return result
    position = hour / SHARE_EVERY_H
    before = position.astype(np.intp)
    rows = np.arange(len(hour))
    earlier, later = shares[rows, before], shares[rows, (before + 1) % shares.shape[1]]
    return np.asarray(earlier + (position - before) * (later - earlier))


class _GridPredictions(NamedTuple):
    """The population model's rise after each meal of the grid, and the features of the meals.

    All arrays have one column for each meal of the grid. The features that depend on the meal are
    those in `BY_MEAL`.
    """

    rise_mg_dl: Array
    other_features: Array
    features_by_meal: Array


@lru_cache(maxsize=16)
def _grid_predictions(population: PopulationModel, shapes: bytes, state: int) -> _GridPredictions:
    macronutrients, hour = _meal_grid()
    meals = Meals(macronutrients, hour, np.full(len(hour), state))
    rise = population.rise(meals, np.array(GRID_MIN))
    first = np.frombuffer(shapes).reshape(3, -1)[0]
    features = meal_features(macronutrients, hour, rise @ first)
    columns = rise, features[:, _NOT_BY_MEAL], features[:, BY_MEAL]
    return _GridPredictions(*(np.ascontiguousarray(column.T) for column in columns))
