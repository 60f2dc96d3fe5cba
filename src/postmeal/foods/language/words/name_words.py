"""Groups of words in food names that are treated specially when names are matched.

The words are defined in ``name_words.toml``.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

from postmeal.foods.words import words

__all__ = [
    "BREADS",
    "COOKED",
    "EATEN_COOKED",
    "FILLERS",
    "HOLDERS",
    "MADE_WITH_BREAD",
    "PARTS",
    "SHARP",
    "SIDES",
    "VAGUE",
    "after_the_head",
    "alike",
    "all_alike",
    "head_of",
    "is_nutrient",
]

_NUTRIENTS = frozenset(
    {"carb", "carbohydrate", "protein", "calorie", "cal", "kcal", "macro", "net"}
)
_TABLE: dict[str, Any] = tomllib.loads(
    files("postmeal.foods.language.words").joinpath("name_words.toml").read_text(encoding="utf-8")
)

FILLERS = frozenset(words(_TABLE["fillers"]))
"""Words that say little about a food; they have a low weight in names and in meal texts."""

VAGUE = frozenset(words(_TABLE["vague"]))
"""Words that say less about a food than other words of the same rarity."""

SHARP = frozenset(words(_TABLE["sharp"]))
"""Words that turn one food into a different food; they have a high weight."""

COOKED = frozenset(words(_TABLE["cooked"]))
"""Words for cooked foods, such as "boiled"; a food still matches well if they are missing."""

EATEN_COOKED = frozenset(words(_TABLE["eaten_cooked"]))
"""Foods that are assumed to be cooked unless the text contains "raw", "dry" or "flour"."""

HOLDERS = frozenset(words(_TABLE["holders"]))
"""Dishes made of several foods; foods that are mentioned with a dish are part of it."""

PARTS = frozenset(words(_TABLE["parts"]))
"""Foods that are eaten only on or in another food."""

SIDES = frozenset(words(_TABLE["sides"]))
"""Foods that are eaten next to other foods and not in them."""

BREADS = frozenset(words(_TABLE["breads"]))
"""Breads and crackers."""

MADE_WITH_BREAD = frozenset(words(_TABLE["made_with_bread"]))
"""Dishes made with bread or a wrapper; bread that is mentioned with others is a separate food."""

_PREPARED = COOKED.union(words(_TABLE["prepared"]))
_AFTER_THE_HEAD = frozenset(words(_TABLE["after_the_head"]))
_MEANT = {
    " ".join(words(said)): meant
    for meant, others in _TABLE["alike"].items()
    for said in others.split(";")
}
_SAID = re.compile(
    r"(?<!\S)(?:" + "|".join(map(re.escape, sorted(_MEANT, key=len, reverse=True))) + r")(?!\S)"
)
_NOT = re.compile(
    r"(?<!\S)(?:no|not|without|free of) "
    r"(?!added|add|salt|eaten|of|further|ns|a |as )(\S+)"
)

_PLAIN_WATER = re.compile(r"\bunsweetened (.*\bwater)\b|(\bwater\b.*?) unsweetened\b")
_ON_A_BUN = re.compile(r"\bsandwich\b(.*?) on (?:an? )?(biscuit|croissant|bagel|english muffin)\b")


def alike(name: str) -> list[str]:
    """Replace synonyms in a name with a standard form."""
    said = _one_way_cached(name) if len(name) <= _LONGEST_CACHED else _one_way(name)
    return said.split()


def all_alike(names: list[str]) -> list[list[str]]:
    """Apply `alike` to many names, which must not contain line breaks."""
    return [line.split() for line in _one_way("\n".join(names)).split("\n")] if names else []


def _one_way(text: str) -> str:
    said = _SAID.sub(lambda match: _MEANT[match[0]], text)
    said = _PLAIN_WATER.sub(r"\1\2", said)
    said = _ON_A_BUN.sub(r"\1 \2", said)
    return _NOT.sub(r"no\1", said)


_LONGEST_CACHED = 100  # maximum number of characters; texts from users may be much longer


@lru_cache(8192)
def _one_way_cached(name: str) -> str:
    return _one_way(name)


def head_of(name: list[str]) -> str:
    """Return the word that states what a food is, such as "soup" in "chicken soup with rice"."""
    name = name[: after_the_head(name)]
    return name[-1] if name else ""


def after_the_head(name: list[str]) -> int:
    """Return the number of leading words up to and including the head word of a name."""
    end = next(
        (place for place, word in enumerate(name) if word in _AFTER_THE_HEAD and place), len(name)
    )
    while end < len(name) and end > 1 and name[end - 1] in _PREPARED:
        end -= 1
    return end


def is_nutrient(name: str) -> bool:
    """Return whether words name a nutrient and not a food."""
    named = words(name)
    return bool(named) and _NUTRIENTS.issuperset(named)
