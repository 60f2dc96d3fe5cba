"""Rank the foods that match a query.

Foods are stored in the order of their everyday popularity, so the first matches are popular foods.
Foods with an everyday name that equals the query rank highest. They are followed by foods whose
names begin with the query and have few other words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from postmeal.foods.food import CatalogKind
from postmeal.foods.words import words

LINKING = frozenset({"a", "an", "and", "for", "in", "n", "of", "on", "or", "the", "with"})
"""Words that only link other words and do not describe the food."""

FORMS = frozenset({
    "baked", "barbecued", "bite", "boiled", "bowl", "braised", "broiled", "browned", "buttered",
    "canned", "chilled", "chopped", "chunk", "chunky", "cooked", "crispy", "crumbled", "crunchy",
    "cube", "cubed", "cup", "deli", "diced", "dried", "dry", "fillet", "fresh", "fried", "frozen",
    "grated", "grilled", "ground", "half", "homemade", "hot", "large", "leaf", "lean", "little",
    "mashed", "medium", "mini", "natural", "organic", "pack", "patty", "peeled", "piece", "plain",
    "plate", "poached", "portion", "rare", "raw", "regular", "ring", "ripe", "roast", "roasted",
    "sauteed", "seasoned", "seedless", "segment", "serving", "shredded", "skinless", "slice",
    "sliced", "small", "smoked", "soft", "steak", "steamed", "stewed", "stick", "strip", "toasted",
    "traditional", "uncooked", "warm", "wedge", "whole",
})  # fmt: skip
"""Words for how a food is prepared, cut or served; they matter less than the food itself."""

CUTS = frozenset({
    "bite", "bowl", "chunk", "cube", "cubed", "cup", "fillet", "half", "large", "little", "medium",
    "mini", "pack", "piece", "plate", "portion", "ring", "segment", "serving", "slice", "sliced",
    "small", "stick", "strip", "wedge", "whole",
})  # fmt: skip
"""The words of `FORMS` for cuts, sizes and servings, which hardly change the nutrients."""

ABUNDANCE: dict[CatalogKind, int] = {"generic": 1, "dish": 4, "recipe": 4, "branded": 6}
"""Approximate ratio of a food's popularity rank among all foods to its rank within its kind. In the
shipped table, about every fourth food is a dish and about every sixth food is branded."""

_IGNORED = LINKING | {"beverage", "fast", "food", "nfs", "restaurant", "snack"}
_OTHER_NAME = 0.1  # cost of an everyday name that is not the food's first
_NAMED, _NAMED_PRODUCT = 0.05, 2.4  # costs of an exact name for plain foods and for products
_CLASS_FIRST = 1.4  # cost of "Cookies, shortbread" for "shortbread"


class Query:
    """A search query that computes the cost of foods; the best match has the lowest cost."""

    def __init__(self, words: Sequence[str], is_prefix: bool = False) -> None:
        self.words = words
        self.is_prefix = is_prefix
        self._text = " ".join(words)
        self._any_order = frozenset(words)
        self._content_words = self._any_order - LINKING
        self._expected = self._any_order | LINKING

    def cost(self, name: str, head: int, also: str, brand: str | None, place: int) -> float:
        """Compute the cost of a food as a match for the query; lower is better."""
        popularity = 0.3 * math.log2(1 + place / 100)
        query_words, expected = self._any_order, self._expected
        maker = _maker(brand) if brand else ()
        name_words = name.split()
        everyday_cost = self._everyday(also) if also else None
        if everyday_cost != 0 and self._is_named(name_words, head, maker):
            by_name = _NAMED_PRODUCT if maker else _NAMED
            return (
                by_name if everyday_cost is None else min(by_name, everyday_cost)
            ) + popularity / 100
        if everyday_cost is not None:
            return everyday_cost + (popularity if self.is_prefix else popularity / 100)
        if self.is_prefix:
            query_words = self._completed(f" {name} {' '.join(maker)}")
            expected = query_words | LINKING
        extra = [word for word in name_words if word not in expected]
        extra_head = (
            [word for word in name_words[:head] if word not in expected] if extra else extra
        )
        apart = bool(extra) and name_words.index(extra[0]) < len(query_words)
        begins = (
            1.0
            if name_words and (name_words[0] in query_words or name_words[head - 1] in query_words)
            else 2.5
        )
        if (
            begins > 1
            and not maker
            and head == 1
            and len(name_words) > 1
            and name_words[1] in query_words
        ):
            begins, extra_head = _CLASS_FIRST, []  # "Cookies, shortbread"
        missing = 0
        if maker:
            if maker[0] in query_words:
                begins = 1.0
                if query_words.issubset(maker):  # a brand name matches all of its products
                    extra_head = []
            missing = len(query_words.difference(name_words, maker))
        elif also:
            missing = len(query_words.difference(name_words))
        return (
            begins
            + popularity
            + 0.8 * len(extra_head)
            + 0.1 * min(len(extra), 12)
            + 0.3 * missing
            + (0.3 if apart else 0.0)
        )

    def _is_named(self, named: Sequence[str], head: int, maker: Sequence[str]) -> bool:
        """Return whether a name has the query's words: "Ham, prosciutto" for "prosciutto ham"."""
        if self.is_prefix or len(self._content_words) < 2 or len(named) > len(self.words) + 2:
            return False
        name_words = set(named)
        is_exact = (
            self._content_words <= name_words.union(maker)
            and name_words <= self._any_order | _IGNORED
        )
        return is_exact and " ".join(named[:head]) in self._text  # not "Chocolate milk"

    def _everyday(self, also: str) -> float | None:
        """Return the cost of the closest everyday name; None if none matches the query."""
        text = self._text
        if self.is_prefix:
            costs = (
                0.5 * (name.count(" ") - text.count(" ")) + 0.1 * min(rank, 9)
                for rank, name in enumerate(also.split(";") if text in also else ())
                if name.startswith(text)
            )
            lowest = min(costs, default=None)
            return None if lowest is None else 0.5 + lowest
        if text in also and text in (names := also.split(";")):
            return 0.0 if text == names[0] else _OTHER_NAME
        if len(self.words) == 1 or not all(word in also for word in self._content_words):
            return None
        matches = (self._content_words == set(name.split()) - LINKING for name in also.split(";"))
        return 0.4 if any(matches) else None

    def _completed(self, text: str) -> frozenset[str]:
        completed = []
        for word in self.words:
            at = text.find(f" {word}") + 1
            completed.append(text[at : text.index(" ", at)] if at and " " in text[at:] else word)
        return frozenset(completed)


@lru_cache(65_536)
def _maker(brand: str) -> tuple[str, ...]:
    return tuple(words(brand))
