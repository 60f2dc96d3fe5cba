"""Validation of prediction arguments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np

from postmeal.errors import InputError, ModelError
from postmeal.foods.food import Meal
from postmeal.glucose.cases import Case
from postmeal.glucose.history.cgm_trace import READABLE_MG_DL
from postmeal.glucose.notes import notes_of
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.population.features import meal_macronutrients
from postmeal.glucose.population.meal_limits import check_meal
from postmeal.glucose.population.sensors import sensor_constant
from postmeal.glucose.population.states import STATES, state_of
from postmeal.glucose.released_model import ReleasedModel
from postmeal.people import Profile

__all__ = ["EPOCH_DAY", "MAX_MINUTE", "case_of", "check_base", "check_minutes"]

MAX_MINUTE = 240.0
"""Last minute after the start of the meal that can be predicted."""

EPOCH_DAY = date(1970, 1, 1).toordinal()
"""Ordinal of 1970-01-01, from which days are counted."""


def case_of(
    model: ReleasedModel,
    profile: Profile,
    meal: Meal,
    sensor: str | None = None,
    personal: PersonalModel | None = None,
    start_mg_dl: float | None = None,
    since_meal_h: float | None = None,
) -> tuple[Case, tuple[str, ...]]:
    """Validate the arguments of a prediction; see `Predictor.predict`.

    Returns
    -------
    case : Case
        The case to predict.
    notes : tuple of str
        Notes about the limits of the prediction.

    Raises
    ------
    InputError
        The sensor is unknown, the start glucose or the hours since the previous meal are out of
        range, or the meal is implausibly large.
    ModelError
        The personal model was trained on a different population model.
    """
    state, is_trained = state_of(profile.health_conditions)
    own = None
    if personal is not None:
        check_base(model, personal)
        own = personal if personal.is_better else None
    constant = sensor_constant(sensor if personal is None else personal.sensor, model.sensors)
    low, high = READABLE_MG_DL
    if start_mg_dl is not None and not low <= start_mg_dl <= high:
        raise InputError("start_mg_dl", f"must be {low:g} to {high:g} mg/dL", start_mg_dl)
    if since_meal_h is not None and not since_meal_h >= 0:
        raise InputError("since_meal_h", "must be 0 or more", since_meal_h)
    macronutrients, assumed = meal_macronutrients(meal.selections)
    check_meal(meal.selections, macronutrients[0])
    used_state = state if own is None else own.state
    case = Case(
        macronutrients,
        meal.hour,
        STATES.index(used_state),
        meal.time.toordinal() - EPOCH_DAY,
        is_trained,
        constant,
        None if start_mg_dl is None else float(start_mg_dl),
        since_meal_h,
        own,
    )
    if used_state != "type_1" and is_trained and not assumed and own is personal:
        return case, ()
    conditions, is_unused = profile.health_conditions, own is not personal
    return case, notes_of(conditions, used_state, is_trained, assumed, is_unused)


def check_base(model: ReleasedModel, personal: PersonalModel) -> None:
    """Check that a personal model was trained on this population model.

    Raises
    ------
    ModelError
        The personal model was trained on a different population model.
    """
    if personal.base != model.version:
        raise ModelError(
            f"the personal model was trained on {personal.base}, not on {model.version}; retrain it"
        )


def check_minutes(minutes: Sequence[float]) -> tuple[float, ...]:
    """Check the requested minutes after the start of the meal.

    Raises
    ------
    InputError
        The minutes are empty, out of range or not in ascending order.
    """
    times = np.asarray(minutes, dtype=np.float64)
    if times.ndim != 1 or not len(times) or not (np.diff(times) > 0).all():
        raise InputError("minutes", "must be one or more numbers in ascending order", minutes)
    if not (times[0] >= 0 and times[-1] <= MAX_MINUTE):
        raise InputError("minutes", f"must be between 0 and {MAX_MINUTE:g}", minutes)
    return tuple(times.tolist())
