"""Foods of the catalog that a correction names."""

from __future__ import annotations

import re

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.language.candidates import first_match, food_of, words_of
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.name_words import COOKED
from postmeal.foods.language.phrase import Phrase
from postmeal.foods.language.spelling import respelled
from postmeal.foods.words import words

__all__ = ["NewFoods"]

_WELL_MATCHED = 0.6
_WELL_HELD = 0.75
_VARIETY_HELD = 0.4
_NO_FOODS = frozenset(words("bowl plate cup glass dish bag box photo picture app scan table kitchen "
                            "scale fridge lunch dinner breakfast supper meal restaurant home eyes "
                            "portion serving time bottle can jar pot pan oven fun work"))  # fmt: skip
_EDGES = re.compile(r"^(?:the|my|an?|some|any|our|of|more)\s+|\s+(?:instead|too|please)$")


class NewFoods:
    """The foods that may be named.

    Parameters
    ----------
    catalog : Catalog
        The foods.

    Examples
    --------
    >>> foods = NewFoods(Catalog.open())
    >>> foods.named("brown rise").name, foods.named("my sister")
    ('Rice, brown, long-grain, cooked', None)
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.matcher = Matcher.of(catalog)

    def is_name(self, text: str) -> bool:
        """Return whether words are the complete name of a food."""
        return self.matcher.names(text)

    def named(self, text: str, *, is_variety: bool = False) -> Food | None:
        """Return the food that words name, or None if they name none with certainty.

        Another variety of a food of the scan, such as "tofu curry", may be a food of its kind.
        """
        name = _EDGES.sub("", text.strip())
        if not name or not any(character.isalpha() for character in name):
            return None
        name = respelled(Phrase(name, name), self.matcher).name
        said = words_of(name)
        if not said or all(word in COOKED or word in _NO_FOODS for word in said):
            return None
        match = first_match(self.matcher, name)
        food, confidence, lacking = food_of(name, match, self.matcher, self.catalog)
        if food is None or lacking or confidence < (_VARIETY_HELD if is_variety else _WELL_MATCHED):
            return None
        if not self.matcher.names(name) and match is not None:
            least = _VARIETY_HELD if is_variety and self._knows(name) else _WELL_HELD
            if self.matcher.share(name, match) < least:
                return None
            if not any(match.head == word or match.head in words(word) for word in said):
                return None  # "delicious" is no apple
        found = self.catalog.search(name, limit=1)
        return found[0] if found else food

    def _knows(self, name: str) -> bool:
        return all(self.matcher.knows(word) for word in words(name))
