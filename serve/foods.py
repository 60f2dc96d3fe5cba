"""Foods as requests choose them: ids and barcodes become foods, choices become selections."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from postmeal.errors import InputError, UnknownBarcode, UnknownServing
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import Catalog, Suggestion
from postmeal.foods.food import Food, FoodKind, Selection, Serving
from postmeal.foods.nutrients import Nutrients
from serve.aside import leave_the_loop
from serve.live_foods import FIRST_LIVE_ID, LiveFoods

__all__ = ["FoodChoice", "Foods", "of_nutrients", "select"]

_MANY = 100_000  # foods: a search among them reads so many pages that it may wait for the disk


class Foods(NamedTuple):
    """Every food that an id or a barcode may name.

    Attributes
    ----------
    catalog : Catalog
        The foods that are at hand.
    live : LiveFoods
        Those that were looked up outside.
    """

    catalog: Catalog
    live: LiveFoods

    def food(self, food_id: int) -> Food:
        """Look up a food by its id.

        Raises
        ------
        UnknownFood
            No food has it.
        WouldWait
            It is a live food and this the event loop: see `serve.aside.aside`.
        """
        if food_id > FIRST_LIVE_ID:
            return self.live.food(food_id)
        return self.catalog.food(food_id)

    def search(self, query: str, kind: FoodKind | None, limit: int, offset: int = 0) -> list[Food]:
        """Find foods by their names, as `Catalog.search` does.

        Raises
        ------
        CatalogError
            The catalogue is damaged, cannot be reached or does not answer in time.
        WouldWait
            It is large, and this the event loop: see `serve.aside.aside`.
        """
        self._may_be_slow()
        return self.catalog.search(query, kind=kind, limit=limit, offset=offset)

    def suggest(
        self, text: str, kind: Literal["generic", "branded"] | None, limit: int
    ) -> list[Suggestion]:
        """Complete what is being typed, as `Catalog.suggest` does; errors are those of `search`."""
        self._may_be_slow()
        return self.catalog.suggest(text, kind=kind, limit=limit)

    def _may_be_slow(self) -> None:
        if len(self.catalog) > _MANY:
            leave_the_loop()

    async def barcode(self, code: str) -> Food:
        """Look up a product by its barcode, outside where the catalogue has none and it is set so.

        Raises
        ------
        InputError
            It is not 6 to 14 digits.
        UnknownBarcode
            No food has it.
        Refusal
            Who might know did not answer.
        """
        try:
            return self.catalog.barcode(code)
        except UnknownBarcode:
            return await self.live.product(possible_gtins(code), code)


class FoodChoice(NamedTuple):
    """A food, one of its servings, and how many of the serving's unit."""

    food_id: int
    serving_id: int
    quantity: float


def select(
    foods: Foods, choices: Iterable[FoodChoice], field: str = "foods"
) -> tuple[Selection, ...]:
    """Look up what was chosen.

    Parameters
    ----------
    foods : Foods
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
    WouldWait
        See `Foods.food`.
    """
    selections = []
    for position, choice in enumerate(choices):
        food = foods.food(choice.food_id)
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
