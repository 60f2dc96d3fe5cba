"""Features of personal effects: the meal, the hour and the time since the previous meal.

Three effects vary smoothly over the day: an additional rise, the influence of the carbohydrate, and
the influence of the rise predicted by the population model. Each is a random function of the hour h
with the periodic covariance ``exp(−(Δh / 2)² / 2)``, which is approximated by its first eleven
Fourier terms. Observations at one hour therefore have little influence beyond two hours. The other
effects are a constant, the rise predicted by the population model, and a recent meal, after which
glucose starts higher and rises less.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.features import TYPICAL_RECENCY, recency_after

Array = NDArray[np.float64]

EFFECTS = ("always", "gain", "recent", "hour", "carbs_by_hour", "gain_by_hour")
"""Kinds of effects, each with its own variance between people."""

DEPEND_ON_MEAL = ("gain", "carbs_by_hour", "gain_by_hour")
"""Kinds of effects that depend on the foods of the meal."""

ALWAYS = EFFECTS.index("always")
"""Column of the constant effect."""

RECENT = EFFECTS.index("recent")
"""Column of the effect of a recent meal."""

_CONSTANT = 3
_N_HARMONICS = 5
_LENGTH_SCALE_H = 2.0
_OMEGA = [2 * math.pi * j / 24 for j in range(1, _N_HARMONICS + 1)]
_RAW = [1.0, *(2 * math.exp(-((omega * _LENGTH_SCALE_H) ** 2) / 2) for omega in _OMEGA)]
ROOTS = [math.sqrt(weight / sum(_RAW)) for weight in _RAW]
"""Factor of each Fourier term. The constant term is first."""

HARMONICS = tuple(zip(_OMEGA, ROOTS[1:], strict=True))
"""Angular frequency and factor of each pair of Fourier terms."""

OVER_THE_DAY = {ALWAYS: 1.0, EFFECTS.index("hour"): ROOTS[0]}
"""The columns with the same value at all hours, and this value, which is their mean over a day."""

_N_HOURLY = 1 + 2 * _N_HARMONICS

# Rounded averages of the training data, on which the features are centered and scaled.
SATURATION_G = 60.0
MID_CARBS = 0.4
MID_GAIN = 0.7
GAIN_UNIT_MG_DL = 60.0


def effect_names() -> tuple[str, ...]:
    """Return the kind of effect of each column of `meal_features`."""
    return (*EFFECTS[:_CONSTANT], *(name for name in EFFECTS[_CONSTANT:] for _ in range(_N_HOURLY)))


def hourly_terms(hour: Array) -> Array:
    """Compute the Fourier terms for hours of the day."""
    angle = np.asarray(hour)[:, None] * np.array(_OMEGA)
    root = np.array(ROOTS[1:])
    constant = np.full((len(angle), 1), ROOTS[0])
    waves = np.hstack([np.cos(angle) * root, np.sin(angle) * root])
    waves[np.isnan(hour)] = 0.0
    return np.hstack([constant, waves])


def meal_features(
    macronutrients: Array, hour: Array, gain: Array, since_meal_h: Array | None = None
) -> Array:
    """Compute the features of personal effects for meals."""
    available = np.maximum(macronutrients[:, 0] - macronutrients[:, 1] / 2, 0.0)
    carbs = 1 - np.exp(-available / SATURATION_G) - MID_CARBS
    relative_gain = gain / GAIN_UNIT_MG_DL - MID_GAIN
    if since_meal_h is None:
        recent = np.zeros(len(carbs))
    else:
        recent = recency_after(since_meal_h) - TYPICAL_RECENCY
    terms = hourly_terms(hour)
    constant = np.column_stack([np.ones(len(carbs)), relative_gain, recent])
    return np.hstack([constant, terms, carbs[:, None] * terms, relative_gain[:, None] * terms])
