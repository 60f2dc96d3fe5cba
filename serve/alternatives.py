"""Alternatives: healthier foods for one that a request names, and for whom it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from postmeal.foods.alternatives import Alternatives, alternatives
from postmeal.foods.food import Meal, Selection
from postmeal.people import Profile
from serve.aside import leave_the_loop
from serve.service import Service

__all__ = ["find_alternatives"]

_NOON = datetime(2026, 1, 1, 12)  # when a person eats it is not asked


def find_alternatives(
    service: Service,
    food_id: int,
    restrictions: Iterable[str],
    preferences: Iterable[str],
    profile: Profile | None = None,
) -> Alternatives:
    """Find alternatives; for a person, those with a lower predicted peak come earlier.

    Raises
    ------
    UnknownFood
        No food has this id.
    WouldWait
        This is the event loop: see `serve.aside.aside`.
    Refusal
        The catalogue, or the model that a person needs, is not available.
    """
    leave_the_loop()
    foods = service.foods
    food = foods.food(food_id)
    peak_of = None if profile is None else _peak_of(service, profile)
    return alternatives(food, foods.catalog, restrictions, preferences, peak_of=peak_of)


def _peak_of(service: Service, profile: Profile) -> Callable[[Selection], float]:
    predictor = service.predictor

    def peak_of(selection: Selection) -> float:
        return predictor.predict(profile, Meal((selection,), _NOON)).peak_mg_dl

    return peak_of
