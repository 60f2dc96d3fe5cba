"""Fit personal models to CGM readings and meals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.arguments import check_whole
from postmeal.errors import InputError, TooFewDays, UnusableHistory
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory, Responses, responses
from postmeal.glucose.history.sensor_changes import sensor_changes, sensor_numbers
from postmeal.glucose.history.training_days import (
    MIN_DAYS,
    MIN_PRELIMINARY_DAYS,
    require_changing_glucose,
    require_training_days,
    training_days,
)
from postmeal.glucose.history.wall_clock import EPOCH
from postmeal.glucose.person.prior import MEAN_PERSON, PersonPrior, person_prior
from postmeal.glucose.person.trace import NO_TRACE, summarize
from postmeal.glucose.personal.features import ALWAYS, RECENT, meal_features
from postmeal.glucose.personal.gate import held_out_rmse
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal.portion_guard import monotone_shares
from postmeal.glucose.personal.posterior import MealEquations
from postmeal.glucose.personal.prior import ERROR_QUANTILE, FULL_MEALS, LEVEL, PersonalPrior
from postmeal.glucose.population.band import widening
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.formula import PopulationModel
from postmeal.glucose.population.glucose_range import ends_of_readings
from postmeal.glucose.population.meal_hours import mean_over_hours
from postmeal.glucose.population.sensors import check_sensor, sensor_constant
from postmeal.glucose.population.states import STATES, State, state_of
from postmeal.glucose.released_model import ReleasedModel
from postmeal.people import Profile

__all__ = [
    "Observed",
    "fit_personal",
    "fit_recent",
    "fit_to_meals",
    "observe",
    "prior_of_trace",
    "usable_history",
]

Array = NDArray[np.float64]

_MIN_MEALS = 5
_MAX_DAYS = 90
_DIGITS = 5


class Observed(NamedTuple):
    """A person's meals and the population model's predictions for them, in blood glucose.

    Attributes
    ----------
    meals : Responses
        The meals and the readings after them.
    rise_mg_dl : ndarray of shape (n_meals, 9)
        Rise predicted by the population model.
    residual_mg_dl : ndarray of shape (n_meals, 9)
        Residuals: observed minus predicted curve, NaN without a reading.
    features : ndarray of shape (n_meals, 36)
        Features of personal effects.
    """

    meals: Responses
    rise_mg_dl: Array
    residual_mg_dl: Array
    features: Array


def fit_personal(
    predictor: ReleasedModel,
    profile: Profile,
    trace: CgmTrace,
    meals: MealHistory,
    *,
    sensor: str | None = None,
    least_days: int = MIN_DAYS,
) -> PersonalModel:
    """Fit a personal model to the valid training days of a person's CGM readings and meals.

    Only the latest 90 valid days are used, because people change over time and the computing time
    grows with the cube of the number of days. If the sensor was changed during these days, the
    level is that of the last sensor; see `postmeal.glucose.history.sensor_changes`.

    Parameters
    ----------
    predictor : Predictor
        The population model to correct.
    profile : Profile
        The person.
    trace : CgmTrace
        CGM readings of the person.
    meals : MealHistory
        Meals of the person. Where their local time is unknown, nothing is learned about the hours.
    sensor : str, optional
        The sensor, such as ``"Dexcom G6"``. When omitted, the readings are treated as blood
        glucose. If the trace is from an export that names a sensor, it must be of the same family.
    least_days : int, default=5
        Required number of valid days, 2 to 5. A model that is fitted to fewer than five days is
        preliminary: its band is wider, and a note in its predictions states this.

    Returns
    -------
    PersonalModel
        The personal model.

    Raises
    ------
    TooFewDays
        Fewer than `least_days` days are valid; the error lists the problems of each invalid day.
    UnusableHistory
        The readings never change, or too few meals can be used for training.
    InputError
        The sensor is unknown or contradicts the export, or `least_days` is out of range.
    """
    check_sensor(sensor, trace.device, predictor.sensors)
    check_whole("least_days", least_days)
    if not MIN_PRELIMINARY_DAYS <= least_days <= MIN_DAYS:
        problem = f"must be {MIN_PRELIMINARY_DAYS} to {MIN_DAYS}"
        raise InputError("least_days", problem, least_days)
    days, found = usable_history(trace, meals, least_days)
    state, _ = state_of(profile.health_conditions)
    changes = sensor_changes(trace)
    known = prior_of_trace(predictor, state, sensor, trace)
    return fit_to_meals(predictor, found, state, sensor, len(days), changes, known)


def usable_history(
    trace: CgmTrace, meals: MealHistory, least_days: int = MIN_DAYS
) -> tuple[tuple[date, ...], Responses]:
    """Return the valid training days and their meals; see `fit_personal` for the exceptions."""
    try:
        days = require_training_days(trace, meals, least_days)[-_MAX_DAYS:]
    except TooFewDays as error:
        if error.valid >= MIN_PRELIMINARY_DAYS:
            advice = f"record more days, or pass least_days={error.valid} for a preliminary model"
            error.args = (f"{error}; {advice}",)
        raise
    require_changing_glucose(trace, days)
    found = _on_days(responses(trace, meals), days)
    n_complete = int(found.is_complete.sum())
    needed = _MIN_MEALS if len(days) >= MIN_DAYS else FULL_MEALS
    if n_complete < needed:
        problem = (
            f"must contain at least {needed} meals of known carbohydrate that are followed by"
            " two hours of CGM readings"
        )
        raise UnusableHistory("meals", problem, n_complete)
    return days, found


def fit_recent(
    predictor: ReleasedModel,
    state: State,
    trace: CgmTrace,
    meals: MealHistory,
    sensor: str | None,
    known: PersonPrior,
) -> PersonalModel | None:
    """Fit a personal model to any number of meals, None if none can be used.

    From five valid days, the meals of these days are used, as in `fit_personal`.
    """
    found = responses(trace, meals)
    days = [day.day for day in training_days(trace, meals) if day.is_valid][-_MAX_DAYS:]
    n_days = len(days)
    if n_days >= MIN_DAYS:
        found = _on_days(found, days)
    else:
        n_days = min(len(np.unique(found.day)), MIN_DAYS - 1)
    if not found.is_complete.any():
        return None
    return fit_to_meals(predictor, found, state, sensor, n_days, sensor_changes(trace), known)


def _on_days(meals: Responses, days: Sequence[date]) -> Responses:
    """Return the meals of the given days."""
    return meals.only(np.isin(meals.day, [(day - EPOCH.date()).days for day in days]))


def prior_of_trace(
    predictor: ReleasedModel,
    state: State,
    sensor: str | None,
    trace: CgmTrace,
    hba1c_percent: float | None = None,
    fasting_glucose_mg_dl: float | None = None,
) -> PersonPrior:
    """Return the prior of a person from laboratory values and the last days of a trace."""
    summary = summarize(trace, float(trace.utc_s[-1])) if len(trace) else NO_TRACE
    return person_prior(
        predictor.person,
        state,
        predictor.level_mg_dl[state],
        sensor_constant(sensor, predictor.sensors),
        summary,
        hba1c_percent,
        fasting_glucose_mg_dl,
    )


def fit_to_meals(
    predictor: ReleasedModel,
    meals: Responses,
    state: State,
    sensor: str | None,
    n_days: int,
    sensor_changes_s: ArrayLike = (),
    known: PersonPrior = MEAN_PERSON,
) -> PersonalModel:
    """Fit a personal model to meals; see `fit_personal`.

    Parameters
    ----------
    predictor : Predictor
        The population model to correct.
    meals : Responses
        The meals and the readings after them. At least one meal must have all nine readings.
    state : str
        State of glucose regulation.
    sensor : str or None
        Sensor of the readings, None for blood glucose.
    n_days : int
        Number of training days.
    sensor_changes_s : array_like of shape (n_changes,), optional
        Start time of each sensor except the first, in seconds since 1970-01-01T00:00Z, ascending.
    known : PersonPrior, optional
        What is known about the person without the meals.

    Returns
    -------
    PersonalModel
        The personal model.

    Raises
    ------
    UnusableHistory
        No model can be fitted to the readings.
    """
    prior = predictor.personal_prior
    known = known._replace(level_mg_dl=prior.prior_level_share * known.level_mg_dl)
    gain = sensor_constant(sensor, predictor.sensors).gain
    observed = observe(predictor, prior.shapes, meals, state, sensor, known)
    factor = widening(observed.rise_mg_dl.max(axis=1))
    complete = meals.is_complete
    try:
        equations = MealEquations(
            prior,
            observed.features,
            observed.residual_mg_dl,
            meals.day,
            factor,
            sensor_numbers(meals.utc_s, np.asarray(sensor_changes_s)),
        )
        own_errors = equations.held_out_errors()[complete]
    except np.linalg.LinAlgError:
        raise UnusableHistory("trace", "must contain usable readings and meals") from None
    posterior = equations.effects()
    effects = posterior.effects.copy()
    effects[:, RECENT] += prior.recent
    effects[LEVEL, ALWAYS] += posterior.of_sensor[-1]
    population = _with_gain(predictor.population, known.log_gain)
    shares = monotone_shares(population, prior, effects, STATES.index(state))
    gate = held_out_rmse(
        prior, equations, observed.features, observed.residual_mg_dl, meals.hour, shares
    )
    size = _error_scale(prior, own_errors, factor[complete], state)
    size *= prior.preliminary_scale.get(max(n_days, MIN_PRELIMINARY_DAYS), 1.0)
    low, high = _own_range(predictor, meals.glucose_mg_dl[complete], state, sensor, known)
    last_day = int(meals.day[-1])
    return PersonalModel(
        base=predictor.version,
        state=state,
        sensor=sensor,
        n_days=n_days,
        n_meals=len(meals.utc_s),
        effects=tuple(tuple(map(_rounded, row)) for row in effects.tolist()),
        shares=shares,
        drift_mg_dl=_rounded(posterior.of_day[float(last_day)]),
        last_day=last_day,
        scale_mg_dl=_rounded(gain * size),
        low_mg_dl=_rounded(low),
        high_mg_dl=_rounded(high),
        population_rmse_mg_dl=_rounded(gain * gate.population),
        personal_rmse_mg_dl=_rounded(gain * gate.personal),
        response_rmse_mg_dl=_rounded(gain * gate.response),
        prior_level_mg_dl=_rounded(known.level_mg_dl),
        prior_log_gain=_rounded(known.log_gain),
    )


def _with_gain(population: PopulationModel, log_gain: float) -> PopulationModel:
    """Return a population model with the gain of a person."""
    if not log_gain:
        return population
    return replace(population, log_gain=tuple(own + log_gain for own in population.log_gain))


def observe(
    predictor: ReleasedModel,
    shapes: Array,
    meals: Responses,
    state: State,
    sensor: str | None,
    prior: PersonPrior = MEAN_PERSON,
) -> Observed:
    """Compare a person's meals with the predictions of the population model.

    Parameters
    ----------
    predictor : Predictor
        The population model.
    shapes : ndarray of shape (3, 9)
        Shapes of the rise.
    meals : Responses
        The meals and the readings after them.
    state : str
        State of glucose regulation.
    sensor : str or None
        Sensor of the readings, None for blood glucose.
    prior : PersonPrior, optional
        What is known about the person without the meals.

    Returns
    -------
    Observed
        The meals with their residuals, converted to blood glucose.
    """
    offset, gain = sensor_constant(sensor, predictor.sensors)
    index = np.full(len(meals.utc_s), STATES.index(state))
    log_gain = np.full(len(index), prior.log_gain)
    inputs = Meals(meals.macronutrients, meals.hour, index, meals.since_meal_h, log_gain)
    rise = _mean_rise(predictor.population, inputs)
    blood = (meals.glucose_mg_dl - offset) / gain
    along_first = rise @ shapes[0]
    features = meal_features(meals.macronutrients, meals.hour, along_first, meals.since_meal_h)
    level = predictor.level_mg_dl[state] + prior.level_mg_dl
    return Observed(meals, rise, blood - rise - level, features)


def _mean_rise(population: PopulationModel, meals: Meals) -> Array:
    """Return the predicted rise, which is the mean over usual meal hours if the hour is unknown."""

    def rise_at(hour: Array) -> Array:
        return population.rise(meals._replace(hour=hour), GRID_MIN)

    lacks_hour, rise = np.isnan(meals.hour), rise_at(meals.hour)
    if not lacks_hour.any():
        return rise
    return np.where(lacks_hour[:, None], mean_over_hours(rise_at, len(rise)), rise)


def _error_scale(prior: PersonalPrior, errors: Array, factor: Array, state: State) -> float:
    """Return the size of a person's errors, shrunk toward the typical size in this state."""
    own = float(np.quantile(np.abs(errors) / factor[:, None], ERROR_QUANTILE))
    weight = prior.scale_weight
    return (weight * prior.typical_error_mg_dl[state] + len(errors) * own) / (weight + len(errors))


def _own_range(
    predictor: ReleasedModel,
    readings: Array,
    state: State,
    sensor: str | None,
    known: PersonPrior,
) -> tuple[float, float]:
    """Return the range of a person's readings after meals, in sensor readings.

    The person's own readings have the weight of the trace that they are from.
    """
    own = predictor.personal_prior.own_range
    if own is None:
        weight, ends = known.range_weight, ends_of_readings(readings)
        offset, gain = sensor_constant(sensor, predictor.sensors)
        usual = predictor.ranges[state]
        low, high = (offset + gain * end for end in (usual.low_mg_dl, usual.high_mg_dl))
        return low + weight * (ends[0] - low), high + weight * (ends[1] - high)
    minima, maxima = readings.min(axis=1), readings.max(axis=1)
    low = float(minima.mean()) - own.below_sd * own.spread(minima, state)
    return low, float(maxima.mean()) + own.above_sd * own.spread(maxima, state)


def _rounded(value: float) -> float:
    """Round to five significant digits, the precision of stored models."""
    return float(f"{value:.{_DIGITS}g}")
