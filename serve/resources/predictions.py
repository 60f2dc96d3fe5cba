"""Predictions: a profile, chosen foods and a local time become a curve. Nothing is stored."""

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

__all__ = ["MODEL_VERSION", "model_version", "predict", "predict_from"]


MODEL_VERSION = {
    "X-Model-Version": "Name and version of the model, with the word `personal` where a model of"
    " the person's own took part. Where there was one, but no better than the population on days"
    " left out of it, the population's curve is answered: a semicolon and the reason follow."
}
"""What the header tells of a prediction, for the documentation."""


def predict(
    predictor: Predictor,
    foods: Foods,
    profile: Profile,
    choices: Iterable[FoodChoice],
    time: datetime,
) -> Prediction:
    """Predict glucose over the two hours from the first bite.

    Raises
    ------
    UnknownFood, InputError
        See `serve.resources.food_choices.select`.
    """
    meal = Meal(select(foods, choices), time)
    return predictor.predict(profile, meal)


def predict_from(
    predictor: Predictor,
    foods: Foods,
    profile: Profile,
    choices: Iterable[FoodChoice],
    time: datetime,
    history: History,
    fields: HistoryFields,
) -> Prediction:
    """Predict with a model of the person's own, fitted to what was known at the first bite.

    The curve starts at the last reading, where it is of the 15 minutes before the first bite.

    Raises
    ------
    UnknownFood, InputError
        See `serve.resources.food_choices.select` and `serve.resources.personal_models.fit`.
    """
    meal = Meal(select(foods, choices), time)
    known = history.before(time.timestamp())
    try:
        personal = fit(predictor, profile, known, fields)
    except UnusableHistory:
        raise
    except InputError as error:
        if len(known.trace) == len(history.trace) and len(known.meals) == len(history.meals):
            raise
        later = "what is of the first bite or later does not count"
        raise InputError(error.field, f"{error.problem}; {later}") from None
    return predictor.predict(
        profile,
        meal,
        personal=personal,
        start_mg_dl=known.trace.last_before(time.timestamp()),
        since_meal_h=known.meals.hours_since_meal(time.timestamp()),
    )


def model_version(prediction: Prediction, *, own: bool = False) -> str:
    """Name the model that answered; `own` tells that a person's own model was there to use."""
    if own and not prediction.is_personal:
        reason = "personal model not used: on days left out it was no better"
        return f"{prediction.model_version}; {reason}"
    return prediction.model_version
