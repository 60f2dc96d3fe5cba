"""Kinds of foods by how they are eaten, such as bread, soft drink and breakfast cereal.

``kinds.csv`` has one row per kind, with these columns in order:

- the family, whose foods can replace each other
- the name of the kind
- whether the foods are fruit, vegetables, nuts or legumes
- the publishers' categories that contain only this kind
- the phrases that name the kind; phrases with a comma match the beginning of a food's name, and
  other phrases match the end of a part of the name
"""

from __future__ import annotations

import csv
import re
from functools import cache, lru_cache
from importlib.resources import files
from itertools import takewhile
from typing import NamedTuple

from postmeal.foods.words import name_words, words


class EatenAs(NamedTuple):
    """A kind of food."""

    family: str
    name: str
    is_plant: bool


_ByWords = dict[tuple[str, ...], EatenAs]


@lru_cache(maxsize=16_384)
def eaten_as(name: str, category: str) -> EatenAs | None:
    """Return the kind of a food, determined by its name and the publisher's category.

    An inverted name, such as "Cheese, cream", counts by its beginning, and any other name by the
    last words before the first comma. Words after "with" are ignored.
    """
    by_category, by_words, inverted = _kinds()
    by_publisher = by_category.get(category)
    if by_publisher is not None and by_publisher.family == "baby foods":
        return by_publisher
    name = _ASIDE.sub(" ", _ABSENT.sub(" ", name))
    tokens, head = name_words(name)
    for end in range(min(len(tokens), _LONGEST), head, -1):
        if (found := inverted.get(tuple(tokens[:end]))) is not None:
            return found
    first = list(takewhile(lambda word: word not in _JOINS, tokens[:head]))
    if category in _SERVED:
        found = _last_named(first, by_words) or _in_a_part(name, by_words)
        is_between_bread = found is not None and found.family in _BETWEEN_BREAD
        return by_words[("sandwich",)] if is_between_bread else found
    if category == "Beverages":
        drunk = _drunk()
        named = _last_named(first, drunk) or _in_a_part(name, drunk)
        return named or _last_named(tokens, drunk, at_the_end=True) or by_publisher
    if by_publisher is not None and by_publisher.family == "vegetables" and "sprouted" in tokens:
        return by_publisher
    if by_publisher is not None:
        named = _last_named(first, by_words, at_the_end=True)
        if named is None and category == "Fats and Oils":  # such as "Salad dressing, sweet"
            named = _last_named(tokens, by_words, at_the_end=True)
        return named if named and _may_be(by_publisher, named) else by_publisher
    is_whole = len(first) == head
    found = (
        _last_named(first, by_words, at_the_end=True)
        or (_in_a_part(name, by_words, at_the_end=True) if is_whole else None)
        or _last_named(first, by_words)
        or (_in_a_part(name, by_words) if is_whole else None)
        or (None if category in _MIXED else _last_named(words(category), by_words))
    )
    if found is not None and category == _ENTREES and not is_whole:
        return by_words[_ENTREE_OF[found.name]] if found.name in _ENTREE_OF else found
    return found


_ABSENT = re.compile(r"\b\w+[ -]free\b,?", re.I)
_ASIDE = re.compile(r"\([^)]*\)")
_AND = re.compile(r"&|\band\b")
_JOINS = {"with", "without", "made", "prepared"}
_LONGEST = 5  # maximum number of words in a phrase

_ALCOHOL = {"alcohol", "spirits"}
_DRUNK = {"drinks", "milks", "cooking milks", "powders", *_ALCOHOL}
"""Families of the foods that publishers categorize as beverages."""

_DISHES = {"pizza", "pasta dishes", "handhelds", "plates", "salads", "soups"}

_SWEETS = {"baked sweets", "desserts", "pie crusts"}
_ON_PLANTS = {"cheese", "other sauces"}
"""Families that the name of a vegetable or fruit dish may end with, as in "cauliflower cheese"."""

_SERVED = {"Fast Foods", "Restaurant Foods"}
_BETWEEN_BREAD = {"breads", "cured meat", "cheese"}
"""Families of foods that count as sandwiches in restaurants, such as a biscuit with egg."""

_ENTREES = "Meals, Entrees, and Side Dishes"
_ENTREE_OF = {"pasta": ("lasagna",), "rice": ("rice", "dish")}
"""Phrases whose kinds are used for ready meals with pasta ("lasagna") and rice ("rice dish")."""

_MIXED = {"Dairy and Egg Products", "Soups, Sauces, and Gravies", _ENTREES,
          "American Indian/Alaska Native Foods"}  # fmt: skip
"""Categories that contain several kinds of foods."""


def _may_be(by_publisher: EatenAs, named: EatenAs) -> bool:
    """Return whether the kind in a food's name is compatible with the publisher's category.

    For example, a dish whose name ends in "beans" is still a dish, a cocktail whose name ends in
    "soda" is still alcoholic, and broccoli with cheese is still a vegetable.
    """
    if named.family == "stuffings":
        return True
    for families in (_DISHES, _ALCOHOL, {"breakfast grains"}, _DRUNK, _SWEETS):
        if by_publisher.family in families:
            return named.family in families
    return not (by_publisher.is_plant and named.family in _ON_PLANTS)


def _in_a_part(name: str, by_words: _ByWords, *, at_the_end: bool = False) -> EatenAs | None:
    """Return the kind of the first part after a comma that names one; None if it names several."""
    for part in name.split(",")[1:]:
        tokens = words(part)
        found = (
            None if _JOINS & {*tokens[:1]} else _last_named(tokens, by_words, at_the_end=at_the_end)
        )
        if found is None:
            continue
        others = (_last_named(words(one), by_words) for one in _AND.split(part))
        return None if any(one and one.family != found.family for one in others) else found
    return None


@cache
def _drunk() -> _ByWords:
    return {phrase: kind for phrase, kind in _kinds()[1].items() if kind.family in _DRUNK}


def _last_named(
    tokens: list[str], by_words: _ByWords, *, at_the_end: bool = False
) -> EatenAs | None:
    """Return the kind that the last matching phrase names; longer phrases take precedence."""
    for end in range(len(tokens), len(tokens) - 1 if at_the_end else 0, -1):
        for start in range(max(0, end - _LONGEST), end):
            if found := by_words.get(tuple(tokens[start:end])):
                return found
    return None


@cache
def _kinds() -> tuple[dict[str, EatenAs], _ByWords, _ByWords]:
    by_category: dict[str, EatenAs] = {}
    by_words: _ByWords = {}
    inverted: _ByWords = {}
    table = files("postmeal.foods.alternatives").joinpath("kinds.csv").read_text("utf-8")
    for line in csv.DictReader(table.splitlines()):
        kind = EatenAs(line["family"], line["kind"], line["plants"] == "yes")
        for category in filter(None, line["categories"].split("; ")):
            by_category[category] = kind
        for phrase in line["words"].split(";"):
            known = inverted if "," in phrase else by_words
            known.setdefault(tuple(words(phrase)), kind)
    return by_category, by_words, inverted
