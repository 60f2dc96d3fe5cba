"""Lookup of the foods in a request by ID or barcode, with their servings and quantities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from postmeal.errors import InputError, UnknownBarcode, UnknownServing
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import Catalog, FoundFoods, Suggestion
from postmeal.foods.food import CatalogKind, Food, Selection, Serving
from postmeal.foods.id_ranges import FIRST_LIVE_ID, FIRST_MENU_ID
from postmeal.foods.nutrients import Nutrients
from postmeal.restaurants.places import Places
from postmeal_serve.resources.live_foods import LiveFoods
from postmeal_serve.runtime.offload import offload_io

__all__ = ["FoodChoice", "Foods", "select", "selection_of_nutrients"]

_LARGE_CATALOG = 100_000  # number of foods above which searches may read from the disk


class Foods(NamedTuple):
    """Foods that can be looked up by ID or barcode."""

    catalog: Catalog
    live: LiveFoods
    places: Places | None = None

    def food(self, food_id: int) -> Food:
        """Return the food with the given ID."""
        if food_id >= FIRST_LIVE_ID:
            return self.live.food(food_id)
        if food_id >= FIRST_MENU_ID and self.places is not None:
            return self.places.food(food_id)
        return self.catalog.food(food_id)

    def needs_database(self, food_ids: Iterable[int]) -> bool:
        """Return whether `food` must read the database for any of the given IDs."""
        return any(
            food_id >= FIRST_LIVE_ID and not self.live.is_cached(food_id) for food_id in food_ids
        )

    async def look_up(self, food_id: int) -> Food:
        """Return the food with the given ID, reading the database in a thread if necessary."""
        if self.needs_database([food_id]):
            return await offload_io(self.food, food_id)
        return self.food(food_id)

    async def choose(self, choices: Sequence[FoodChoice]) -> tuple[Selection, ...]:
        """Call `select`, in a thread if it must read the database."""
        if self.needs_database(choice.food_id for choice in choices):
            return await offload_io(select, self, choices)
        return select(self, choices)

    async def search(
        self, query: str, kind: CatalogKind | None, limit: int, offset: int = 0
    ) -> FoundFoods:
        """Call `Catalog.search`, in a thread if the catalog is large."""
        search = partial(self.catalog.search, query, kind=kind, limit=limit, offset=offset)
        return await offload_io(search) if len(self.catalog) > _LARGE_CATALOG else search()

    async def suggest(
        self, text: str, kind: Literal["generic", "branded"] | None, limit: int
    ) -> list[Suggestion]:
        """Call `Catalog.suggest`, in a thread if the catalog is large."""
        suggest = partial(self.catalog.suggest, text, kind=kind, limit=limit)
        return await offload_io(suggest) if len(self.catalog) > _LARGE_CATALOG else suggest()

    async def barcode(self, code: str) -> Food:
        """Return the food with a barcode, from the catalog or else from an external source."""
        try:
            return self.catalog.barcode(code)
        except UnknownBarcode:
            return await self.live.product(possible_gtins(code), code)


class FoodChoice(NamedTuple):
    """IDs of a food and of one of its servings, and the quantity in the serving's unit."""

    food_id: int
    serving_id: int
    quantity: float


def select(
    foods: Foods, choices: Iterable[FoodChoice], field: str = "foods"
) -> tuple[Selection, ...]:
    """Look up foods and servings."""
    selections = []
    for position, choice in enumerate(choices):
        food = foods.food(choice.food_id)
        try:
            serving = food.serving(choice.serving_id, f"{field}[{position}].serving.id")
            selections.append(Selection(food, serving, choice.quantity))
        except UnknownServing:
            raise
        except InputError as error:
            path = f"{field}[{position}].{error.field}"
            raise InputError(path, error.problem, choice.quantity) from None
    return tuple(selections)


def selection_of_nutrients(nutrients: Nutrients) -> Selection:
    """Return a single selection that represents a whole meal with the given nutrients.

    If carbohydrate is unknown, the sum of the known amounts of sugars and fiber is used instead.
    """
    known = nutrients.known()
    if "carbs_g" not in known:
        least = known.get("sugars_g", 0.0) + known.get("fiber_g", 0.0)
        nutrients = Nutrients({**known, "carbs_g": least})
    whole = Serving(
        id=1, quantity=1.0, unit="meal", scaling_factor=1.0, weight_g=None, is_default=True
    )
    return Selection.of(Food(0, "meal", "generic", "", nutrients, (whole,)))
