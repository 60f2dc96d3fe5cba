"""Foods as requests choose them: ids become selections of the catalogue's foods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from postmeal.errors import InputError, UnknownServing
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Selection

__all__ = ["FoodChoice", "select"]


class FoodChoice(NamedTuple):
    """A food, one of its servings, and how many of the serving's unit."""

    food_id: int
    serving_id: int
    quantity: float


def select(catalog: Catalog, choices: Iterable[FoodChoice]) -> tuple[Selection, ...]:
    """Look up what was chosen.

    Raises
    ------
    UnknownFood
        No food has one of the ids.
    InputError
        A serving is not one of its food's; the field is ``foods[i].serving.id``.
    """
    selections = []
    for position, choice in enumerate(choices):
        food = catalog.food(choice.food_id)
        try:
            serving = food.serving(choice.serving_id, f"foods[{position}].serving.id")
            selections.append(Selection(food, serving, choice.quantity))
        except UnknownServing:
            raise
        except InputError as error:
            field = f"foods[{position}].{error.field}"
            raise InputError(field, error.problem, choice.quantity) from None
    return tuple(selections)
