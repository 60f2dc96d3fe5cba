"""The guard of portions: more carbohydrate, or more of a whole meal, never lowers the peak.

The population's formula has this property by construction. Personal effects that depend on the
meal could break it, so at every hour and a half of the day their share is reduced, as far as
needed, until the peak rises with the portion over a lattice of compositions and amounts: at that
hour and at those halfway to its neighbours, whether or not a meal or a reading came before. Between
the points of the lattice a peak may fall by a few tenths of a mg/dL.
"""

from __future__ import annotations

from functools import lru_cache
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

__all__ = ["BY_MEAL", "SHARE_EVERY_H", "shares_at", "shares_without_falls"]

Array = NDArray[np.float64]

_ROUNDING_MG_DL = 1e-9
_SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)
SHARE_EVERY_H = 1.5
"""Hours between the shares."""

_HOURS = np.arange(0.0, 24.0, SHARE_EVERY_H / 2)
_CARBS_G = np.array([0, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 75, 90, 120, 150, 200.0])
_ADDED = ((0.0, 0.0, 0.0), (3.0, 10.0, 8.0), (6.0, 25.0, 20.0), (10.0, 45.0, 45.0))
"""Fiber, protein and fat beside the carbohydrate."""
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
"""Whole meals that are eaten in growing portions."""
_PORTIONS = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1, 1.15, 1.3, 1.5, 1.7, 2.0, 2.3, 2.6])
_AFTER_MEAL = 0.5
_OFF_MG_DL = (-50.0, 40.0, 80.0)
"""A meal an hour before, and how far a reading at the start of the meal is off what was predicted."""

BY_MEAL = [n for n, kind in enumerate(effect_names()) if kind in DEPEND_ON_MEAL]
"""Columns of the effects that depend on the meal."""


class _Lattice(NamedTuple):
    macronutrients: Array
    hour: Array


@lru_cache(maxsize=1)
def _lattice() -> _Lattice:
    """Meals in rows of growing portions, for every hour."""
    rows = [
        np.array([[c, min(fiber, c), protein, fat] for c in _CARBS_G])
        for fiber, protein, fat in _ADDED
    ]
    rows += [_PORTIONS[:, None] * np.array(whole) for whole in _WHOLE]
    meals = np.concatenate(rows)
    return _Lattice(np.tile(meals, (len(_HOURS), 1)), np.repeat(_HOURS, len(meals)))


def shares_without_falls(
    population: PopulationModel, prior: PersonalPrior, effects: Array, state: int
) -> tuple[float, ...]:
    """Find how much of the effects that depend on the meal keeps the peak rising with portions.

    Parameters
    ----------
    population : PopulationModel
        Mean rise.
    prior : PersonalPrior
        The shapes.
    effects : ndarray of shape (4, 36)
        Personal effects.
    state : int
        Position in `STATES`.

    Returns
    -------
    tuple of float of length 16
        For every hour and a half of the day: one where nothing has to be reduced, zero where
        nothing of them can stay.
    """
    rise, features = _population_side(population, prior.shapes.tobytes(), state)
    rest = [column for column in range(features.shape[1]) if column not in BY_MEAL]
    by_row = (len(GRID_MIN), len(_HOURS), -1, len(_CARBS_G))
    always = (rise + features[:, rest] @ effects[:3, rest].T @ prior.shapes).T.reshape(by_row)
    by_meal = (features[:, BY_MEAL] @ effects[:3, BY_MEAL].T @ prior.shapes).T.reshape(by_row)
    slope = np.array(prior.start.slope)
    before = [np.zeros(len(slope)), _AFTER_MEAL * effects[:3, RECENT] @ prior.shapes]
    before += [off * slope for off in _OFF_MG_DL]
    shares, left = np.zeros(len(_HOURS)), np.arange(len(_HOURS))
    for share in _SHARES:
        curves = always[:, left] + share * by_meal[:, left]
        rises = np.all([_rises(curves + one[:, None, None, None]) for one in before], axis=0)
        shares[left[rises]] = share
        left = left[~rises]
    at, halfway = shares.reshape(-1, 2).T
    return tuple(np.minimum.reduce([at, halfway, np.roll(halfway, 1)]).tolist())


def _rises(curves: Array) -> NDArray[np.bool_]:
    """At which hours the peak never falls with the portion: (9, n_hours, n_rows, n_portions) in."""
    steps = np.diff(curves.max(axis=0), axis=2)
    return np.asarray((steps >= -_ROUNDING_MG_DL).all(axis=(1, 2)))


def shares_at(shares: Array, hour: Array) -> Array:
    """Interpolate shares between the times of day that they are for.

    Parameters
    ----------
    shares : ndarray of shape (n_meals, 16)
        Shares of the eater of each meal.
    hour : ndarray of shape (n_meals,)
        Local hours, 0 up to 24.

    Returns
    -------
    ndarray of shape (n_meals,)
        The share at each hour, on the line between the shares around it.

    Examples
    --------
    >>> shares_at(np.array([[1.0, 0.5] + [1.0] * 14]), np.array([1.0]))
    array([0.66666667])
    """
    position = hour / SHARE_EVERY_H
    before = position.astype(np.intp)
    rows = np.arange(len(hour))
    earlier, later = shares[rows, before], shares[rows, (before + 1) % shares.shape[1]]
    return np.asarray(earlier + (position - before) * (later - earlier))


@lru_cache(maxsize=16)
def _population_side(population: PopulationModel, shapes: bytes, state: int) -> tuple[Array, Array]:
    macronutrients, hour = _lattice()
    meals = Meals(macronutrients, hour, np.full(len(hour), state))
    rise = population.rise(meals, np.array(GRID_MIN))
    first = np.frombuffer(shapes).reshape(3, -1)[0]
    return rise, meal_features(macronutrients, hour, rise @ first)
