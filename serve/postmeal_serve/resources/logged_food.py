"""Logged foods, which keep the data of a food as it was when the food was logged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic_core import from_json, to_json

from postmeal.foods.food import Selection

__all__ = ["LoggedFood", "foods_writer"]

_MAX_CACHED_CHARACTERS = 4096  # maximum length of stored foods that are cached
_CACHE_SIZE = 4096


@dataclass(frozen=True, slots=True)
class LoggedFood:
    """A food and the amount eaten, unaffected by later changes to the catalog."""

    food_id: int
    name: str
    brand_name: str | None
    image_url: str | None
    glycemic_index: float | None
    glycemic_load: float | None
    nutrients: dict[str, float]
    serving_id: int
    serving_quantity: float
    unit: str
    weight_g: float | None
    quantity: float

    @classmethod
    def of(cls, selection: Selection) -> LoggedFood:
        """Create a logged food from the current data of a selection."""
        food, serving = selection.food, selection.serving
        load = food.glycemic_load
        return cls(
            food_id=food.id,
            name=food.name,
            brand_name=food.brand_name or None,
            image_url=food.image_url,
            glycemic_index=food.glycemic_index,
            glycemic_load=None if load is None else load * selection.factor,
            nutrients=selection.nutrients.known(),
            serving_id=serving.id,
            serving_quantity=serving.quantity,
            unit=serving.unit,
            weight_g=serving.weight_g,
            quantity=selection.quantity,
        )

    @staticmethod
    def stored(foods: Iterable[LoggedFood]) -> str:
        """Encode foods as JSON for the database, with all numbers in full precision."""
        names = LoggedFood.__slots__
        values = [{name: getattr(food, name) for name in names} for food in foods]
        return to_json(values).decode()

    @staticmethod
    def read(stored: str) -> tuple[LoggedFood, ...]:
        """Decode foods from the JSON returned by `stored`."""
        return tuple(LoggedFood(**food) for food in from_json(stored))


def foods_writer(food_object: Callable[[LoggedFood], dict[str, Any]]) -> Callable[[str], bytes]:
    """Return a function that converts stored foods to JSON for responses, and caches the result."""

    def write(stored: str) -> bytes:
        return to_json([food_object(food) for food in LoggedFood.read(stored)])

    cached = lru_cache(maxsize=_CACHE_SIZE)(write)
    return lambda stored: (cached if len(stored) <= _MAX_CACHED_CHARACTERS else write)(stored)
