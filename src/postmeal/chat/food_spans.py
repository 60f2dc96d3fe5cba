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
_UNIT = r"(?:g|gm|gms|gr|grams?|kgs?|kilos?|kilograms?|ml|cl|dl|l|lit(?:er|re)s?|oz|lbs?|pounds?)\b"
_UNIT_BEHIND = re.compile(f" ?{_UNIT}")
_EACH_BEHIND = re.compile(r" each\b")
_UNIT_FIRST = re.compile(_UNIT)
_NUMBER = r"(?<![\w.,/])\d+(?:[.,/]\d+)? ?"
_NUMBER_BEFORE = re.compile(f"{_NUMBER}$")
_AMOUNT_BEFORE = re.compile(f"{_NUMBER}{_UNIT} (?:of )?$")

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
    """Return a span with the unit or "each" behind it, and the amount before it."""
    unit = _UNIT_BEHIND.match(text, span.end)
    if unit and span.text(text)[-1:].isdecimal():
        span = replace(span, end=unit.end())
    if each := _EACH_BEHIND.match(text, span.end):
        span = replace(span, end=each.end())
    is_unit_first = _UNIT_FIRST.match(text, span.start)
    before = (_NUMBER_BEFORE if is_unit_first else _AMOUNT_BEFORE).search(text[: span.start])
    return replace(span, start=before.start()) if before else span


def with_tags(spans: Sequence[Span]) -> tuple[FoodSpan, ...]:
    """Return spans whose tags are numbers of `TAGS` as spans about food."""
    return tuple(FoodSpan(one.start, one.end, one.tag) for one in spans)


@cache
def _tagger() -> WordTagger:
    return WordTagger.read("food_tagger.npz", TAGS)
