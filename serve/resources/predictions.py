"""Predictions from the profile, foods and local time in a request, without storing any data."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from postmeal.errors import InputError, UnusableHistory
from postmeal.foods.food import Meal
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile
from serve.resources.cgm_history import History
from serve.resources.food_choices import FoodChoice, Foods, select
from serve.resources.personal_models import HistoryFields, fit

__all__ = ["predict", "predict_from"]


def predict(
    predictor: Predictor,
    foods: Foods,
    profile: Profile,
    choices: Iterable[FoodChoice],
    time: datetime,
    since_meal_h: float | None = None,
) -> Prediction:
    """Predict glucose for the two hours after the start of a meal, with the population model.

    Raises
    ------
    UnknownFood, InputError
        See `serve.resources.food_choices.select`.
    """
    meal = Meal(select(foods, choices), time)
    return predictor.predict(profile, meal, since_meal_h=since_meal_h)


def predict_from(
    predictor: Predictor,
    foods: Foods,
    profile: Profile,
    choices: Iterable[FoodChoice],
    time: datetime,
    history: History,
    fields: HistoryFields,
    since_meal_h: float | None = None,
) -> Prediction:
    """Predict glucose after a meal with a personal model fitted to the history before the meal.

    The curve starts at the last reading if it was taken at most 15 minutes before the meal. The
    previous meal is the last meal of the history, unless a later meal began `since_meal_h` hours
    before the start.

    Raises
    ------
    UnknownFood, InputError
        See `serve.resources.food_choices.select` and `serve.resources.personal_models.fit`.
    """
    meal = Meal(select(foods, choices), time)
    earlier = history.before(time.timestamp())
    try:
        personal = fit(predictor, profile, earlier, fields)
    except UnusableHistory:
        raise
    except InputError as error:
        if len(earlier.trace) == len(history.trace) and len(earlier.meals) == len(history.meals):
            raise
        raise InputError(
            error.field, f"{error.problem}; only readings and foods from before the meal are used"
        ) from None
    return predictor.predict(
        profile,
        meal,
        personal=personal,
        start_mg_dl=earlier.trace.last_before(time.timestamp()),
        since_meal_h=_least(since_meal_h, earlier.meals.hours_since_meal(time.timestamp())),
    )


def _least(one: float | None, other: float | None) -> float | None:
    """Return the smaller of two numbers; None stands for an unknown number."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
