"""Validate the arguments of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from numbers import Real

import numpy as np

from postmeal.arguments import check_type
from postmeal.errors import InputError, ModelError
from postmeal.foods.food import Meal
from postmeal.glucose.cases import Case
from postmeal.glucose.history.cgm_trace import READABLE_MG_DL
from postmeal.glucose.notes import notes_of, personal_notes
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.population.features import meal_inputs
from postmeal.glucose.population.meal_limits import check_meal
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES, state_of
from postmeal.glucose.released_model import ReleasedModel
from postmeal.people import Profile

__all__ = ["EPOCH_DAY", "MAX_MINUTE", "case_of", "check_base", "check_minutes", "check_types"]

MAX_MINUTE = 240.0
"""Last minute after the start of the meal for which glucose can be predicted."""

EPOCH_DAY = date(1970, 1, 1).toordinal()
"""Result of `date.toordinal` for 1970-01-01, from which days are counted."""


def check_types(profile: Profile, meal: Meal) -> None:
    """Raise an `InputError` if the profile or the meal has the wrong type."""
    if not isinstance(profile, Profile):
        raise InputError("profile", "must be a Profile", profile)
    if not isinstance(meal, Meal):
        raise InputError("meal", "must be a Meal", meal)


def case_of(
    model: ReleasedModel,
    profile: Profile,
    meal: Meal,
    sensor: str | None = None,
    personal: PersonalModel | None = None,
    start_mg_dl: float | None = None,
    since_meal_h: float | None = None,
) -> tuple[Case, tuple[str, ...]]:
    """Validate the arguments of `Predictor.predict`, and convert them to a case.

    Returns
    -------
    case : Case
        The case to predict for.
    notes : tuple of str
        Notes about the caveats of the prediction.

    Raises
    ------
    InputError
        The profile or the meal has the wrong type, the sensor is unknown, the start glucose or the
        hours since the previous meal are out of range, or the meal is implausibly large.
    ModelError
        The personal model was trained on a different population model.
    """
    check_types(profile, meal)
    state, is_trained = state_of(profile.health_conditions)
    day, own = meal.time.toordinal() - EPOCH_DAY, None
    if personal is not None:
        check_base(model, personal)
        own = personal if personal.is_used_on(day) else None
    constant = sensor_constant(sensor if personal is None else personal.sensor, model.sensors)
    low, high = READABLE_MG_DL
    if start_mg_dl is not None:
        check_type("start_mg_dl", start_mg_dl, Real, "must be a number")
        if not low <= start_mg_dl <= high:
            raise InputError("start_mg_dl", f"must be {low:g} to {high:g} mg/dL", start_mg_dl)
    if since_meal_h is not None:
        check_type("since_meal_h", since_meal_h, Real, "must be a number")
        if not since_meal_h >= 0:
            raise InputError("since_meal_h", "must be 0 or more", since_meal_h)
    macronutrients, carbs_g, assumed, kinds = meal_inputs(meal.selections, model.carb_weights)
    check_meal(meal.selections, carbs_g)
    used_state = state if own is None else own.state
    case = Case(
        macronutrients,
        meal.hour,
        STATES.index(used_state),
        day,
        is_trained,
        constant,
        None if start_mg_dl is None else float(start_mg_dl),
        since_meal_h,
        own,
    )
    own_notes: tuple[str, ...] = ()
    if own is not None:
        own_notes = personal_notes(own.preliminary, not own.keeps_level_on(day))
    if used_state != "type_1" and is_trained and not (assumed or kinds) and own is personal:
        return case, own_notes
    conditions, is_unused = profile.health_conditions, own is not personal
    notes = notes_of(conditions, used_state, is_trained, assumed, kinds, is_unused, own_notes)
    return case, notes


def check_base(model: ReleasedModel, personal: PersonalModel) -> None:
    """Check that a personal model was trained on the given population model.

    Raises
    ------
    ModelError
        The personal model was trained on a different population model.
    """
    check_type("personal", personal, PersonalModel, "must be a PersonalModel")
    if personal.base != model.version:
        raise ModelError(
            f"the personal model was trained on {personal.base}, not on {model.version}; retrain it"
        )


def check_minutes(minutes: Sequence[float]) -> tuple[float, ...]:
    """Check the requested minutes after the start of the meal.

    Raises
    ------
    InputError
        There are no minutes, or they are out of range or not in ascending order.
    """
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
