"""Keep only the certain part of a phrase such as "rice or pasta" or "3 cubits of oatmeal"."""

from __future__ import annotations

import re
from dataclasses import replace

from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.words.name_words import is_nutrient

__all__ = ["certain_part"]

_NEGATIVE = re.compile(r"-\d")
_ARTICLE = re.compile(r"^(?:an?|some|the|my) ")
_MEASURED = re.compile(r"(?P<measure>[^\W\d_]+) of (?P<name>.+)")


def certain_part(phrase: Phrase, matcher: Matcher) -> tuple[Phrase, tuple[str, ...]]:
    """Return the certain part of a phrase, and the words that are removed.

    If foods are joined by "or", the first food is kept. An amount in an unknown measure is
    removed. If an amount is negative, the name is also removed, so that the phrase is not read.
    """
    if _NEGATIVE.match(phrase.said):
        return replace(phrase, name="", count=None, unit=""), ()
    first, _, other = phrase.name.partition(" or ")
    if other and _are_several(first, other, matcher):
        return replace(phrase, name=first), (f"or {other}",)
    measured = _MEASURED.fullmatch(phrase.name)
    if measured and phrase.count is not None and f"{phrase.count:g} {phrase.name}" in phrase.said:
        measure = measured["measure"]
        if is_nutrient(measure):
            return replace(phrase, name=measure), ()
        if not matcher.knows(measure):
            left_out = f"{phrase.count:g} {measure}"
            return replace(phrase, name=measured["name"], count=None), (left_out,)
    return phrase, ()


def _are_several(first: str, other: str, matcher: Matcher) -> bool:
    """Return whether names refer to several foods, unlike in "butter or sugar cookie"."""
    head = other.split()[-1]
    others = [_ARTICLE.sub("", name) for name in other.split(" or ")]
    is_kind = matcher.names(f"{first} {head}")
    return matcher.names(first) and all(map(matcher.names, others)) and not is_kind
