"""Foods as requests choose them: ids and barcodes become foods, choices become selections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from postmeal.errors import InputError, UnknownBarcode, UnknownServing
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import Catalog, Suggestion
from postmeal.foods.food import Food, FoodKind, Selection, Serving
from postmeal.foods.id_ranges import FIRST_LIVE_ID
from postmeal.foods.nutrients import Nutrients
from serve.resources.live_foods import LiveFoods
from serve.runtime.offload import offload_io

__all__ = ["FoodChoice", "Foods", "of_nutrients", "select"]

_MANY = 100_000  # foods: a search among so many may read pages from disk


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
        """
        if food_id >= FIRST_LIVE_ID:
            return self.live.food(food_id)
        return self.catalog.food(food_id)

    def read_database(self, food_ids: Iterable[int]) -> bool:
        """Return whether `food` must read the database for one of these ids."""
        return any(
            food_id >= FIRST_LIVE_ID and not self.live.is_at_hand(food_id) for food_id in food_ids
        )

    async def look_up(self, food_id: int) -> Food:
        """Look up a food by its id, on a thread where the database must be read.

        Raises
        ------
        UnknownFood
            No food has it.
        """
        if self.read_database([food_id]):
            return await offload_io(self.food, food_id)
        return self.food(food_id)

    async def choose(self, choices: Sequence[FoodChoice]) -> tuple[Selection, ...]:
        """Look up what was chosen, on a thread where the database must be read; see `select`."""
        if self.read_database(choice.food_id for choice in choices):
            return await offload_io(select, self, choices)
        return select(self, choices)

    async def search(
        self, query: str, kind: FoodKind | None, limit: int, offset: int = 0
    ) -> list[Food]:
        """Find foods by their names, as `Catalog.search` does.

        Raises
        ------
        CatalogError
            The catalogue is damaged, cannot be reached or does not answer in time.
        """
        search = partial(self.catalog.search, query, kind=kind, limit=limit, offset=offset)
        return await offload_io(search) if len(self.catalog) > _MANY else search()

    async def suggest(
        self, text: str, kind: Literal["generic", "branded"] | None, limit: int
    ) -> list[Suggestion]:
        """Complete what is being typed, as `Catalog.suggest` does; errors are those of `search`."""
        suggest = partial(self.catalog.suggest, text, kind=kind, limit=limit)
        return await offload_io(suggest) if len(self.catalog) > _MANY else suggest()

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
