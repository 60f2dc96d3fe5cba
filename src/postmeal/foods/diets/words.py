"""The words of names and ingredient lists, and what they mean for the diet rules.

``words.csv`` has one row per family of words: the rules that such a food certainly breaks, the
rules that it may break, and the words, which also match in the plural. The longest matching phrase
counts: "peanut butter" is not butter. In addition to the rules, the columns may contain

- ``grain``, ``legume``, ``meat``, ``pork``, ``sugar``, ``alcohol``: facts that break several rules,
- ``all``: a word such as "stew", for a food with more ingredients than its name says,
- ``no food``: a word such as "raw", which says nothing about what a food contains.

The allergens are those of Regulation (EU) 1169/2011, Annex II, and of the FALCPA and FASTER Acts of
the United States. Coconut, which the FDA removed from the tree nuts in 2025, is unknown. Oats count
as gluten, as in Annex II. FODMAPs follow Varney et al. 2017 (doi:10.1111/jgh.13698); a food with
an unclear result, or one that depends on ripeness or portion, is unknown.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.diets.verdicts import RULES
from postmeal.foods.words import words

__all__ = ["EVERYTHING", "Sense", "facts", "rules_of", "senses"]

_IMPLIES = {
    "wheat": "gluten fodmaps paleo",
    "gluten": "paleo",
    "grain": "paleo",
    "legume": "paleo",
    "soy": "paleo",
    "peanuts": "paleo",
    "sugar": "paleo",
    "alcohol": "paleo halal",
    "dairy": "vegan paleo",
    "lactose": "fodmaps",
    "eggs": "vegan",
    "fish": "vegetarian vegan",
    "shellfish": "vegetarian vegan kosher",
    "meat": "vegetarian vegan pescatarian",
    "pork": "meat kosher halal",
    "vegetarian": "vegan",
}
_FACTS = (*RULES, "grain", "legume", "meat", "pork", "sugar", "alcohol")
_BY_AMOUNT = ("keto", "low_carbohydrate", "high_protein")


class Sense(NamedTuple):
    """Meaning of a phrase for the diet rules.

    Attributes
    ----------
    phrase : str
        The words of the phrase, singular.
    contains, may : int
        Facts that are certain and facts that are possible, packed as by `rules_of`.
    is_open : bool
        Whether such a food may contain more than the phrase says.
    is_known : bool
        Whether the phrase is in the vocabulary.
    is_food : bool
        Whether the phrase names a food; "raw" does not.
    """

    phrase: str
    contains: int
    may: int
    is_open: bool
    is_known: bool
    is_food: bool


def rules_of(names: str | Iterable[str]) -> int:
    """Pack facts and their implications into one integer, with one bit per fact.

    A fact is the name of a rule or of a group of foods, such as ``grain`` or ``meat``.

    Examples
    --------
    >>> rules_of("wheat") == rules_of("wheat gluten fodmaps paleo")
    True
    """
    mask, waiting = 0, names.split() if isinstance(names, str) else list(names)
    while waiting:
        name = waiting.pop()
        if not mask >> _FACTS.index(name) & 1:
            mask |= 1 << _FACTS.index(name)
            waiting += _IMPLIES.get(name, "").split()
    return mask


def facts(names: str) -> int:
    """Pack facts as `rules_of` does, but without their implications."""
    return sum(1 << _FACTS.index(name) for name in names.split())


_DAIRY = facts("dairy")

EVERYTHING = rules_of(rule for rule in RULES if rule not in _BY_AMOUNT)
"""All rules that depend on ingredients; the others depend on nutrient amounts."""


def senses(text: str) -> list[Sense]:
    """Split a text into the longest phrases of the vocabulary and unknown words.

    Parameters
    ----------
    text : str
        A food's name or a part of an ingredient list.

    Returns
    -------
    list of Sense
        The phrases, in order; numbers are skipped.

    Examples
    --------
    >>> [sense.phrase for sense in senses("Peanut butter, with salt")]
    ['peanut butter', 'with salt']
    """
    vocabulary, longest = _vocabulary()
    found, at = [], 0
    tokens = words(text)
    while at < len(tokens):
        for length in range(min(longest.get(tokens[at], 0), len(tokens) - at), 0, -1):
            phrase = " ".join(tokens[at : at + length])
            if phrase in vocabulary:
                found.append(vocabulary[phrase])
                at += length
                break
        else:
            if len(tokens[at]) > 1 and not tokens[at][0].isdigit():
                found.append(Sense(tokens[at], 0, 0, is_open=True, is_known=False, is_food=False))
            at += 1
    return found


@cache
def _vocabulary() -> tuple[dict[str, Sense], dict[str, int]]:
    """Return all phrases, and for each first word the number of words of the longest phrase."""
    vocabulary: dict[str, Sense] = {}
    longest: dict[str, int] = {}
    table = files("postmeal.foods.diets").joinpath("words.csv").read_text("utf-8")
    for line in csv.DictReader(table.splitlines()):
        is_open = line["may"] == "all"
        contains = rules_of(line["contains"])
        is_food = line["may"] != "no food"
        may = 0 if is_open or not is_food else rules_of(line["may"])
        if (contains | may) & _DAIRY:
            may |= rules_of("lactose")
        for written in line["words"].split(";"):
            tokens = words(written)
            phrase = " ".join(tokens)
            old = vocabulary.get(
                phrase, Sense(phrase, 0, 0, is_open=False, is_known=True, is_food=False)
            )
            vocabulary[phrase] = Sense(
                phrase,
                old.contains | contains,
                old.may | may,
                is_open=old.is_open or is_open,
                is_known=True,
                is_food=old.is_food or is_food,
            )
            longest[tokens[0]] = max(longest.get(tokens[0], 0), len(tokens))
    return vocabulary, longest
