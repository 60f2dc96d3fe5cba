"""Fitting a person's own model, from CGM and meals to a compact state, in milliseconds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import UnusableHistory
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory, Responses, responses
from postmeal.glucose.history.training_days import require_changing_glucose, require_training_days
from postmeal.glucose.history.wall_clock import EPOCH
from postmeal.glucose.personal.features import RECENT, meal_features
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal.portion_guard import shares_without_falls
from postmeal.glucose.personal.posterior import MealEquations
from postmeal.glucose.personal.prior import ERROR_QUANTILE, PersonalPrior
from postmeal.glucose.population.band import widening
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES, State, state_of
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile

__all__ = ["Observed", "fit_personal", "fit_to_meals", "observe"]

Array = NDArray[np.float64]

_LEAST_MEALS = 5
_MOST_DAYS = 90
_DIGITS = 5


class Observed(NamedTuple):
    """A person's meals beside what the population model says of them, as blood glucose.

    Attributes
    ----------
    meals : Responses
        The meals, with readings.
    rise_mg_dl : ndarray of shape (n_meals, 9)
        The population's rise.
    left_mg_dl : ndarray of shape (n_meals, 9)
        Observed less the population's curve; NaN where nothing was read.
    features : ndarray of shape (n_meals, 36)
        What personal effects depend on.
    """

    meals: Responses
    rise_mg_dl: Array
    left_mg_dl: Array
    features: Array


def fit_personal(
    predictor: Predictor,
    profile: Profile,
    trace: CgmTrace,
    eaten: MealHistory,
    *,
    sensor: str | None = None,
) -> PersonalModel:
    """Fit a person's own model to the training days among their CGM and meals.

    Of more than 90 valid days the latest 90 are learned from: people change, and the work grows
    with the cube of the days.

    Parameters
    ----------
    predictor : Predictor
        The population model that the personal one corrects.
    profile : Profile
        Who it is.
    trace : CgmTrace
        What the sensor read.
    eaten : MealHistory
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
        The sensor never moved, or too few meals of these days can be learned from.
    InputError
        The sensor is not known.
    """
    days = require_training_days(trace, eaten)[-_MOST_DAYS:]
    require_changing_glucose(trace, days)
    found = responses(trace, eaten)
    found = found.only(np.isin(found.day, [(day - EPOCH.date()).days for day in days]))
    n_whole = int(found.is_complete.sum())
    if n_whole < _LEAST_MEALS:
        problem = f"must hold at least {_LEAST_MEALS} meals with two hours of CGM after them"
        raise UnusableHistory("consumed_foods", problem, n_whole)
    state, _ = state_of(profile.health_conditions)
    return fit_to_meals(predictor, found, state, sensor, len(days))


def fit_to_meals(
    predictor: Predictor, found: Responses, state: State, sensor: str | None, n_days: int
) -> PersonalModel:
    """Fit a personal model to meals, of which at least one is whole; see `fit_personal`."""
    prior = predictor.personal_prior
    gain = sensor_constant(sensor, predictor.sensors).gain
    seen = observe(predictor, prior.shapes, found, state, sensor)
    wider = widening(seen.rise_mg_dl.max(axis=1))
    whole = found.is_complete
    try:
        equations = MealEquations(prior, seen.features, seen.left_mg_dl, found.day, wider)
        population, own = seen.left_mg_dl[whole], equations.errors_on_days_left_out()[whole]
    except np.linalg.LinAlgError:
        problem = "must hold readings and meals from which a model can be computed"
        raise UnusableHistory("cgm_data", problem) from None
    solved = equations.effects()
    effects = solved.effects.copy()
    effects[:, RECENT] += prior.recent
    shares = shares_without_falls(predictor.population, prior, effects, STATES.index(state))
    readings = found.glucose_mg_dl[whole]
    low, high = _own_range(prior, readings, state)
    last_day = int(found.day[-1])
    return PersonalModel(
        base=predictor.version,
        state=state,
        sensor=sensor,
        n_days=n_days,
        n_meals=len(found.utc_s),
        effects=tuple(tuple(_rounded(one) for one in row) for row in effects.tolist()),
        shares=shares,
        drift_mg_dl=_rounded(solved.of_day[float(last_day)]),
        last_day=last_day,
        scale_mg_dl=_rounded(gain * _error_scale(prior, own, wider[whole], state)),
        low_mg_dl=_rounded(low),
        high_mg_dl=_rounded(high),
        population_rmse_mg_dl=_rounded(gain * _typical(population)),
        personal_rmse_mg_dl=_rounded(gain * _typical(own)),
    )


def observe(
    predictor: Predictor, shapes: Array, found: Responses, state: State, sensor: str | None
) -> Observed:
    """Put a person's meals beside what the population model says of them.

    Parameters
    ----------
    predictor : Predictor
        The population model.
    shapes : ndarray of shape (3, 9)
        Shapes of the rise.
    found : Responses
        The meals.
    state : str
        State of regulation.
    sensor : str or None
        What read the glucose; blood itself when None.

    Returns
    -------
    Observed
        The meals, as blood glucose.
    """
    offset, gain = sensor_constant(sensor, predictor.sensors)
    index = np.full(len(found.utc_s), STATES.index(state))
    meals = Meals(found.macronutrients, found.hour, index)
    rise = predictor.population.rise(meals, np.array(GRID_MIN))
    blood = (found.glucose_mg_dl - offset) / gain
    along = rise @ shapes[0]
    features = meal_features(found.macronutrients, found.hour, along, found.since_meal_h)
    return Observed(found, rise, blood - rise - predictor.level_mg_dl[state], features)


def _error_scale(prior: PersonalPrior, errors: Array, wider: Array, state: State) -> float:
    """Size of the errors at a person: their own, shrunk towards that of people in this state."""
    own = float(np.quantile(np.abs(errors) / wider[:, None], ERROR_QUANTILE))
    weight = prior.scale_weight
    return (weight * prior.typical_error_mg_dl[state] + len(errors) * own) / (weight + len(errors))


def _own_range(prior: PersonalPrior, readings: Array, state: State) -> tuple[float, float]:
    own = prior.own_range
    minima, maxima = readings.min(axis=1), readings.max(axis=1)
    low = float(minima.mean()) - own.below_sd * own.spread(minima, state)
    return low, float(maxima.mean()) + own.above_sd * own.spread(maxima, state)


def _typical(errors: Array) -> float:
    """Mean over meals of the root mean square error: one strange meal does not decide."""
    return float(np.sqrt((errors**2).mean(axis=1)).mean())


def _rounded(value: float) -> float:
    """Round to five significant digits: what is stored is what predicts."""
    return float(f"{value:.{_DIGITS}g}")
