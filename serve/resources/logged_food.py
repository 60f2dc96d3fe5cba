"""LoggedFood: a food that was eaten, as it was known when it was logged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic_core import from_json, to_json

from postmeal.foods.food import Selection

__all__ = ["LoggedFood", "foods_writer"]

_LARGEST_KEPT = 4096  # characters of the largest stored foods whose JSON is cached
_MOST_KEPT = 4096  # foods of logs in the cache: most of a page has been written before


@dataclass(frozen=True, slots=True)
class LoggedFood:
    """What was eaten of one food; the catalogue may change afterwards, this does not.

    Attributes
    ----------
    food_id : int
        The food's id.
    name : str
        The food's name.
    brand_name, image_url : str or None
        None where the catalogue has none.
    glycemic_index : float or None
        Glycemic index, glucose = 100.
    glycemic_load : float or None
        Glycemic load of what was eaten.
    nutrients : dict of str to float
        The known amounts in what was eaten, under the keys of `postmeal.foods.nutrients.UNITS`.
    serving_id : int
        Id of the serving that was chosen.
    serving_quantity : float
        How many of the unit the serving is: 1 for "1 cup", 100 for "100 g".
    unit : str
        What the serving counts.
    weight_g : float or None
        Mass of the serving in grams, None when it is not known.
    quantity : float
        How many of the unit were eaten.
    """

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
        """Log a selection."""
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
        """Answer what the database keeps of foods: JSON, whose numbers lose no bit."""
        names = LoggedFood.__slots__
        kept = [{name: getattr(food, name) for name in names} for food in foods]
        return to_json(kept).decode()

    @staticmethod
    def read(stored: str) -> tuple[LoggedFood, ...]:
        """Answer the foods that were stored."""
        return tuple(LoggedFood(**food) for food in from_json(stored))


def foods_writer(food_object: Callable[[LoggedFood], dict[str, Any]]) -> Callable[[str], bytes]:
    """Return a function that turns stored foods into the JSON of an answer, and caches it.

    Parameters
    ----------
    food_object : callable
        Returns the object that an API version answers for one food.

    Returns
    -------
    callable
        From what `LoggedFood.stored` gave to an array in JSON.
    """

    def write(stored: str) -> bytes:
        return to_json([food_object(food) for food in LoggedFood.read(stored)])

    cached = lru_cache(maxsize=_MOST_KEPT)(write)
    return lambda stored: (cached if len(stored) <= _LARGEST_KEPT else write)(stored)
