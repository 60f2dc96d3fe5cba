"""The foods that a search found, and the words that it dropped from the query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from postmeal.foods.catalog.confidence import qualifiers
from postmeal.foods.food import Food
from postmeal.foods.words import words

_TYPED = re.compile(r"[^\W_][\w'’]*")


class FoundFoods(list[Food]):
    """A list of foods, best match first.

    Examples
    --------
    >>> from postmeal import Catalog
    >>> Catalog.open().search("dragon scotch egg").matched_without
    ('dragon',)
    """

    def __init__(self, foods: Iterable[Food] = (), matched_without: Sequence[str] = ()) -> None:
        super().__init__(foods)
        self.matched_without = tuple(matched_without)


def as_typed(query: str, dropped: Sequence[str]) -> tuple[str, ...]:
    """Return the dropped words that may change the food, spelled as in the query."""
    left_out = set(qualifiers(dropped))
    typed = (match[0] for match in _TYPED.finditer(query))
    return tuple(word for word in typed if (parts := words(word)) and left_out.issuperset(parts))
