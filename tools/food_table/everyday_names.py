"""Choose everyday names to display, and add states from the description, such as "raw"."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from postmeal.foods.catalog.ranking import LINKING
from postmeal.foods.table import TableFood
from postmeal.foods.words import words
from tools.food_table.description_parts import Part, split_description
from tools.food_table.short_names import NO_NOUNS, ShortName, in_case

__all__ = ["everyday_name"]

_EXACT_NAMES = Path(__file__).with_name("exact_names.csv")
_STARCHY_G = 10.0  # minimum carbohydrate in 100 g for adding "raw", "cooked" or "dry" to a name
_LONGEST = 20  # maximum number of letters of a state that is shown as published

_SWEET_OR_FAT = re.compile(
    r"(low |reduced |no |less )?(sugar|calorie)|(un)?sweetened|"
    r"(non-?fat|low-?fat|(part[ -])?skim)\b|fat[ -]free|(low|reduced)[ -]fat",
    re.IGNORECASE,
)
_WATER = re.compile(
    r"^(raw|uncooked|unprepared|cooked|boiled|baked|dry|dry mix|dried|dehydrated|powder|condensed|"
    r"frozen concentrate|mashed|steamed)\b",
    re.IGNORECASE,
)
_WAYS = frozenset(words(
    "raw uncooked cooked boiled baked roasted fried toasted toast steamed mashed dry dried powder "
    "instant mix grilled broiled bread cake cookie pie"
))  # fmt: skip
"""Words in a name that show whether the food is raw, dry or cooked."""
_STATE_FIRST = re.compile(r"^(raw|cooked|uncooked|dry) (.+)")
_LIGHT = frozenset({"diet", "light", "zero", "skim", "skinny", "free", "low", "fat"})
_MADE = re.compile(r"^(prepared|reconstituted|diluted)\b", re.IGNORECASE)
_FRUIT = re.compile(r"fruit|banana|apple|citrus|berr|grape|melon|peach", re.IGNORECASE)


def everyday_name(food: TableFood, nouns: Mapping[str, str] = NO_NOUNS) -> ShortName | None:
    """Return the first everyday name of a food if it refers to exactly this food.

    The name refers to exactly this food if the description contains all words of the name, or if
    the name is listed in ``exact_names.csv``. Other everyday names may belong to a similar food,
    such as "vegetable samosa" for "Samosa". A name that begins with "raw" or "cooked", such as "raw
    rice", is returned only if it is listed, because the description is more specific.

    If the description states "raw", "cooked" or "dry", this word is added to the names of foods
    with at least 10 g of carbohydrate per 100 g. Statements about sweetness and fat are added to
    all names. "Raw" is not added to the names of fruit, because fruit is usually eaten raw.
    """
    if not food.also_called:
        return None
    first = food.also_called.partition(";")[0]
    exact = _exact_names().get(first)
    is_distinguished = _STATE_FIRST.match(first) is not None
    if not exact and (is_distinguished or not _stems(first) - LINKING <= _stems(food.name)):
        return None
    name = _STATE_FIRST.sub(r"\2, \1", exact.lower()) if exact and is_distinguished else exact
    name = name or in_case(first, nouns)
    known = set(words(name))
    parts = split_description(food.name)[1]
    is_made = any(_MADE.match(part.text) for part in parts)
    for part in parts:
        stated = _stated(part, food, known, is_made)
        if stated and known.isdisjoint(words(stated)):
            name += f", {stated}"
            known.update(words(stated))
    left = [part for part in parts if known.isdisjoint(words(part.text))]
    return ShortName(name, left, [False] * len(left), food.name)


@cache
def _exact_names() -> dict[str, str]:
    with _EXACT_NAMES.open(newline="", encoding="utf-8") as file:
        return {line["name"].lower(): line["name"] for line in csv.DictReader(file)}


def _stems(text: str) -> set[str]:
    return {re.sub("ed$", "", re.sub("ied$", "y", word)) for word in words(text)}


def _stated(part: Part, food: TableFood, known: set[str], is_made: bool) -> str | None:
    """Return the state to add to a name from a part of the description; None if there is none."""
    if sweet := _SWEET_OR_FAT.match(part.text):
        # Names such as "2% milk" state the fat already.
        if not known.isdisjoint(_LIGHT) or any(word.isdigit() for word in known):
            return None
        return part.text if len(part.text) <= _LONGEST else sweet[0]
    water = _WATER.match(part.text)
    is_starchy = food.per_100_g.get("carbs_g", 0.0) >= _STARCHY_G
    if water is None or is_made or not is_starchy or not known.isdisjoint(_WAYS):
        return None
    if water[0].lower() == "raw" and _FRUIT.search(food.category):
        return None
    return part.text if len(part.text) <= _LONGEST else water[0]
