"""Which of the foods that hold the words of a query is meant.

Foods are stored in everyday-popularity order, so the first matches are the popular ones. Of those
the best is the one whose everyday name is the query, then the one whose name begins with it and
says little else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from postmeal.foods.words import words

__all__ = ["FORMS", "LINKING", "Asked"]

LINKING = frozenset({"a", "an", "and", "for", "in", "n", "of", "on", "or", "the", "with"})
"""Words that link others and tell nothing of the food."""

FORMS = frozenset({
    "baked", "barbecued", "bite", "boiled", "bowl", "braised", "broiled", "browned", "buttered",
    "canned", "chilled", "chopped", "chunk", "chunky", "cooked", "crispy", "crumbled", "crunchy",
    "cube", "cubed", "cup", "deli", "diced", "dried", "dry", "fillet", "fresh", "fried", "frozen",
    "grated", "grilled", "ground", "half", "homemade", "hot", "large", "leaf", "lean", "little",
    "mashed", "medium", "mini", "natural", "organic", "pack", "patty", "peeled", "piece", "plain",
    "plate", "poached", "portion", "raw", "regular", "ring", "ripe", "roast", "roasted", "sauteed",
    "seasoned", "seedless", "segment", "serving", "shredded", "skinless", "slice", "sliced",
    "small", "smoked", "soft", "steak", "steamed", "stewed", "stick", "strip", "toasted",
    "traditional", "uncooked", "warm", "wedge", "whole",
})  # fmt: skip
"""Words of how a food is prepared, cut or served: they tell less than what it is."""

_UNSAID = LINKING | {"beverage", "fast", "food", "nfs", "restaurant", "snack"}
_OTHER_NAME = 0.1  # an everyday name that is not the food's first
_NAMED, _NAMED_PRODUCT = 0.05, 2.4  # what is asked word for word; plain foods before products
_CLASS_FIRST = 1.4


class Asked:
    """What is asked, and how far a food is from it.

    Parameters
    ----------
    words : sequence of str
        The words that are asked for.
    begun : bool, default=False
        Whether each of them may be the beginning of the one that is meant.

    Examples
    --------
    >>> asked = Asked(words("raw banana"))
    >>> asked.cost("banana raw", 1, "", None, 9) < asked.cost("banana chip raw", 2, "", None, 9)
    True
    """

    def __init__(self, words: Sequence[str], begun: bool = False) -> None:
        self.words = words
        self.begun = begun
        self._text = " ".join(words)
        self._any_order = frozenset(words)
        self._telling = self._any_order - LINKING
        self._known = self._any_order | LINKING

    def cost(self, name: str, head: int, also: str, brand: str | None, place: int) -> float:
        """Judge how far a food is from what is asked; the lowest is meant.

        Parameters
        ----------
        name : str
            Words of the food's name.
        head : int
            How many of them say what the food is.
        also : str
            Its everyday names as words, joined by ``;``.
        brand : str or None
            The name of its brand.
        place : int
            Its place in the everyday-popularity order, from 1.

        Returns
        -------
        float
            0 and up, without unit: next to nothing for an everyday name, from 1 for a name.
        """
        popularity = 0.3 * math.log2(1 + place / 100)
        asked, known = self._any_order, self._known
        maker = _maker(brand) if brand else ()
        named = name.split()
        known_as = self._everyday(also) if also else None
        if known_as != 0 and self._is_named(named, head, maker):
            by_name = _NAMED_PRODUCT if maker else _NAMED
            return (by_name if known_as is None else min(by_name, known_as)) + popularity / 100
        if known_as is not None:
            return known_as + (popularity if self.begun else popularity / 100)
        if self.begun:
            asked = self._completed(f" {name} {' '.join(maker)}")
            known = asked | LINKING
        unasked = [word for word in named if word not in known]
        of_head = [word for word in named[:head] if word not in known] if unasked else unasked
        apart = bool(unasked) and named.index(unasked[0]) < len(asked)
        begins = 1.0 if named and (named[0] in asked or named[head - 1] in asked) else 2.5
        if begins > 1 and not maker and head == 1 and len(named) > 1 and named[1] in asked:
            begins, of_head = _CLASS_FIRST, []  # "Cookies, shortbread"
        missing = 0
        if maker:
            if maker[0] in asked:
                begins = 1.0
                if asked.issubset(maker):  # whoever asks for the brand asks for all it makes
                    of_head = []
            missing = len(asked.difference(named, maker))
        elif also:
            missing = len(asked.difference(named))
        return (
            begins
            + popularity
            + 0.8 * len(of_head)
            + 0.1 * min(len(unasked), 12)
            + 0.3 * missing
            + (0.3 if apart else 0.0)
        )

    def _is_named(self, named: Sequence[str], head: int, maker: Sequence[str]) -> bool:
        """Whether a name says all words that are asked and nothing else: "Ham, prosciutto"."""
        if self.begun or len(self._telling) < 2 or len(named) > len(self.words) + 2:
            return False
        held = set(named)
        alone = self._telling <= held.union(maker) and held <= self._any_order | _UNSAID
        return alone and " ".join(named[:head]) in self._text  # not "Chocolate milk"

    def _everyday(self, also: str) -> float | None:
        """Say how far the nearest of its everyday names is; None when none is what is asked."""
        text = self._text
        if self.begun:
            more = (
                0.5 * (name.count(" ") - text.count(" ")) + 0.1 * min(rank, 9)
                for rank, name in enumerate(also.split(";") if text in also else ())
                if name.startswith(text)
            )
            nearest = min(more, default=None)
            return None if nearest is None else 0.5 + nearest
        if text in also and text in (names := also.split(";")):
            return 0.0 if text == names[0] else _OTHER_NAME
        if len(self.words) == 1 or not all(word in also for word in self._telling):
            return None
        same = (self._telling == set(name.split()) - LINKING for name in also.split(";"))
        return 0.4 if any(same) else None

    def _completed(self, held: str) -> frozenset[str]:
        asked = []
        for word in self.words:
            at = held.find(f" {word}") + 1
            asked.append(held[at : held.index(" ", at)] if at and " " in held[at:] else word)
        return frozenset(asked)


@lru_cache(65_536)
def _maker(brand: str) -> tuple[str, ...]:
    return tuple(words(brand))
