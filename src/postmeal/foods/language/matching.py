"""Match everyday names such as "canned tuna in water" to the foods of the catalog.

The similarity of a name and a food is based on the words that they share (contrast model of Tversky
1977, doi:10.1037/0033-295X.84.4.327). Words that occur only in the given name lower the score a
lot. Words that occur only in the food's name lower it a little. The score is also lower if the head
word, such as "soup" in "chicken soup", is missing. The weights were chosen on meal descriptions in
plain English; see `tools/evaluate/meal_language.py`.
"""

from __future__ import annotations

import weakref
from collections import Counter
from threading import Lock
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.catalog import Catalog
from postmeal.foods.language.name_index import NameIndex, name_index
from postmeal.foods.language.words.name_words import FILLERS, after_the_head, alike, head_of
from postmeal.foods.words import words

_COST_OF_MORE = 0.32
_UNSAID_HEAD = 0.16
_OTHER_HEAD = 0.12
_UNCOOKED = 0.25
_EXACT = 0.3
_AROUND = 0.85
_SAID_RAW = frozenset({"raw", "uncooked", "dry", "dried", "flour"})
_SOUGHT = 12  # number of matches to cache, because several stages match the same name
_REMEMBERED = 20_000  # number of cached names, at most 50 MB
_LONGEST_REMEMBERED = 100  # maximum number of characters of a cached name
_MOST_WORDS = 40


class Match(NamedTuple):
    """A food that a name may refer to."""

    food_id: int
    score: float
    """Score of at most 1 (exact match); below about 0.4, the food is probably a different one."""
    held: list[str]
    """Words of the matched name."""
    head: str
    """Word of the matched name that states what the food is."""


class Matcher:
    """Find the foods of a catalog that a name may refer to.

    Only the shipped foods are matched; use `Catalog.search` to find imported foods.
    """

    _known: ClassVar[weakref.WeakKeyDictionary[Catalog, Matcher]] = weakref.WeakKeyDictionary()
    _lock: ClassVar = Lock()

    def __init__(self, index: NameIndex) -> None:
        self._index = index
        not_counted = ("candy", "snack", "beverage", "food", "bar")
        self._not_heads = {index.number[word] for word in not_counted if word in index.number}
        self._words = [*index.number, ""]  # index -1: no word
        self._n_foods = len(set(index.food_id.tolist()))
        self._remembered: dict[str, list[Match]] = {}

    @classmethod
    def of(cls, catalog: Catalog) -> Matcher:
        """Return the matcher of a catalog; the first call for a catalog builds the matcher."""
        if (found := cls._known.get(catalog)) is not None:
            return found
        with cls._lock:
            if catalog not in cls._known:
                cls._known[catalog] = cls(name_index(catalog.listed()))
            return cls._known[catalog]

    def __len__(self) -> int:
        """Return the number of foods that can be matched."""
        return self._n_foods

    def match(self, name: str, limit: int = 1) -> list[Match]:
        """Return the foods that a name may refer to."""
        found = self._remembered.get(name)
        if found is None or (limit > _SOUGHT and len(found) == _SOUGHT):
            sought = max(limit, _SOUGHT)
            said = " ".join(words(name)[:_MOST_WORDS])
            found = self._match(alike(said), sought)
            if (place := self._index.called.get(said)) is not None:
                exact = self._named(place, 1.0)
                found = [exact, *(m for m in found if m.food_id != exact.food_id)][:sought]
            if len(name) <= _LONGEST_REMEMBERED:
                if len(self._remembered) >= _REMEMBERED:
                    self._remembered.clear()
                self._remembered[name] = found
        return found[:limit]

    def knows(self, word: str) -> bool:
        """Return whether a word or its singular occurs in the name of a food."""
        said = words(word)
        return alike(" ".join(said)) != said or any(one in self._index.number for one in said)

    def names(self, said: str) -> bool:
        """Return whether these words are the complete name of a food."""
        return " ".join(words(said)) in self._index.called

    def word_counts(self) -> Counter[str]:
        """Return the number of names that contain each word."""
        return Counter(word for name in self._index.called for word in set(name.split()))

    def share(self, name: str, match: Match) -> float:
        """Return the weighted share of a name's words that a match contains, from 0 to 1."""
        said = alike(" ".join(words(name)[:_MOST_WORDS]))
        worths = {word: self._index.worth_of(word) for word in said}
        held = sum(worth for word, worth in worths.items() if word in match.held)
        return held / sum(worths.values()) if worths else 0.0

    def _match(self, said: list[str], limit: int) -> list[Match]:
        index = self._index
        first = after_the_head(said)
        weights = dict.fromkeys(said, _AROUND) | dict.fromkeys(said[:first], 1.0)
        worths = {word: weight * index.worth_of(word) for word, weight in weights.items()}
        known = {word: index.number[word] for word in worths if word in index.number}
        if not known:
            return []
        hit = np.zeros(len(index.more))
        less = np.zeros(len(index.more))
        shared = np.zeros(len(index.more), dtype=np.int64)
        for word, number in known.items():
            held_by = slice(index.starts[number], index.starts[number + 1])
            places = index.places[held_by]
            hit[places] += worths[word]
            less[places] += index.costs[held_by]
            shared[places] += 1
        near = np.flatnonzero(hit > 0)
        more = index.more[near] - less[near]
        score = hit[near] / (sum(worths.values()) + _COST_OF_MORE * more) + index.prior[near]
        is_said = np.zeros(len(index.number) + 1, dtype=bool)
        before = [known[word] for word in said[:first] if word in known]
        is_said[[*before, *self._not_heads]] = True
        score[~(is_said[index.head[near]] | is_said[index.other_head[near]])] -= _UNSAID_HEAD
        head = known.get(head_of(said), -1)
        if head >= 0 and head not in self._not_heads:
            agrees = np.zeros(len(hit), dtype=bool)
            agrees[index.places[index.starts[head] : index.starts[head + 1]]] = True
            score[~agrees[near]] -= _OTHER_HEAD
        if _SAID_RAW.isdisjoint(said):
            score[index.raw[near]] -= _UNCOOKED
        exact = (shared[near] == index.length[near]) & (len(worths) == index.length[near])
        score[exact] += _EXACT
        if all(word in FILLERS for word in said):
            score[~exact] = 0.0  # "salt" must match only salt itself
        return self._best(near, score, limit)

    def _best(self, near: NDArray[np.intp], score: NDArray[np.float64], limit: int) -> list[Match]:
        """Return the best matches, with each food only once."""
        best = np.argpartition(-score, min(4 * limit, len(score) - 1))[: 4 * limit]
        best = best[np.lexsort((best, -score[best]))]
        found: dict[int, Match] = {}
        for one in best:
            if score[one] <= 0 or len(found) == limit:
                break
            match = self._named(int(near[one]), min(float(score[one]), 1.0))
            found.setdefault(match.food_id, match)
        return list(found.values())

    def _named(self, place: int, score: float) -> Match:
        index = self._index
        head = self._words[int(index.head[place])]
        return Match(int(index.food_id[place]), score, index.words[place], head)
