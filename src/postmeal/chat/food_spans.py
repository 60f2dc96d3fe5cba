"""The stretches of a message that say what is eaten."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from postmeal.chat.word_tagger import Span, WordTagger
from postmeal.foods.catalog import Catalog

__all__ = ["TAGS", "FoodSpan", "food_spans", "with_tags"]

_NAMED = re.compile(r"[^\W\d_]{3}|\d ?(?:g|ml|oz|cl|dl|l|kg)\b")
_UNIT_BEHIND = re.compile(r" ?(?:g|gm|gms|gr|grams?|ml|oz|cl|dl)\b")

TAGS = ("other", "eaten", "not_eaten")
"""Tags of words, in the order of the weights."""


@dataclass(frozen=True, slots=True)
class FoodSpan(Span):
    """A stretch of a message about food, with a tag of `TAGS`."""

    @property
    def is_eaten(self) -> bool:
        """Whether the food is eaten; otherwise it is left out, refused or replaced."""
        return TAGS[self.tag] == "eaten"


def food_spans(text: str, catalog: Catalog) -> tuple[FoodSpan, ...]:
    """Return the stretches of a plain text that say what is eaten or not eaten, in order.

    Parameters
    ----------
    text : str
        Plain text.
    catalog : Catalog
        Names of foods, which help to find others.

    Examples
    --------
    >>> text = "how high will 2 slices of toast with jam take me?"
    >>> [span.text(text) for span in food_spans(text, Catalog.open())]
    ['2 slices of toast with jam']
    """
    spans = with_tags(_tagger().spans(text, catalog))
    return tuple(_with_unit(span, text) for span in spans if _NAMED.search(span.text(text)))


def _with_unit(span: FoodSpan, text: str) -> FoodSpan:
    """Return a span that ends with a number together with the unit behind it."""
    unit = _UNIT_BEHIND.match(text, span.end)
    is_number = span.text(text)[-1:].isdecimal()
    return replace(span, end=unit.end()) if unit and is_number else span


def with_tags(spans: Sequence[Span]) -> tuple[FoodSpan, ...]:
    """Return spans whose tags are numbers of `TAGS` as spans about food."""
    return tuple(FoodSpan(one.start, one.end, one.tag) for one in spans)


@cache
def _tagger() -> WordTagger:
    return WordTagger.read("food_tagger.npz", TAGS)
