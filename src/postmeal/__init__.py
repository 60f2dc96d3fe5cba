"""Predict the two-hour glucose curve after a meal.

>>> from datetime import datetime
>>> someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
>>> breakfast = parse_meal("1 cup oatmeal, 1 banana", Catalog.open())
>>> prediction = predict(someone, Meal(tuple(breakfast), datetime(2026, 5, 1, 8, 0)))
>>> prediction.minutes
(0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postmeal.errors import (
        CatalogError,
        DataSetError,
        InputError,
        ModelError,
        PictureError,
        PostmealError,
        TooFewDays,
        UnknownBarcode,
        UnknownFood,
        UnknownServing,
        UnusableHistory,
    )
    from postmeal.foods.alternatives import alternatives
    from postmeal.foods.catalog import Catalog
    from postmeal.foods.food import Food, Meal, Selection, Serving
    from postmeal.foods.language import parse_meal, read_meal
    from postmeal.foods.nutrients import Nutrients
    from postmeal.frames import predict_frame
    from postmeal.glucose.history.cgm_trace import CgmTrace
    from postmeal.glucose.history.exports import read_export
    from postmeal.glucose.history.meal_file import read_meals
    from postmeal.glucose.history.meal_history import MealHistory
    from postmeal.glucose.history.training_days import explain_days, training_days
    from postmeal.glucose.person.inputs import InputUsed, PredictionWarning
    from postmeal.glucose.personal.model import PersonalModel
    from postmeal.glucose.personal_fit import fit_personal
    from postmeal.glucose.prediction import Prediction
    from postmeal.glucose.predictor import Predictor, predict
    from postmeal.people import Profile

__all__ = [
    "Catalog",
    "CatalogError",
    "CgmTrace",
    "DataSetError",
    "Food",
    "InputError",
    "InputUsed",
    "Meal",
    "MealHistory",
    "ModelError",
    "Nutrients",
    "PersonalModel",
    "PictureError",
    "PostmealError",
    "Prediction",
    "PredictionWarning",
    "Predictor",
    "Profile",
    "Selection",
    "Serving",
    "TooFewDays",
    "UnknownBarcode",
    "UnknownFood",
    "UnknownServing",
    "UnusableHistory",
    "alternatives",
    "explain_days",
    "fit_personal",
    "parse_meal",
    "predict",
    "predict_frame",
    "read_export",
    "read_meal",
    "read_meals",
    "training_days",
]

_MODULES = {
    "Catalog": "postmeal.foods.catalog",
    "CatalogError": "postmeal.errors",
    "CgmTrace": "postmeal.glucose.history.cgm_trace",
    "DataSetError": "postmeal.errors",
    "MealHistory": "postmeal.glucose.history.meal_history",
    "Food": "postmeal.foods.food",
    "InputError": "postmeal.errors",
    "InputUsed": "postmeal.glucose.person.inputs",
    "Meal": "postmeal.foods.food",
    "ModelError": "postmeal.errors",
    "Nutrients": "postmeal.foods.nutrients",
    "PersonalModel": "postmeal.glucose.personal.model",
    "PictureError": "postmeal.errors",
    "PostmealError": "postmeal.errors",
    "Prediction": "postmeal.glucose.prediction",
    "PredictionWarning": "postmeal.glucose.person.inputs",
    "Predictor": "postmeal.glucose.predictor",
    "Profile": "postmeal.people",
    "Selection": "postmeal.foods.food",
    "Serving": "postmeal.foods.food",
    "TooFewDays": "postmeal.errors",
    "UnknownBarcode": "postmeal.errors",
    "UnknownFood": "postmeal.errors",
    "UnknownServing": "postmeal.errors",
    "UnusableHistory": "postmeal.errors",
    "alternatives": "postmeal.foods.alternatives",
    "explain_days": "postmeal.glucose.history.training_days",
    "fit_personal": "postmeal.glucose.personal_fit",
    "parse_meal": "postmeal.foods.language",
    "predict": "postmeal.glucose.predictor",
    "predict_frame": "postmeal.frames",
    "read_export": "postmeal.glucose.history.exports",
    "read_meal": "postmeal.foods.language",
    "read_meals": "postmeal.glucose.history.meal_file",
    "training_days": "postmeal.glucose.history.training_days",
}
"""Module of each public name. Modules are imported when one of their names is first used."""


def __getattr__(name: str) -> Any:
    """Return a public object, importing its module on first use, or ``__version__``."""
    if name in _MODULES:
        value = getattr(importlib.import_module(_MODULES[name]), name)
        globals()[name] = value
        return value
    if name == "__version__":
        from importlib.metadata import version

        return version("postmeal")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names in this module, including public names that are not imported yet."""
    return sorted([*globals(), *__all__])
