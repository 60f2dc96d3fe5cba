"""Find the foods of the catalog that a correction names."""

from __future__ import annotations

import re
import weakref
from typing import ClassVar

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.language.candidates import first_match, food_of, words_of
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.spelling import respelled
from postmeal.foods.language.words.name_words import COOKED, FILLERS, SHARP
from postmeal.foods.words import words

_SHORTEST_RESPELLED = 6  # minimum letters of a misspelled word; "think" does not mean "thin"
_REMEMBERED = 20_000
_WELL_MATCHED = 0.6
_WELL_HELD = 0.75
_VARIETY_HELD = 0.4
_DESCRIBES = COOKED | SHARP | FILLERS
_NO_FOODS = frozenset(
    words(
        "bowl plate cup glass dish bag box photo picture app scan table kitchen scale fridge lunch"
        " dinner breakfast supper meal restaurant home eyes portion serving time bottle can jar pot"
        " pan oven fun work"
    )
)
_EDGES = re.compile(r"^(?:the|my|an?|some|any|our|of|more)\s+|\s+(?:instead|too|please)$")


class NewFoods:
    """The foods of the catalog that a correction may name."""

    _known: ClassVar[weakref.WeakKeyDictionary[Catalog, NewFoods]] = weakref.WeakKeyDictionary()

    def __init__(self, catalog: Catalog) -> None:
        self.catalog: Catalog = weakref.proxy(catalog)  # `_known` must not keep it alive
        self.matcher = Matcher.of(catalog)
        self.everyday = {one.id: one.also for one in catalog.listed() if one.also}
        self._matched: dict[tuple[str, bool], tuple[str, int] | None] = {}

    @classmethod
    def of(cls, catalog: Catalog) -> NewFoods:
        """Return the shared object for a catalog, which caches the matches of names."""
        if catalog not in cls._known:
            cls._known[catalog] = cls(catalog)
        return cls._known[catalog]

    def is_name(self, text: str) -> bool:
        """Return whether words are the complete name of a food."""
        return self.matcher.names(text)

    def named(self, text: str, *, is_variety: bool = False) -> Food | None:
        """Return the food that words name, or None if this is uncertain.

        If the words name another variety of a food in the scan, such as "tofu curry", the match may
        be a less specific food of the same kind.
        """
        found = self._match(text, is_variety=is_variety)
        if found is None:
            return None
        name, food_id = found
        best = self.catalog.search(name, limit=1)
        return best[0] if best else self.catalog.food(food_id)

    def is_food(self, text: str) -> bool:
        """Return whether the words certainly name a food in the catalog."""
        return self._match(text, is_variety=False) is not None

    def _match(self, text: str, *, is_variety: bool) -> tuple[str, int] | None:
        key = (text, is_variety)
        if key not in self._matched:
            if len(self._matched) >= _REMEMBERED:
                self._matched.clear()
            self._matched[key] = self._new_match(text, is_variety=is_variety)
        return self._matched[key]

    def _new_match(self, text: str, *, is_variety: bool) -> tuple[str, int] | None:
        name = _EDGES.sub("", text.strip())
        if not name or not any(character.isalpha() for character in name):
            return None
        if any(len(word) >= _SHORTEST_RESPELLED for word in name.split()):
            name = respelled(Phrase(name, name), self.matcher).name
        said = words_of(name)
        if not said or all(word in COOKED or word in _NO_FOODS for word in said):
            return None
        match = first_match(self.matcher, name)
        food, confidence, lacking = food_of(name, match, self.matcher, self.catalog)
        if not self.matcher.names(name) and all(word in _DESCRIBES for word in said):
            return None  # "diet" must not match a roll
        if food is None or lacking or confidence < (_VARIETY_HELD if is_variety else _WELL_MATCHED):
            return None
        if not self.matcher.names(name) and match is not None:
            least = _VARIETY_HELD if is_variety and self._knows(name) else _WELL_HELD
            if self.matcher.share(name, match) < least:
                return None
            if not any(match.head == word or match.head in words(word) for word in said):
                return None  # "delicious" must not match an apple
        return name, food.id

    def _knows(self, name: str) -> bool:
        return all(self.matcher.knows(word) for word in words(name))
