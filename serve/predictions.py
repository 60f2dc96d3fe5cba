"""Predictions: a profile, chosen foods and a local time become a curve. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from postmeal.errors import InputError, ModelError, UnusableHistory
from postmeal.foods.food import Meal
from postmeal.glucose.personal import PersonalModel
from postmeal.glucose.prediction import Prediction
from postmeal.people import Profile
from serve.errors import Refusal
from serve.foods import FoodChoice, select
from serve.history import History
from serve.personal_models import HistoryFields, fit
from serve.service import Service

__all__ = ["MODEL_VERSION", "model_version", "predict", "predict_for", "predict_from"]


MODEL_VERSION = {
    "X-Model-Version": "Name and version of the model, with the word `personal` where a model of"
    " the person's own took part. Where there was one, but no better than the population on days"
    " left out of it, the population's curve is answered: a semicolon and the reason follow."
}
"""What the header tells of a prediction, for the documentation."""


def predict(
    service: Service, profile: Profile, choices: Iterable[FoodChoice], time: datetime
) -> Prediction:
    """Predict glucose over the two hours from the first bite.

    Raises
    ------
    UnknownFood, InputError
        See `serve.foods.select`.
    Refusal
        The model or the catalogue is not available.
    """
    predictor = service.predictor
    meal = Meal(select(service.foods, choices), time)
    return predictor.predict(profile, meal)


def predict_from(
    service: Service,
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
        See `serve.foods.select` and `serve.personal_models.fit`.
    Refusal
        The model or the catalogue is not available.
    """
    predictor = service.predictor
    meal = Meal(select(service.foods, choices), time)
    known = history.before(time.timestamp())
    try:
        personal = fit(predictor, profile, known, fields)
    except UnusableHistory:
        raise
    except InputError as error:
        if len(known.trace) == len(history.trace) and len(known.eaten) == len(history.eaten):
            raise
        later = "what is of the first bite or later does not count"
        raise InputError(error.field, f"{error.problem}; {later}") from None
    return predictor.predict(
        profile,
        meal,
        personal=personal,
        start_mg_dl=known.trace.last_before(time.timestamp()),
        since_meal_h=known.eaten.hours_since_meal(time.timestamp()),
    )


def predict_for(
    service: Service, profile: Profile, meal: Meal, personal: PersonalModel
) -> Prediction:
    """Predict with a model that was trained before.

    Raises
    ------
    Refusal
        The model is not available, or no longer the one that training corrected.
    """
    try:
        predictor = service.predictor_for(personal.base)
    except ModelError:
        if service.models.is_stale:
            message = (
                f"this user was trained on {personal.base}, which cannot be read at the moment"
            )
            raise Refusal("service_unavailable", message) from None
        message = f"this user was trained on {personal.base}, which is served no more: train again"
        raise Refusal("invalid_request", message) from None
    return predictor.predict(profile, meal, personal=personal)


def model_version(prediction: Prediction, *, own: bool = False) -> str:
    """Name the model that answered; `own` tells that a person's own model was there to use."""
    if own and not prediction.is_personal:
        reason = "personal model not used: on days left out it was no better"
        return f"{prediction.model_version}; {reason}"
    return prediction.model_version
