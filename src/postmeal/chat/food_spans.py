"""Parts of a message that name foods, and whether these foods are eaten."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from postmeal.chat.amounts import SHARE, WEIGHT_UNIT
from postmeal.chat.food_roles import is_eaten
from postmeal.chat.hashed_model import HashedModel
from postmeal.chat.word_tagger import (
    Span,
    WordTagger,
    is_word,
    message_tokens,
    places_in_names,
    spans_of,
)
from postmeal.foods.catalog import Catalog
from postmeal.foods.language.matching import Matcher
from postmeal.words.quantities import Quantity, quantities

_NAMED = re.compile(rf"[^\W\d_]{{3}}|\d ?{WEIGHT_UNIT}\b")
_UNIT_BEHIND = re.compile(rf" ?{WEIGHT_UNIT}\b")
_EACH_BEHIND = re.compile(
    rf",? ?(?:\(|at )?(?:about )?(?:\d+(?:[.,]\d+)? ?{WEIGHT_UNIT} (?:each|apiece)\b\)?"
    rf"|each \d+(?:[.,]\d+)? ?{WEIGHT_UNIT}\b\)?)| (?:each|apiece)\b\)?"
)
_SHARE_OF = re.compile(rf"(?<![\w.,/]){SHARE} of (?:an? |the |my |this |that )?")
_REPLACED = re.compile(r",? (?:instead of|in place of|in lieu of)(?: (?:the|my|a|an))* ")

TAGS = ("other", "eaten", "not_eaten")
"""Tags of words, in the order of the rows of the model's weights."""
_NO_MEALS = frozenset(("sugar", "sugars", "glucose", "meal", "breakfast", "lunch", "dinner"))
_EATEN, _NOT_EATEN = TAGS.index("eaten"), TAGS.index("not_eaten")


@dataclass(frozen=True, slots=True)
class FoodSpan(Span):
    """A part of a message that names a food, with one of the `TAGS`."""

    @property
    def is_eaten(self) -> bool:
        """Whether the food is eaten. Otherwise, it is left out, refused or replaced."""
        return self.tag == _EATEN


def food_spans(text: str, catalog: Catalog) -> tuple[FoodSpan, ...]:
    """Return the parts of a plain text that name foods, in order."""
    spans = with_roles(_tagger().spans(text, catalog), text)
    shares = [share.span() for share in _SHARE_OF.finditer(text)]
    amounts = quantities(text)
    return tuple(
        _with_amount(span, text, shares, amounts)
        for span in spans
        if _NAMED.search(span.text(text))
    )


def _with_amount(
    span: FoodSpan, text: str, shares: Sequence[tuple[int, int]], amounts: Sequence[Quantity]
) -> FoodSpan:
    """Extend a span by an amount or share before it, and by a unit or "each" after it."""
    unit = _UNIT_BEHIND.match(text, span.end)
    if unit and span.text(text)[-1:].isdecimal():
        span = replace(span, end=unit.end())
    if each := _EACH_BEHIND.match(text, span.end):
        span = replace(span, end=each.end())
    for start, end in shares:
        if start < span.start <= end:
            return replace(span, start=start)
    for amount in amounts:
        between = text[amount.end : span.start].strip()
        is_before = bool(amount.unit) or not text[amount.start : amount.end].isdecimal()
        is_cut = amount.start < span.start < amount.end
        if is_cut or (amount.end <= span.start and is_before and between in ("", "of")):
            return replace(span, start=amount.start)
    return span


def named_foods(text: str, catalog: Catalog) -> tuple[FoodSpan, ...]:
    """Return the parts of a plain text that are names of foods in a catalog.

    This function is used for messages about a meal in which the model finds no food.
    """
    tokens = message_tokens(text)
    said = [token.group() for token in tokens]
    tags = [
        0 if place == "-" or not is_word(word) or word in _NO_MEALS else _EATEN
        for place, word in zip(places_in_names(said, Matcher.of(catalog)), said, strict=True)
    ]
    return tuple(FoodSpan(one.start, one.end, one.tag) for one in spans_of(tokens, tags))


def with_roles(
    spans: Sequence[Span], text: str, roles: HashedModel | None = None
) -> tuple[FoodSpan, ...]:
    """Return spans of foods with a tag that says whether each food is eaten.

    The second food in "rice instead of potatoes" is never eaten. For other foods, the model
    decides.
    """
    found: list[FoodSpan] = []
    for n_before, one in enumerate(_split(spans, text)):
        eaten = [each for each in found if each.is_eaten]
        between = text[eaten[-1].end : one.start] if eaten else ""
        is_replaced = _REPLACED.fullmatch(between) is not None
        is_used = not is_replaced and is_eaten(text, one, n_before, roles)
        found.append(FoodSpan(one.start, one.end, _EATEN if is_used else _NOT_EATEN))
    return tuple(found)


def _split(spans: Sequence[Span], text: str) -> Iterator[Span]:
    """Yield the spans, split at words such as "instead of"."""
    for span in spans:
        match = _REPLACED.search(text, span.start, span.end)
        if match is None:
            yield span
            continue
        yield replace(span, end=match.start())
        yield replace(span, start=match.end())


@cache
def _tagger() -> WordTagger:
    return WordTagger.read("food_tagger.npz", TAGS)
