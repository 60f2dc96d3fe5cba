"""Predictions from the profile, foods and local time in a request, without storing any data."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from postmeal.errors import InputError, UnusableHistory
from postmeal.foods.food import Meal
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile
from postmeal_serve.resources.cgm_history import History
from postmeal_serve.resources.food_choices import FoodChoice, Foods, select
from postmeal_serve.resources.personal_models import HistoryFields, check_history

__all__ = ["NOTHING", "Known", "predict"]


class Known(NamedTuple):
    """What a request tells about a person beside the profile.

    `fields` are the names of the fields with the readings and the meals. If `needs_days` is true,
    five complete days before the meal are required. `read_s` is the time of the reading
    `start_mg_dl` in seconds since 1970, None for the start of the meal.
    """

    fields: HistoryFields
    trace: CgmTrace | None = None
    meals: MealHistory | None = None
    needs_days: bool = False
    since_meal_h: float | None = None
    sensor: str | None = None
    start_mg_dl: float | None = None
    read_s: float | None = None
    hba1c_percent: float | None = None
    fasting_glucose_mg_dl: float | None = None


NOTHING = Known(HistoryFields("", ""))
"""Nothing is known beside the profile."""


def predict(
    predictor: Predictor,
    foods: Foods,
    profile: Profile,
    choices: Iterable[FoodChoice],
    time: datetime,
    known: Known = NOTHING,
    *,
    is_clock_known: bool = True,
) -> Prediction:
    """Predict glucose for the two hours after the start of a meal, from whatever is known.

    `time` is local time if the user's clock is known. If not, its hour is not used.

    Raises
    ------
    UnknownFood, InputError
        See `postmeal_serve.resources.food_choices.select`, or a value is out of range.
    UnusableHistory
        The history cannot be modeled.
    """
    meal = Meal(select(foods, choices), time, hour_is_known=is_clock_known)
    fields, trace, meals = known.fields, known.trace, known.meals
    if known.needs_days and trace is not None and meals is not None:
        _check_days(History(trace, meals), time.timestamp(), fields)
    age_min = None if known.read_s is None else (time.timestamp() - known.read_s) / 60
    try:
        prediction = predictor.predict(
            profile,
            meal,
            sensor=known.sensor,
            start_mg_dl=known.start_mg_dl,
            since_meal_h=known.since_meal_h,
            trace=trace,
            meals=meals,
            hba1c_percent=known.hba1c_percent,
            fasting_glucose_mg_dl=known.fasting_glucose_mg_dl,
            start_age_min=age_min,
        )
    except UnusableHistory as error:
        raise UnusableHistory(fields.cgm, error.problem) from None
    for warned in prediction.warnings:
        if known.needs_days and warned.code in ("trace_flat", "trace_mixed"):
            problem = "must be readings of one person and of a sensor that works"
            raise UnusableHistory(fields.cgm, problem)
    return prediction


def _check_days(history: History, moment_s: float, fields: HistoryFields) -> None:
    """Check that the history before a moment has enough complete days."""
    earlier = history.before(moment_s)
    try:
        check_history(earlier, fields)
    except UnusableHistory:
        raise
    except InputError as error:
        if len(earlier.trace) == len(history.trace) and len(earlier.meals) == len(history.meals):
            raise
        raise InputError(
            error.field, f"{error.problem}; only readings and foods from before the meal are used"
        ) from None
