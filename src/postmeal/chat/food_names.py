"""Check of whether the words of a text name the food that was found for them.

The meal parser also finds foods by a part of their name or by a similar spelling. Such a guess is
useful in a food log but not in a chat, because users rely on its numbers. Therefore, the chat uses
a food only if two conditions are met. Nearly all of the user's words for it must occur in its name
or in one of its everyday names. The user's words must also make up most of such a name.
"""

from __future__ import annotations

import re
import weakref
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import ClassVar

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.language.words.name_words import COOKED, FILLERS, VAGUE
from postmeal.foods.language.words.sizes_and_measures import MEASURES, SIZES
from postmeal.foods.words import words

_SIZE = re.compile(rf"\b(?:{'|'.join(SIZES)})\b")
_UNITS = frozenset(
    words(
        "g gm gms gram kg mg ml milliliter millilitre cl dl l liter litre oz ounce lb pound floz fl"
        " kilo x ca"
    )
)
_MEASURE_WORDS = frozenset(word for measure in MEASURES for word in words(measure))
_PLAIN = frozenset(
    words(
        "my our your his her their this that of the a an some more about around maybe say roughly"
        " approximately exactly just only also extra homemade leftover normal usual typical"
        " ordinary good nice eaten served big whole fresh warm hot cold today tonight"
        " then and with on in both real simple standard i had have ate eat drank drink took was"
    )
)
_NEARLY_ALL = 5  # minimum number of words of which one may be missing
_SIMILAR_FROM = 5  # minimum number of letters of words that may be misspelled
_TWO_EDITS_FROM = 8


class FoodNames:
    """The names of the foods of a catalog."""

    _known: ClassVar[weakref.WeakKeyDictionary[Catalog, FoodNames]] = weakref.WeakKeyDictionary()
    _lock: ClassVar = Lock()

    def __init__(self, catalog: Catalog) -> None:
        self._names: dict[int, list[list[str]]] = defaultdict(list)
        for listed in catalog.listed():
            brand = words(listed.brand_name or "")
            own = listed.words.split()
            self._names[listed.id] += [own[: listed.head], own, [*brand, *own]]
            self._names[listed.id] += [words(name) for name in listed.also]

        self._words = {word for names in self._names.values() for name in names for word in name}

    @classmethod
    def of(cls, catalog: Catalog) -> FoodNames:
        """Return the names of the foods in a catalog, which are read only on the first call."""
        with cls._lock:
            if catalog not in cls._known:
                cls._known[catalog] = cls(catalog)
            return cls._known[catalog]

    def is_unknown(self, said: str, food: Food) -> bool:
        """Return whether a word occurs in no food name and is no misspelling of this food's name.

        For example, the meal parser takes "tofurkey" for "turkey".
        """
        name = {word for each in self._names.get(food.id, ()) for word in each}
        return any(
            len(word) >= _SIMILAR_FROM and word not in self._words and _among(word, name) is None
            for word in core_words(said)
        )

    def agree(self, said: str, food: Food) -> bool:
        """Return whether words of the user name the given food."""
        names = [*self._names.get(food.id, ()), words(food.name), words(food.description)]
        known = {word for name in (*names, words(food.category)) for word in name}
        core = core_words(said, known)
        if not core:
            return False
        together = "".join(core)
        if any(together == "".join(name) for name in names):  # "hashbrowns"
            return True
        missing = sum(_among(word, known) is None for word in core)
        if missing > (len(core) >= _NEARLY_ALL):
            return False
        return any(_is_most_of(core, name) for name in names if name)


def core_words(said: str, known: Iterable[str] = ()) -> list[str]:
    """Return the words of a text that name a food, without its amount and size."""
    found = [word for word in words(_SIZE.sub(" ", said)) if not word[0].isdigit()]
    core = [word for word in found if word not in _PLAIN and word not in _UNITS]
    held = set(known)
    named = [word for word in core if word not in _MEASURE_WORDS or word in held]
    rest = [word for word in named if word not in FILLERS or word in held]
    return rest or named or core


def _is_most_of(said: Sequence[str], name: Sequence[str]) -> bool:
    """Return whether a text contains more than half of the words of a name."""
    left = Counter(said)
    counted = [word for word in name if word not in FILLERS | VAGUE | COOKED] or list(name)
    found = 0
    for word in counted:
        match = _among(word, left)
        if match is not None and left[match] > 0:
            left[match] -= 1
            found += 1
    return 2 * found > len(counted)


def _among(word: str, others: Iterable[str]) -> str | None:
    """Return the given word if it is among others, or a word spelled similarly, or None."""
    held = set(others)
    if word in held:
        return word
    if len(word) < _SIMILAR_FROM:
        return None
    return next((other for other in held if _is_similar(word, other)), None)


def _is_similar(word: str, other: str) -> bool:
    if word[0] != other[0] or len(other) < _SIMILAR_FROM:
        return False
    if word in (other + "y", other + "e") or other in (word + "y", word + "e"):
        return True
    shortest = min(len(word), len(other))
    return _edits(word, other) <= (2 if shortest >= _TWO_EDITS_FROM else 1)


def _edits(word: str, other: str) -> int:
    """Return the edit distance between two words, capped at 3."""
    if abs(len(word) - len(other)) > 2:
        return 3
    row = list(range(len(other) + 1))
    for place, letter in enumerate(word, 1):
        last, row[0] = row[0], place
        for at, its in enumerate(other, 1):
            last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (letter != its))
    return min(row[-1], 3)
