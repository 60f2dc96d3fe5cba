"""Validate the arguments of predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from numbers import Real
from typing import NamedTuple

import numpy as np

from postmeal.arguments import check_type
from postmeal.errors import InputError, ModelError
from postmeal.foods.food import Meal
from postmeal.glucose.cases import Case
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.notes import notes_of, personal_notes
from postmeal.glucose.person.coefficients import Laboratory
from postmeal.glucose.person.inputs import InputUsed, PredictionWarning, plain_inputs, warning
from postmeal.glucose.person.level import laboratory_of, trace_weight
from postmeal.glucose.person.prior import PersonPrior, person_prior
from postmeal.glucose.person.reading import StartReading, start_reading
from postmeal.glucose.person.trace import (
    NO_TRACE,
    TraceSummary,
    meal_moment_s,
    summarize,
    trace_warnings,
)
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_recent
from postmeal.glucose.population.carbohydrate_kind import CarbKind
from postmeal.glucose.population.features import meal_inputs
from postmeal.glucose.population.meal_limits import check_meal
from postmeal.glucose.population.sensors import check_sensor, sensor_constant
from postmeal.glucose.population.states import STATES, State, state_of
from postmeal.glucose.released_model import ReleasedModel
from postmeal.people import Profile
from postmeal.units import FASTING_GLUCOSE, GLUCOSE, HBA1C

MAX_MINUTE = 240.0
"""Last minute after the start of the meal for which glucose can be predicted."""

EPOCH_DAY = date(1970, 1, 1).toordinal()
"""Result of `date.toordinal` for 1970-01-01, from which days are counted."""

_PROFILE_FIELDS = ("age", "sex", "height_cm", "weight_kg", "activity_level")


def check_types(profile: Profile, meal: Meal) -> None:
    """Raise an `InputError` if the profile or the meal has the wrong type."""
    if not isinstance(profile, Profile):
        raise InputError("profile", "must be a Profile", profile)
    if not isinstance(meal, Meal):
        raise InputError("meal", "must be a Meal", meal)


class Told(NamedTuple):
    """What a prediction tells beside its numbers."""

    notes: tuple[str, ...] = ()
    inputs_used: tuple[InputUsed, ...] = ()
    warnings: tuple[PredictionWarning, ...] = ()


class Readings(NamedTuple):
    """Readings and meals before the predicted meal, as far as they are usable."""

    moment_s: float = 0.0
    summary: TraceSummary = NO_TRACE
    trace: CgmTrace | None = None
    meals: MealHistory | None = None
    warnings: tuple[PredictionWarning, ...] = ()


def case_of(
    model: ReleasedModel,
    profile: Profile,
    meal: Meal,
    sensor: str | None = None,
    personal: PersonalModel | None = None,
    start_mg_dl: float | None = None,
    since_meal_h: float | None = None,
    trace: CgmTrace | None = None,
    meals: MealHistory | None = None,
    hba1c_percent: float | None = None,
    fasting_glucose_mg_dl: float | None = None,
    start_age_min: float | None = None,
) -> tuple[Case, Told]:
    """Validate the arguments of `Predictor.predict`, and convert them to a case."""
    check_types(profile, meal)
    state, is_trained = state_of(profile.health_conditions)
    day = meal.time.toordinal() - EPOCH_DAY
    if personal is not None:
        check_base(model, personal)
        sensor = personal.sensor
    constant = sensor_constant(sensor, model.sensors)
    laboratory = hba1c_percent, fasting_glucose_mg_dl
    _check_numbers(start_mg_dl, start_age_min, since_meal_h, *laboratory)
    before, is_since_given = Readings(), since_meal_h is not None
    if trace is not None or meals is not None:
        before = _before(model, meal, sensor, personal, trace, meals)
        if not is_since_given and before.meals is not None and isinstance(meal.time, datetime):
            since_meal_h = before.meals.hours_since_meal(before.moment_s)
    reading, problem = start_reading(start_mg_dl, start_age_min, before.summary)
    warnings = [*before.warnings, *filter(None, [problem])]
    if (start_mg_dl is not None or trace is not None) and sensor is None:
        warnings.append(warning("sensor_missing", "sensor"))
    known = state, model.level_mg_dl[state], constant, before.summary
    prior = person_prior(model.person, *known, *laboratory)
    own = personal or _fitted(model, state, sensor, prior, before, warnings)
    share = 0.0 if own is None else own.share_on(day, model.personal_prior)
    used_own = own if share else None
    if used_own is not None:
        state, prior = used_own.state, _with_gain_of(used_own, share, prior)
    warnings += _ignored(model, trace if used_own is None else None, laboratory)
    macronutrients, carbs_g, assumed, kinds = meal_inputs(meal.selections, model.carb_weights)
    check_meal(meal.selections, carbs_g)
    case = Case(
        macronutrients,
        *(meal.hour, STATES.index(state), day, is_trained, constant),
        reading.glucose_mg_dl,
        since_meal_h,
        used_own,
        share,
        prior,
        reading.share,
    )
    inputs = _plain_inputs(model, profile, case, sensor, personal, start_mg_dl, laboratory, reading)
    if trace is not None or meals is not None:
        given = trace is not None, meals is not None, is_since_given
        inputs += _history_inputs(model, case, personal, laboratory, reading, before, *given)
    notes = _notes(model, profile, case, own is not used_own, assumed, kinds)
    return case, Told(notes, inputs, tuple(warnings))


def _with_gain_of(own: PersonalModel, share: float, prior: PersonPrior) -> PersonPrior:
    """Return a prior with the gain on which a personal model stands, by the model's weight."""
    if own.prior_log_gain == prior.log_gain:
        return prior
    log_gain = share * own.prior_log_gain + (1 - share) * prior.log_gain
    return prior._replace(log_gain=log_gain)


def _plain_inputs(
    model: ReleasedModel,
    profile: Profile,
    case: Case,
    sensor: str | None,
    personal: PersonalModel | None,
    start_mg_dl: float | None,
    laboratory: tuple[float | None, float | None],
    reading: StartReading,
) -> tuple[InputUsed, ...]:
    """Return the inputs that were given, except for a trace and meals."""
    has_hour = case.hour == case.hour  # not NaN
    is_learned = _learned(model, STATES[case.state], laboratory) is not None
    hba1c_percent, fasting_glucose_mg_dl = laboratory
    arguments = (
        ("hour", has_hour, has_hour),
        ("sensor", sensor is not None, True),
        ("since_meal_h", case.since_meal_h is not None, True),
        ("start_mg_dl", start_mg_dl is not None, reading.share > 0 and not reading.is_of_trace),
        ("hba1c_percent", hba1c_percent is not None, is_learned),
        ("fasting_glucose_mg_dl", fasting_glucose_mg_dl is not None, is_learned),
        ("personal", personal is not None, case.own is not None),
    )
    named = [("health_conditions", True)] if profile.health_conditions else []
    named += [(name, used) for name, given, used in arguments if given]
    known = vars(profile)
    named += [(name, False) for name in _PROFILE_FIELDS if known[name] is not None]
    return plain_inputs(tuple(named))


def _history_inputs(
    model: ReleasedModel,
    case: Case,
    personal: PersonalModel | None,
    laboratory: tuple[float | None, float | None],
    reading: StartReading,
    before: Readings,
    has_trace: bool,
    has_meals: bool,
    is_since_given: bool,
) -> tuple[InputUsed, ...]:
    """Return how a trace and earlier meals were used, where they were given."""
    inputs = []
    if has_trace:
        hours, weight = before.summary.usable_hours, 0.0
        if model.person is not None and before.summary.is_credible:
            learned = _learned(model, STATES[case.state], laboratory)
            weight = trace_weight(model.person, hours, learned)
        is_used = weight > 0 or reading.is_of_trace or case.own not in (None, personal)
        inputs.append(InputUsed("trace", is_used, round(hours, 2), round(weight, 4)))
    if has_meals:
        n_meals = 0 if case.own is None else case.own.n_meals
        is_since_found = not is_since_given and case.since_meal_h is not None
        inputs.append(InputUsed("meals", n_meals > 0 or is_since_found, n_meals=n_meals))
    return tuple(inputs)


def _learned(
    model: ReleasedModel, state: State, laboratory: tuple[float | None, float | None]
) -> Laboratory | None:
    """Return the coefficients for the laboratory values, None if the model has none for them."""
    return None if model.person is None else laboratory_of(model.person, state, *laboratory)


def _notes(
    model: ReleasedModel,
    profile: Profile,
    case: Case,
    is_own_unused: bool,
    assumed: Sequence[str],
    kinds: Sequence[tuple[str, CarbKind]],
) -> tuple[str, ...]:
    """Return the notes of a prediction; most predictions have none."""
    own_notes: tuple[str, ...] = ()
    if case.own is not None:
        keeps_level = case.own.keeps_level_on(case.day, model.personal_prior.fading_days)
        own_notes = personal_notes(case.own.preliminary, not keeps_level)
    state, lacks_hour = STATES[case.state], case.hour != case.hour  # NaN
    has_notes = state == "type_1" or not case.is_trained or assumed or kinds or lacks_hour
    if not (has_notes or is_own_unused):
        return own_notes
    conditions = profile.health_conditions
    known = conditions, state, case.is_trained, assumed, kinds, is_own_unused, own_notes
    return notes_of(*known, lacks_hour)


def _check_numbers(
    start_mg_dl: float | None,
    start_age_min: float | None,
    since_meal_h: float | None,
    hba1c_percent: float | None,
    fasting_glucose_mg_dl: float | None,
) -> None:
    """Check the numbers that are given."""
    for field, value, unit, quantity in (
        ("start_mg_dl", start_mg_dl, "mg/dL", GLUCOSE),
        ("hba1c_percent", hba1c_percent, "%", HBA1C),
        ("fasting_glucose_mg_dl", fasting_glucose_mg_dl, "mg/dL", FASTING_GLUCOSE),
    ):
        if value is not None:
            quantity.convert(value, unit, field)
    for field, value in (("since_meal_h", since_meal_h), ("start_age_min", start_age_min)):
        if value is not None:
            check_type(field, value, Real, "must be a number")
    if start_age_min is not None and not math.isfinite(start_age_min):
        raise InputError("start_age_min", "must be a finite number", start_age_min)
    if since_meal_h is not None and not since_meal_h >= 0:
        raise InputError("since_meal_h", "must be 0 or more", since_meal_h)


def _before(
    model: ReleasedModel,
    meal: Meal,
    sensor: str | None,
    personal: PersonalModel | None,
    trace: CgmTrace | None,
    meals: MealHistory | None,
) -> Readings:
    """Cut readings and meals at the start of the predicted meal, and summarize the readings."""
    warnings = []
    if trace is not None:
        check_type("trace", trace, CgmTrace, "must be a CgmTrace")
        check_sensor(sensor, trace.device, model.sensors)
    if meals is not None:
        check_type("meals", meals, MealHistory, "must be a MealHistory")
    moment_s, has_hour = meal_moment_s(meal, meals if trace is None else trace)
    if meals is not None:
        if personal is not None:
            raise InputError(
                "meals", "must not be combined with a personal model, which contains them"
            )
        earlier = meals.utc_s < moment_s
        if n_later := int((~earlier).sum()):
            warnings.append(warning("meals_after_meal", "meals", n=n_later))
            meals = meals.only(earlier)
        if trace is None:
            warnings.append(warning("meals_not_usable", "meals"))
    if trace is None:
        return Readings(moment_s, meals=meals, warnings=tuple(warnings))
    summary = summarize(trace, moment_s)
    if not has_hour:
        summary = summary._replace(last_age_min=np.inf)
    if summary.n_after:
        trace = trace.until(moment_s)
    warnings += trace_warnings(summary, has_hour)
    return Readings(moment_s, summary, trace, meals, tuple(warnings))


def _fitted(
    model: ReleasedModel,
    state: State,
    sensor: str | None,
    prior: PersonPrior,
    before: Readings,
    warnings: list[PredictionWarning],
) -> PersonalModel | None:
    """Fit a personal model to the readings and meals before the predicted meal."""
    if before.trace is None or before.meals is None or not before.summary.is_credible:
        return None
    own = fit_recent(model, state, before.trace, before.meals, sensor, prior)
    if own is None:
        warnings.append(warning("meals_not_usable", "meals"))
    return own


def _ignored(
    model: ReleasedModel, trace: CgmTrace | None, laboratory: tuple[float | None, float | None]
) -> list[PredictionWarning]:
    """Return warnings about inputs that the model has no coefficients for."""
    if model.person is not None:
        return []
    given = {
        "trace": (trace, "the level and the spread of CGM readings"),
        "hba1c_percent": (laboratory[0], "HbA1c"),
        "fasting_glucose_mg_dl": (laboratory[1], "fasting glucose"),
    }
    return [
        warning("model_ignores_input", field, version=model.version, what=what)
        for field, (value, what) in given.items()
        if value is not None
    ]


def check_base(model: ReleasedModel, personal: PersonalModel) -> None:
    """Check that a personal model was trained on the given population model."""
    check_type("personal", personal, PersonalModel, "must be a PersonalModel")
    if personal.base != model.version:
        raise ModelError(
            f"the personal model was trained on {personal.base}, not on {model.version}; retrain it"
        )


def check_minutes(minutes: Sequence[float]) -> tuple[float, ...]:
    """Check the requested minutes after the start of the meal."""
    try:
        times = np.asarray(minutes, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.array([])
    problem = f"must be a list of numbers from 0 to {MAX_MINUTE:g} in ascending order"
    if times.ndim != 1 or not len(times) or not (np.diff(times) > 0).all():
        raise InputError("minutes", problem, minutes)
    outside = times[~((times >= 0) & (times <= MAX_MINUTE))]
    if len(outside):
        raise InputError("minutes", problem, float(outside[0]))
    return tuple(times.tolist())
