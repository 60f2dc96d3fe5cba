"""Foods as requests choose them: ids become selections of the catalogue's foods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from postmeal.errors import InputError, UnknownServing
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food, Selection, Serving
from postmeal.foods.nutrients import Nutrients

__all__ = ["FoodChoice", "of_nutrients", "select"]


class FoodChoice(NamedTuple):
    """A food, one of its servings, and how many of the serving's unit."""

    food_id: int
    serving_id: int
    quantity: float


def select(
    catalog: Catalog, choices: Iterable[FoodChoice], field: str = "foods"
) -> tuple[Selection, ...]:
    """Look up what was chosen.

    Parameters
    ----------
    catalog : Catalog
        The foods.
    choices : iterable of FoodChoice
        What was chosen.
    field : str, default="foods"
        The name to blame in an error.

    Returns
    -------
    tuple of Selection
        The amounts, in their order.

    Raises
    ------
    UnknownFood
        No food has one of the ids.
    InputError
        A serving is not one of its food's; the field is such as ``foods[1].serving.id``.
    """
    selections = []
    for position, choice in enumerate(choices):
        food = catalog.food(choice.food_id)
        try:
            serving = food.serving(choice.serving_id, f"{field}[{position}].serving.id")
            selections.append(Selection(food, serving, choice.quantity))
        except UnknownServing:
            raise
        except InputError as error:
            at = f"{field}[{position}].{error.field}"
            raise InputError(at, error.problem, choice.quantity) from None
    return tuple(selections)


def of_nutrients(nutrients: Nutrients) -> Selection:
    """Answer a selection of which nothing is known but its nutrients.

    Carbohydrate that was not told is at least its known parts: sugars and fibre.
    """
    known = nutrients.known()
    if "carbs_g" not in known:
        least = known.get("sugars_g", 0.0) + known.get("fiber_g", 0.0)
        nutrients = Nutrients({**known, "carbs_g": least})
    whole = Serving(
        id=1, quantity=1.0, unit="meal", scaling_factor=1.0, weight_g=None, is_default=True
    )
    return Selection.of(Food(0, "meal", "generic", "", nutrients, (whole,)))
