"""postmeal: the two-hour glucose curve that a meal will draw, predicted for a person.

>>> from datetime import datetime
>>> someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
>>> breakfast = parse_meal("1 cup oatmeal, 1 banana", Catalog.open())
>>> prediction = predict(someone, Meal(tuple(breakfast), datetime(2026, 5, 1, 8, 0)))
>>> prediction.minutes
(0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0)
"""

from postmeal.errors import (
    CatalogError,
    DataSetError,
    InputError,
    ModelError,
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
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.exports import read_export
from postmeal.glucose.history.meal_file import read_meals
from postmeal.glucose.history.meals_eaten import Eaten
from postmeal.glucose.history.training_days import explain_days, training_days
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
    "Eaten",
    "Food",
    "InputError",
    "Meal",
    "ModelError",
    "Nutrients",
    "PersonalModel",
    "PostmealError",
    "Prediction",
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
    "read_export",
    "read_meal",
    "read_meals",
    "training_days",
]


def __getattr__(name: str) -> str:
    """Look up ``__version__`` when it is asked for: importing the metadata takes time."""
    if name == "__version__":
        from importlib.metadata import version

        return version("postmeal")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
