"""Find the names of places and dishes that contain the words of a query, and cache the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.catalog.vocabulary import Read, Vocabulary, WordCache
from postmeal.restaurants.file import PlacesFile
from postmeal.restaurants.menus import ChainMenus
from postmeal.restaurants.names import STAGES, Postings, Reading, matching, query_words
from postmeal.restaurants.near import Numbers

_CACHED = 128  # number of cached results

KINDS: tuple[tuple[str, ...], ...] = (("dish",), ("dish", "restaurant"))
"""The names to search, in order: first only those of dishes, then also those of restaurants."""


class WordSearch:
    """Find the names and dishes in a places file that match a query."""

    def __init__(self, file: PlacesFile, timeout_s: float) -> None:
        self._file = file
        self._timeout_s = timeout_s
        self._word_cache = WordCache({}, {})
        arrays = file.arrays
        self._postings = arrays["postings"]
        self._name_chains, self._name_menus = arrays["name_chains"], arrays["name_menus"]
        self._dish_menus = arrays["dish_menus"]
        with file.connections.reading(timeout_s) as read:
            self.chains: dict[int, str] = dict(read("SELECT number, name FROM chain", ()))
            self._n_menus = read("SELECT ifnull(max(menu), -1) + 1 FROM dish", ())[0][0]
        self._names = lru_cache(_CACHED)(self._find_names)
        self._dishes = lru_cache(_CACHED)(self._find_dishes)

    def names(self, query: str) -> Iterator[Numbers]:
        """Yield the sorted numbers of the names that match a query, for each stage with matches."""
        if words := query_words(query):
            for stage in range(len(STAGES)):
                names = self._names(words, stage)
                if len(names):
                    yield names

    def dishes(self, query: str, menus: ChainMenus) -> Iterator[tuple[FoundDishes, Numbers]]:
        """Yield the dishes that match a query and the names of their places, for each stage."""
        if words := query_words(query):
            for stage in range(len(STAGES)):
                for kinds in KINDS:
                    found, names = self._dishes(words, stage, kinds, menus)
                    if len(names):
                        yield found, names

    def _find_names(self, words: tuple[str, ...], stage: int) -> Numbers:
        with self._file.connections.reading(self._timeout_s) as read:
            readings = STAGES[stage](words, self._vocabulary(read))
            return matching(readings, self._postings_of("name", read))

    def _find_dishes(
        self, words: tuple[str, ...], stage: int, kinds: tuple[str, ...], menus: ChainMenus
    ) -> tuple[FoundDishes, Numbers]:
        with self._file.connections.reading(self._timeout_s) as read:
            readings = STAGES[stage](words, self._vocabulary(read))
            imported = {kind: self._postings_of(kind, read) for kind in kinds}
            found = find_dishes(readings, kinds, imported, menus)
        return found, self._serving(found)

    def _serving(self, found: FoundDishes) -> Numbers:
        """Return the numbers of the names of places that serve one of the dishes.

        The last element of each mask, which index -1 selects, stands for names without an imported
        menu or without a chain.
        """
        by_menu = np.zeros(self._n_menus + 1, bool)
        by_menu[self._dish_menus[found.imported]] = True
        by_chain = np.zeros(len(self.chains) + 1, bool)
        for number, chain in self.chains.items():
            by_chain[number] = chain in found.chain_foods
        from_catalog = (self._name_menus < 0) & by_chain[self._name_chains]
        return np.flatnonzero(by_menu[self._name_menus] | from_catalog).astype(np.uint32)

    def _vocabulary(self, read: Read) -> Vocabulary:
        return Vocabulary(read, self._file.words, self._word_cache)

    def _postings_of(self, kind: str, read: Read) -> Postings:
        sql = "SELECT first, count FROM posting WHERE kind = ? AND word = ?"

        def postings(word: str) -> NDArray[np.uint32]:
            for first, count in read(sql, (kind, word)):
                found: NDArray[np.uint32] = self._postings[first : first + count]
                return found
            return np.empty(0, np.uint32)

        return postings


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
