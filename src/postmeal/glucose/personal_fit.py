"""Fitting a person's own model, from CGM and meals to a compact state, in milliseconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import UnusableHistory
from postmeal.glucose.cgm import CgmTrace
from postmeal.glucose.curve import GRID_MIN
from postmeal.glucose.days import require_changing_glucose, require_training_days
from postmeal.glucose.eaten import Eaten, responses
from postmeal.glucose.features import Meals
from postmeal.glucose.personal import PersonalModel, PersonalPrior, meal_features
from postmeal.glucose.predictor import Predictor
from postmeal.glucose.sensors import sensor_constant
from postmeal.glucose.states import STATES, state_of
from postmeal.people import Profile

__all__ = ["fit_personal"]

Array = NDArray[np.float64]

_EPOCH_ORDINAL = 719163
_LEAST_RESPONSES = 5
_DIGITS = 6


def fit_personal(
    predictor: Predictor,
    profile: Profile,
    trace: CgmTrace,
    eaten: Eaten,
    *,
    sensor: str | None = None,
) -> PersonalModel:
    """Fit a person's own model to the training days among their CGM and meals.

    Parameters
    ----------
    predictor : Predictor
        The population model that the personal one corrects.
    profile : Profile
        Who it is.
    trace : CgmTrace
        What the sensor read.
    eaten : Eaten
        What was eaten.
    sensor : str, optional
        The sensor, such as ``"Dexcom G6"``; unknown when omitted.

    Returns
    -------
    PersonalModel
        The compact state.

    Raises
    ------
    TooFewDays
        Fewer than five days are valid; the error says why each did not count.
    UnusableHistory
        No meals of these days can be learned from, or the sensor never moved.
    InputError
        The sensor is not known.
    """
    days = require_training_days(trace, eaten)
    require_changing_glucose(trace, days)
    found = responses(trace, eaten)
    found = found.only(found.is_complete)
    ordinals = [day.toordinal() - _EPOCH_ORDINAL for day in days]
    found = found.only(np.isin(found.day, ordinals))
    if len(found.utc_s) < _LEAST_RESPONSES:
        problem = f"must hold at least {_LEAST_RESPONSES} meals with two hours of CGM after them"
        raise UnusableHistory("consumed_foods", problem, len(found.utc_s))
    state, _ = state_of(profile.health_conditions)
    offset, gain = sensor_constant(sensor, predictor.sensors)
    index = np.full(len(found.utc_s), STATES.index(state))
    meals = Meals(found.macronutrients, found.hour, index)
    rise = gain * predictor.population.rise(meals, np.array(GRID_MIN))
    level = offset + gain * predictor.level_mg_dl[state]
    prior = predictor.personal_prior
    features = meal_features(found.macronutrients, found.hour)
    start = found.glucose_mg_dl[:, 0]
    shapes = np.array(prior.components)
    left = np.column_stack(
        [(found.glucose_mg_dl - start[:, None] - rise) @ shapes.T, start - level]
    )
    effects = _posterior_mean(prior, features, left)
    helps = _helps(prior, features, left, found.day)
    return PersonalModel(
        base=predictor.version,
        state=state,
        sensor=sensor,
        n_days=len(days),
        n_meals=len(found.utc_s),
        effects=tuple(tuple(float(f"{one:.{_DIGITS}g}") for one in row) for row in effects),
        band_scale=0.7,
        low_mg_dl=float(np.round(found.glucose_mg_dl.min())),
        high_mg_dl=float(np.round(found.glucose_mg_dl.max())),
        helps=helps,
    )


def _posterior_mean(prior: PersonalPrior, features: Array, left: Array) -> Array:
    """Mean effects given what the population leaves to explain, (4, n_features)."""
    gram = features.T @ features
    rows = []
    for variance, noise, column in zip(prior.variance, prior.noise, left.T, strict=True):
        precision = gram / noise + np.diag(1 / np.array(variance))
        rows.append(np.linalg.solve(precision, features.T @ column / noise))
    return np.array(rows)


def _helps(prior: PersonalPrior, features: Array, left: Array, day: Array) -> bool:
    """Whether days left out in turn are predicted better than by the population alone."""
    own = 0.0
    for one in np.unique(day):
        out = day == one
        effects = _posterior_mean(prior, features[~out], left[~out])
        own += float(((left[out] - features[out] @ effects.T) ** 2).sum())
    return own < float((left**2).sum())
