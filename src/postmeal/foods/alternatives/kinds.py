"""What a food is eaten as: bread, a soft drink, a breakfast cereal.

``kinds.csv`` has one line for each kind: its family, the kind, whether its foods are fruit,
vegetables, nuts or legumes, the publishers' categories that are this kind, and the words that name
it. Two foods of a family can stand in for each other; of a kind, they are the same thing.
"""

from __future__ import annotations

import csv
import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.words import name_words, words

__all__ = ["EatenAs", "eaten_as"]


class EatenAs(NamedTuple):
    """A kind of food, by what it is eaten as.

    Attributes
    ----------
    family : str
        Kinds of one family can stand in for each other.
    name : str
        The kind.
    is_plant : bool
        Whether its plain foods are fruit, vegetables, nuts or legumes.
    """

    family: str
    name: str
    is_plant: bool


@lru_cache(maxsize=16_384)
def eaten_as(name: str, category: str) -> EatenAs | None:
    """Find what a food is eaten as.

    The publisher's category decides where it is of one kind; else the last words that name a kind,
    in what the name says first and then in the rest of it.

    Parameters
    ----------
    name, category : str
        The food's name and the publisher's food group.

    Returns
    -------
    EatenAs or None
        None where neither tells.

    Examples
    --------
    >>> eaten_as("Chicken noodle soup", "").name, eaten_as("Bread, white", "Baked Products").name
    ('soup', 'bread')
    """
    by_category, by_words = _kinds()
    by_publisher = by_category.get(category)
    if by_publisher is not None and category not in _BROAD:
        return by_publisher
    tokens, head = name_words(_ABSENT.sub(" ", name))
    head = next((at for at in range(1, head) if tokens[at] == "with"), head)
    if by_publisher is not None:
        return _last_named(tokens[:head], by_words, at_the_end=True) or by_publisher
    return (
        _last_named(tokens[:head], by_words)
        or _last_named(tokens[head:], by_words)
        or (None if category in _MIXED else _last_named(words(category), by_words))
    )


_ABSENT = re.compile(r"\b\w+[ -]free\b,?", re.I)
_BROAD = {"Fats and Oils", "Citrus fruits", "Beef Products", "Pork Products", "Poultry Products",
          "Beverages",
          "Lamb, Veal, and Game Products", "Legumes and Legume Products", "Sweets", "Snacks",
          "Sausages and Luncheon Meats", "Spices and Herbs", "Fruits and Fruit Juices",
          "Salad dressings and vegetable oils", "Vegetables and Vegetable Products",
          "Finfish and Shellfish Products", "Nut and Seed Products", "Cereal Grains and Pasta",
          "Breakfast Cereals"}  # fmt: skip
"""Categories that hold other things too: what the name says first goes before them."""

_MIXED = {"Dairy and Egg Products", "Soups, Sauces, and Gravies", "Meals, Entrees, and Side Dishes",
          "American Indian/Alaska Native Foods"}  # fmt: skip
"""Categories of several kinds."""


def _last_named(
    tokens: list[str], by_words: dict[tuple[str, ...], EatenAs], *, at_the_end: bool = False
) -> EatenAs | None:
    """Answer the kind of the last phrase, and of those that end there, of the longest."""
    for end in range(len(tokens), len(tokens) - 1 if at_the_end else 0, -1):
        for start in range(max(0, end - 4), end):
            if found := by_words.get(tuple(tokens[start:end])):
                return found
    return None


@cache
def _kinds() -> tuple[dict[str, EatenAs], dict[tuple[str, ...], EatenAs]]:
    by_category: dict[str, EatenAs] = {}
    by_words: dict[tuple[str, ...], EatenAs] = {}
    table = files("postmeal.foods.alternatives").joinpath("kinds.csv").read_text("utf-8")
    for line in csv.DictReader(table.splitlines()):
        kind = EatenAs(line["family"], line["kind"], line["plants"] == "yes")
        for category in filter(None, line["categories"].split("; ")):
            by_category[category] = kind
        for phrase in line["words"].split(";"):
            by_words.setdefault(tuple(words(phrase)), kind)
    return by_category, by_words
