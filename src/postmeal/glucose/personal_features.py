"""What a personal effect may depend on: the meal, the hour, and how long ago the last meal was.

Three things change smoothly over the day of a person: a rise of their own, and how much more or
less carbohydrate and the population's rise count. Over the hours h each is a random function with
the covariance ``exp(−(Δh / 2)² / 2)`` on the circle of the day, written out in its first eleven
Fourier terms: what was learned at one hour fades two hours away. Around them stand a constant, the
population's rise, and a recent meal, after which glucose starts higher and rises less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DEPEND_ON_MEAL",
    "EFFECTS",
    "RECENT",
    "effect_names",
    "hourly_terms",
    "meal_features",
    "one_feature_row",
]

Array = NDArray[np.float64]

EFFECTS = ("always", "gain", "recent", "hour", "carbs_by_hour", "gain_by_hour")
"""The kinds of effects, each with its own variance between people."""

DEPEND_ON_MEAL = ("gain", "carbs_by_hour", "gain_by_hour")
"""Kinds of effects that depend on what is about to be eaten."""

RECENT = EFFECTS.index("recent")
"""Column of the effect of a recent meal."""

_CONSTANT = 3
_HARMONICS = 5
_HOURS_APART = 2.0
_OMEGA = [2 * math.pi * j / 24 for j in range(1, _HARMONICS + 1)]
_RAW = [1.0, *(2 * math.exp(-((omega * _HOURS_APART) ** 2) / 2) for omega in _OMEGA)]
_ROOT = [math.sqrt(one / sum(_RAW)) for one in _RAW]
_HARMONIC = tuple(zip(_OMEGA, _ROOT[1:], strict=True))
_N_HOURLY = 1 + 2 * _HARMONICS

# Round figures for the middle of the meals in the training data, so that effects are about it.
_SATURATION_G = 60.0
_MID_CARBS = 0.4
_MID_GAIN = 0.7
_GAIN_UNIT_MG_DL = 60.0
_MID_RECENT = 0.15
_RECENT_H = 1.5


def effect_names() -> tuple[str, ...]:
    """Kind of each column of `meal_features`."""
    return (*EFFECTS[:_CONSTANT], *(name for name in EFFECTS[_CONSTANT:] for _ in range(_N_HOURLY)))


def hourly_terms(hour: Array) -> Array:
    """Fourier terms of hours of the day.

    Parameters
    ----------
    hour : ndarray of shape (n,)
        Local hours, 0 up to 24.

    Returns
    -------
    ndarray of shape (n, 11)
        Terms whose inner product is the covariance.

    Examples
    --------
    >>> terms = hourly_terms(np.array([7.0, 8.0, 12.0, 31.0]))
    >>> (terms @ terms[0]).round(2)
    array([1.  , 0.89, 0.04, 1.  ])
    """
    angle = np.asarray(hour)[:, None] * np.array(_OMEGA)
    root = np.array(_ROOT[1:])
    constant = np.full((len(angle), 1), _ROOT[0])
    return np.hstack([constant, np.cos(angle) * root, np.sin(angle) * root])


def meal_features(
    macronutrients: Array, hour: Array, gain: Array, since_meal_h: Array | None = None
) -> Array:
    """What personal effects depend on, for any number of meals.

    Parameters
    ----------
    macronutrients : ndarray of shape (n_meals, 4)
        Grams of `postmeal.glucose.features.MACRONUTRIENTS`.
    hour : ndarray of shape (n_meals,)
        Local hour of the first bite.
    gain : ndarray of shape (n_meals,)
        The population's rise along the first shape of `PersonalPrior`, mg/dL.
    since_meal_h : ndarray of shape (n_meals,), optional
        Hours since the meal before; an average one when omitted or NaN.

    Returns
    -------
    ndarray of shape (n_meals, 36)
        One column an effect; see `effect_names`.
    """
    available = np.maximum(macronutrients[:, 0] - macronutrients[:, 1] / 2, 0.0)
    carbs = 1 - np.exp(-available / _SATURATION_G) - _MID_CARBS
    relative_gain = gain / _GAIN_UNIT_MG_DL - _MID_GAIN
    if since_meal_h is None:
        recent = np.zeros(len(carbs))
    else:
        recent = np.nan_to_num(np.exp(-since_meal_h / _RECENT_H) - _MID_RECENT, nan=0.0)
    terms = hourly_terms(hour)
    constant = np.column_stack([np.ones(len(carbs)), relative_gain, recent])
    return np.hstack([constant, terms, carbs[:, None] * terms, relative_gain[:, None] * terms])


def one_feature_row(
    macronutrients: Sequence[float],
    hour: float,
    gain: float,
    since_meal_h: float | None = None,
    share: float = 1.0,
) -> list[float]:
    """One row of `meal_features` in plain floats: for a single meal several times as fast.

    Parameters
    ----------
    macronutrients : sequence of float of length 4
        Grams of `postmeal.glucose.features.MACRONUTRIENTS`.
    hour : float
        Local hour of the first bite.
    gain : float
        The population's rise along the first shape, mg/dL.
    since_meal_h : float, optional
        Hours since the meal before; an average one when omitted.
    share : float, default=1
        How much of what depends on the meal is to count; see `postmeal.glucose.portions`.

    Returns
    -------
    list of float of length 36
        The row.

    Examples
    --------
    >>> row = one_feature_row((50.0, 5.0, 10.0, 8.0), 8.0, 30.0, 3.0)
    >>> meal = np.array([[50.0, 5.0, 10.0, 8.0]])
    >>> many = meal_features(meal, np.array([8.0]), np.array([30.0]), np.array([3.0]))
    >>> bool(np.allclose(row, many[0], rtol=1e-12, atol=1e-12))
    True
    """
    available = max(macronutrients[0] - macronutrients[1] / 2, 0.0)
    carbs = share * (1 - math.exp(-available / _SATURATION_G) - _MID_CARBS)
    relative_gain = share * (gain / _GAIN_UNIT_MG_DL - _MID_GAIN)
    recent = 0.0 if since_meal_h is None else math.exp(-since_meal_h / _RECENT_H) - _MID_RECENT
    terms = [_ROOT[0]]
    terms += [math.cos(hour * omega) * root for omega, root in _HARMONIC]
    terms += [math.sin(hour * omega) * root for omega, root in _HARMONIC]
    row = [1.0, relative_gain, recent, *terms]
    row += [carbs * one for one in terms]
    row += [relative_gain * one for one in terms]
    return row
