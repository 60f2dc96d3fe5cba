"""The words of names and of ingredient lists, and what each tells about the diet rules.

``words.csv`` has one line for each family of words: the rules that such a food breaks for
certain, those that it may break, and the words, whose plurals are understood too. The longest
phrase that fits is meant: "peanut butter" is no butter. Beside the rules the columns know

- ``grain``, ``legume``, ``meat``, ``pork``, ``sugar``, ``alcohol``: what breaks several rules,
- ``all``: a word, such as "stew", that says there is more in it than the name tells,
- ``no food``: a word, such as "raw", that says nothing about what is in a food.

The allergens are those of Regulation (EU) 1169/2011, Annex II, and of the United States' FALCPA and
FASTER Acts; coconut, which was taken off the latter's tree nuts in 2025, is left open. Oats count
as gluten, as in Annex II. FODMAPs follow Varney et al. 2017 (doi:10.1111/jgh.13698): what they give
no plain answer for, or one that hangs on the ripeness or the portion, is left open.
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
    """What a phrase of a text tells.

    Attributes
    ----------
    phrase : str
        The words as the text has them, singular.
    contains, may : int
        Facts that are certain and possible, as `rules_of` packs them.
    is_open : bool
        Whether it says that there is more in the food than it tells.
    is_known : bool
        Whether the vocabulary knows it at all.
    is_food : bool
        Whether it names something that is eaten; "raw" does not.
    """

    phrase: str
    contains: int
    may: int
    is_open: bool
    is_known: bool
    is_food: bool


def rules_of(names: str | Iterable[str]) -> int:
    """Pack facts into one integer, one bit a fact, with what follows from them.

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
    """Pack facts as `rules_of` does, without what follows from them."""
    return sum(1 << _FACTS.index(name) for name in names.split())


_DAIRY = facts("dairy")

EVERYTHING = rules_of(rule for rule in RULES if rule not in _BY_AMOUNT)
"""Every rule that hangs on what is in a food; the others hang on amounts of nutrients."""


def senses(text: str) -> list[Sense]:
    """Read a text as phrases of the vocabulary, the longest that fit, and words unknown to it.

    Parameters
    ----------
    text : str
        A food's name or a part of an ingredient list.

    Returns
    -------
    list of Sense
        The phrases in their order; numbers are passed over.

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
    """Read the phrases, and of each first word how many words the longest phrase has."""
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
