"""Search imported menu items and the foods of chains by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from postmeal.restaurants.menus import ChainMenus
from postmeal.restaurants.names import Postings, Reading, matching

__all__ = ["KINDS", "FoundDishes", "find_dishes"]

KINDS: tuple[tuple[str, ...], ...] = (("dish",), ("dish", "restaurant"))
"""The names to search, in order: first only those of dishes, then also those of restaurants."""


class FoundDishes:
    """The imported dishes and chain foods that match a query."""

    def __init__(self, imported: NDArray[np.uint32], menus: ChainMenus, numbers: Sequence[int]):
        self.imported = imported
        self.chain_foods: dict[str, set[int]] = {}
        for number in numbers:
            chain, food = menus.all[number]
            self.chain_foods.setdefault(chain, set()).add(food.id)

    def __bool__(self) -> bool:
        return bool(len(self.imported) or self.chain_foods)


def find_dishes(
    readings: Sequence[Reading],
    kinds: Sequence[str],
    imported: dict[str, Postings],
    menus: ChainMenus,
) -> FoundDishes:
    """Find the dishes that match any interpretation of a query."""

    def of_file(word: str) -> NDArray[np.uint32]:
        return _union([imported[kind](word) for kind in kinds])

    def of_chains(word: str) -> NDArray[np.uint32]:
        return _union([menus.numbers(kind, word) for kind in kinds])

    numbers = matching(readings, of_chains).tolist()
    return FoundDishes(matching(readings, of_file), menus, numbers)


def _union(pieces: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    return pieces[0] if len(pieces) == 1 else np.unique(np.concatenate(pieces))
