"""Check that a model's predictions for standard meals are plausible.

A matching hash proves that a model's weights are the released weights, but not that its predictions
are sound. Before a model is served, its predictions for forty standard meals are therefore checked.
For each meal, the glucose at the start and the rise afterward must be within the credible ranges in
``models/credible.json``, which `postmeal.training.fit.credible_ranges` derived from observed meals.
"""

from __future__ import annotations

import json
import math
from dataclasses import astuple
from datetime import datetime
from functools import cache
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np

from postmeal.assets import asset
from postmeal.errors import ModelError
from postmeal.foods.food import Food, Meal, Selection, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.glucose.population.states import STATES, State
from postmeal.glucose.prediction import Prediction
from postmeal.people import HealthCondition, Profile

__all__ = [
    "STANDARD_MEALS",
    "CredibleRange",
    "StandardMeal",
    "check_plausibility",
    "predict_standard_meal",
]

_FILE = "models/credible.json"
_SERVING = Serving(1, 1.0, "meal", 1.0, None, is_default=True)
_CONDITIONS: dict[State, HealthCondition] = {
    "normal": "none",
    "prediabetes": "prediabetes",
    "type_2": "type_2_diabetes",
    "type_1": "type_1_diabetes",
}
_PEOPLE = {
    state: Profile(
        age=45, sex="female", height_cm=168, weight_kg=68, health_conditions=(condition,)
    )
    for state, condition in _CONDITIONS.items()
}


class _Model(Protocol):
    """A model that predicts glucose after a meal; `postmeal.glucose.predictor.Predictor`."""

    @property
    def version(self) -> str: ...

    def predict(self, profile: Profile, meal: Meal) -> Prediction: ...


class StandardMeal(NamedTuple):
    """A meal for which the prediction of every model must be within a credible range.

    Attributes
    ----------
    name : str
        Name, such as ``"type_2, 8:00, a meal of 60 g"``.
    state : str
        State of glucose regulation of the person.
    hour : float
        Local hour of the start of the meal.
    macronutrients : tuple of float of length 4
        Amounts of `postmeal.glucose.population.features.MACRONUTRIENTS` in grams.
    """

    name: str
    state: State
    hour: float
    macronutrients: tuple[float, float, float, float]


class CredibleRange(NamedTuple):
    """Lowest and highest credible predictions for a standard meal, in mg/dL of blood glucose.

    Attributes
    ----------
    level_mg_dl : tuple of float of length 2
        Glucose at the start of the meal.
    rise_mg_dl : tuple of float of length 2
        Highest rise above that glucose within two hours.
    """

    level_mg_dl: tuple[float, float]
    rise_mg_dl: tuple[float, float]


_FOODS: dict[str, tuple[float, float, float, float]] = {
    "eggs without carbohydrate": (0.0, 0.0, 20.0, 20.0),
    "a snack of 20 g": (20.0, 2.0, 3.0, 5.0),
    "a meal of 60 g": (60.0, 6.0, 25.0, 20.0),
    "a glucose drink of 75 g": (75.0, 0.0, 0.0, 0.0),
    "a feast of 130 g": (130.0, 12.0, 45.0, 45.0),
}

STANDARD_MEALS: tuple[StandardMeal, ...] = tuple(
    StandardMeal(f"{state}, {hour}:00, {name}", state, float(hour), macronutrients)
    for state in STATES
    for hour in (8, 19)
    for name, macronutrients in _FOODS.items()
)
"""Forty meals: five foods in the morning and evening, for four states of glucose regulation."""


def check_plausibility(predictor: _Model) -> None:
    """Check that a model's predictions for all standard meals are within the credible ranges.

    Parameters
    ----------
    predictor : Predictor
        The loaded model.

    Raises
    ------
    ModelError
        A level or a rise is outside its credible range, a value is not finite, or a prediction
        fails. The message names the model, the meal, the value and the range.
    """
    for meal in STANDARD_MEALS:
        try:
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                prediction = predict_standard_meal(predictor, meal)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ModelError(
                f"model {predictor.version!r} cannot predict {meal.name}: {error!r}"
            ) from error
        curves = (prediction.glucose_mg_dl, prediction.lower_mg_dl, prediction.upper_mg_dl)
        chances = astuple(prediction.chances)
        numbers = [*chain(*curves), *prediction.impact_probabilities.values(), *chances]
        if not all(map(math.isfinite, numbers)):
            raise ModelError(
                f"model {predictor.version!r} failed the plausibility check: "
                f"its prediction for {meal.name} is not finite"
            )
        level = prediction.glucose_mg_dl[0]
        values = {"level": level, "rise": prediction.peak_mg_dl - level}
        credible = dict(zip(values, _credible_ranges()[meal.name], strict=True))
        for quantity, (low, high) in credible.items():
            if not low <= values[quantity] <= high:
                raise ModelError(
                    f"model {predictor.version!r} failed the plausibility check: "
                    f"its {quantity} for {meal.name} must be between {low:g} and {high:g} mg/dL, "
                    f"got {values[quantity]:g}"
                )


def predict_standard_meal(predictor: _Model, meal: StandardMeal) -> Prediction:
    """Predict blood glucose after a standard meal, for an adult with the meal's state."""
    amounts = dict(zip(MACRONUTRIENTS, meal.macronutrients, strict=True))
    food = Food(1, meal.name, "generic", "", Nutrients(amounts), (_SERVING,))
    time = datetime(2026, 1, 5, int(meal.hour))
    return predictor.predict(_PEOPLE[meal.state], Meal((Selection.of(food),), time))


@cache
def _credible_ranges() -> dict[str, CredibleRange]:
    content = json.loads(asset(_FILE).read_text(encoding="utf-8"))
    return {
        name: CredibleRange(tuple(ranges["level_mg_dl"]), tuple(ranges["rise_mg_dl"]))
        for name, ranges in content["meals"].items()
    }
