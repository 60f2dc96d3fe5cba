"""Lookup of healthier alternatives to a food."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from postmeal.foods.alternatives import Alternatives, alternatives
from postmeal.foods.food import Meal, Selection
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile
from postmeal_serve.resources.food_choices import Foods

__all__ = ["find_alternatives"]

_NOON = datetime(2026, 1, 1, 12)  # Requests do not contain the time of the meal.


def find_alternatives(
    foods: Foods,
    food_id: int,
    restrictions: Iterable[str],
    preferences: Iterable[str],
    eater: tuple[Predictor, Profile] | None = None,
) -> Alternatives:
    """Find healthier alternatives to a food.

    The search takes up to a second, so call it in a thread.
    """
    food = foods.food(food_id)
    peak_of = None if eater is None else _peak_of(*eater)
    return alternatives(food, foods.catalog, restrictions, preferences, peak_of=peak_of)


def _peak_of(predictor: Predictor, profile: Profile) -> Callable[[Selection], float]:
    def peak_of(selection: Selection) -> float:
        return predictor.predict(profile, Meal((selection,), _NOON)).peak_mg_dl

    return peak_of
