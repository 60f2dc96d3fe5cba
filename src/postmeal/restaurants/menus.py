"""Menus of restaurant chains from the food catalog, and imported menu items."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.foods.words import words
from postmeal.restaurants.chains import Chain, chain_of, chains

_CATEGORIES = frozenset({"Fast Foods", "Restaurant Foods"})
_PAGE = 500
_CATALOGS = 2  # catalogs with cached menus: the one in use and the one that replaces it
_FIRST_PART, _LAST_PART = 3, 4  # minimum number of letters in each part of a compound word


class ImportedDish(NamedTuple):
    """A menu item from an imported file."""

    food: Food
    restaurant: str
    place_id: str = ""

    @property
    def menu(self) -> str:
        """Key of the menu that contains the dish."""
        return f"id:{self.place_id}" if self.place_id else menu_key(self.restaurant)

    @property
    def key(self) -> str:
        """Key of the dish, from which its food ID is derived."""
        return f"{self.menu}/{' '.join(words(self.food.name)) or self.food.name}"


def menu_key(restaurant: str) -> str:
    """Return the key of the menu of a restaurant. All spellings of a chain's name share one key."""
    chain = chain_of(restaurant)
    return f"name:{' '.join(words(chain.name if chain else restaurant))}"


class ChainMenus:
    """The menus of all chains with foods in a catalog.

    A food is on a chain's menu if it has the chain's brand and a restaurant category. Packaged
    foods of the same brand and foods without a brand are not on the menu.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._foods = {
            chain.name: tuple(sorted(_foods_of(chain, catalog), key=lambda f: (f.name, f.id)))
            for chain in chains().values()
            if chain.brand_name
        }
        self.all = [(chain, food) for chain, foods in self._foods.items() for food in foods]
        self._by_word: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        known = {word for listed in catalog.listed() for word in listed.words.split()}
        for number, (chain, food) in enumerate(self.all):
            for word in dish_words(food.name, known):
                self._by_word["dish", word].append(number)
            for word in set(words(chain)):
                self._by_word["restaurant", word].append(number)

    def foods(self, chain: str | None) -> tuple[Food, ...]:
        """Return the foods of a chain, ordered by name and ID; empty if there are none."""
        return self._foods.get(chain or "", ())

    def numbers(self, kind: str, word: str) -> NDArray[np.uint32]:
        """Return the positions in `all` of foods with a word in their name or (kind) restaurant."""
        return np.array(self._by_word.get((kind, word), ()), np.uint32)


def chain_menus(catalog: Catalog) -> ChainMenus:
    """Return the menus of the chains in a catalog. Each catalog version is read only once."""
    menus = _cached.get(catalog.version)
    if menus is None:
        menus = _cached[catalog.version] = ChainMenus(catalog)
        for version in list(_cached)[:-_CATALOGS]:
            _cached.pop(version, None)  # Another thread may have removed the entry.
    return menus


_cached: dict[str, ChainMenus] = {}


def _foods_of(chain: Chain, catalog: Catalog) -> Iterable[Food]:
    for offset in range(0, len(catalog), _PAGE):
        page = catalog.search(
            chain.brand_name or "", kind="branded", limit=_PAGE, offset=offset, every_word=True
        )
        for food in page:
            if food.brand_name == chain.brand_name and food.category in _CATEGORIES:
                yield food
        if len(page) < _PAGE:
            return


def dish_words(name: str, known: Collection[str]) -> set[str]:
    """Return the words by which a search finds a dish, including the ends of compound words."""
    found = set(words(name))
    for word in tuple(found):
        for at in range(_FIRST_PART, len(word) - _LAST_PART + 1):
            if word[:at] in known and word[at:] in known:
                found.add(word[at:])
    return found


def dish_text(food: Food) -> str:
    """Format a dish as the JSON that the places file stores."""
    return json.dumps(
        {
            "name": food.name,
            "brand_name": food.brand_name,
            "category": food.category,
            "nutrients": {key: food.nutrients[key] for key in food.nutrients},
            "servings": [
                [s.id, s.quantity, s.unit, s.scaling_factor, s.weight_g, s.is_default]
                for s in food.servings
            ],
            "glycemic_index": food.glycemic_index,
            "gi_source": food.gi_source,
            "gi_sd": food.gi_sd,
            "gi_in_model": food.gi_in_model,
            "image_url": food.image_url,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def dish_from_text(food_id: int, text: str) -> Food:
    """Build a dish from the JSON that the places file stores."""
    row: dict[str, Any] = json.loads(text)
    return Food(
        id=food_id,
        name=row["name"],
        kind="branded",
        category=row["category"],
        nutrients=Nutrients(row["nutrients"]),
        servings=tuple(Serving(*serving) for serving in row["servings"]),
        brand_name=row["brand_name"],
        glycemic_index=row["glycemic_index"],
        gi_source=row["gi_source"],
        gi_sd=row.get("gi_sd"),
        gi_in_model=row.get("gi_in_model", True),
        image_url=row["image_url"],
    )
