"""Predictions: a profile, chosen foods and a local time become a curve. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from postmeal.foods.food import Meal
from postmeal.glucose.predictor import Prediction
from postmeal.people import Profile
from serve.foods import FoodChoice, select
from serve.service import Service

__all__ = ["predict"]


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
    meal = Meal(select(service.catalog, choices), time)
    return predictor.predict(profile, meal)
