"""Meanings of the words in names and ingredient lists for the diet rules.

``words.csv`` has one row per group of words. The column ``contains`` lists the rules that a food
with such a word certainly breaks, and the column ``may`` lists the rules that it may break. The
words also match in the plural. The longest matching phrase is used: "peanut butter" is not butter.
In addition to the rules, the columns may contain

- ``grain``, ``legume``, ``meat``, ``pork``, ``sugar``, ``alcohol``: facts that break several rules,
- an allergen of `FACTS_WITHOUT_RULE`: a fact that breaks no rule yet,
- ``all``: a word such as "stew", for a food with more ingredients than its name says,
- ``no food``: a word such as "raw", which says nothing about what a food contains.

The allergens are those of Regulation (EU) 1169/2011, Annex II, and of the FALCPA and FASTER Acts of
the United States. The verdict for coconut, which the FDA removed from the tree nuts in 2025, is
unknown. Oats contain gluten, as in Annex II. FODMAPs follow Varney et al. 2017
(doi:10.1111/jgh.13698). If the FODMAP content of a food is unclear, or depends on its ripeness or
the size of the portion, the verdict is unknown.

Names of foods are read with ``words.csv`` and with the names of allergens in other languages from
`postmeal.foods.diets.allergens`. Ingredient lists are read with two additional tables:
``label_words.csv`` for additives, cultures and other words on labels, with the same columns as
``words.csv``, and ``additives.csv`` for E numbers. In a list, words that are in none of these
tables are unknown, and so are single letters outside a phrase.

``additives.csv`` lists two kinds of facts about products with each additive: facts that are
certain, and facts that are possible because the additive can be made from an allergen or an animal.
The numbers are those of Regulation (EC) No 1333/2008, Annex II, and of the Codex Alimentarius
(CXG 36-1989). The facts about the origin of the additives are from Regulation (EU) No 1169/2011,
Annex II, and Regulation (EU) No 231/2012.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.diets.allergens import (
    FACTS_OF_ALLERGENS,
    FACTS_WITHOUT_RULE,
    RULES_OF_ALLERGENS,
    allergen_names,
    allergen_within,
    is_spaced,
)
from postmeal.foods.diets.rules import RULES
from postmeal.foods.words import words

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
_FACTS = (*RULES, "grain", "legume", "meat", "pork", "sugar", "alcohol", *FACTS_WITHOUT_RULE)
_BY_AMOUNT = ("keto", "low_carbohydrate", "high_protein")


class Sense(NamedTuple):
    """Meaning of a phrase for the diet rules."""

    phrase: str
    contains: int
    may: int
    is_open: bool
    is_known: bool
    is_food: bool


def rules_of(names: str | Iterable[str]) -> int:
    """Pack facts (names of rules or food groups) and their implications into bits of an integer."""
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
_AMOUNT = re.compile(
    r"\d+(?:g|mg|mcg|ug|\u00b5g|\u03bcg|kg|ml|cl|l|oz|lb|iu|kj|kcal|x|th|st|nd|rd|bn|ppm|mgs|gm)?"
)
_UNITS = {"g", "mg", "mcg", "kg", "ml", "cl", "l", "oz", "lb", "iu", "kj", "kcal", "ppm", "gr"}
_ADDITIVE_PREFIXES = {"e", "ins"}

EVERYTHING = rules_of(rule for rule in RULES if rule not in _BY_AMOUNT)
"""All rules that depend on ingredients; the other rules depend on nutrient amounts."""

_Vocabulary = tuple[dict[str, Sense], dict[str, int]]


def senses(text: str, *, listed: bool = False) -> list[Sense]:
    """Split a text into the longest phrases of the vocabulary and unknown words."""
    vocabulary, longest = _list_vocabulary() if listed else _vocabulary()
    found: list[Sense] = []
    at, tokens = 0, words(text)
    while at < len(tokens):
        for length in range(min(longest.get(tokens[at], 0), len(tokens) - at), 0, -1):
            phrase = " ".join(tokens[at : at + length])
            if phrase in vocabulary:
                found.append(vocabulary[phrase])
                at += length
                break
        else:
            if not listed:
                if len(tokens[at]) > 1 and not tokens[at][0].isdigit():
                    found.append(_unknown(tokens[at]))
                at += 1
                continue
            sense, length = _listed_sense(tokens, at)
            if sense is not None:
                found.append(sense)
            at += length
    return found


def _listed_sense(tokens: list[str], at: int) -> tuple[Sense | None, int]:
    """Return the sense of a word that is not in the vocabulary, and the number of words read.

    The sense is None for numbers and for units after a number.
    """
    token, length = tokens[at], 1
    if _AMOUNT.fullmatch(token) or (token in _UNITS and at and tokens[at - 1][-1].isdigit()):
        return None, 1
    if token in _ADDITIVE_PREFIXES and at + 1 < len(tokens) and tokens[at + 1][0].isdigit():
        token, length = token + tokens[at + 1], 2
    if (number := additive_number(token)) is not None and (known := additive_facts(number)):
        return _sense(token, *known), length
    if allergen := allergen_within(token):
        contains = rules_of(FACTS_OF_ALLERGENS[allergen][0])
        return _unknown(token)._replace(contains=contains), length
    return _unknown(token), length


def _unknown(token: str) -> Sense:
    return Sense(token, 0, 0, is_open=True, is_known=False, is_food=False)


def _sense(phrase: str, contains: str, may: str) -> Sense:
    """Build the `Sense` of an ingredient from the facts that are certain and possible."""
    return Sense(
        phrase, rules_of(contains), rules_of(may), is_open=False, is_known=True, is_food=True
    )


@cache
def _vocabulary() -> _Vocabulary:
    """Return all phrases and, for each first word, the number of words in the longest phrase."""
    vocabulary = _with_allergens(_read_table("words.csv", {}), listed=False)
    return vocabulary, _longest(vocabulary)


@cache
def _list_vocabulary() -> _Vocabulary:
    """Return the phrases of ingredient lists, with the lengths as in `_vocabulary`.

    Phrases that have no meaning of their own in names, such as "eastern oyster" in "Mollusks,
    oyster, eastern", are omitted if one of their words names an allergen.
    """
    names = _read_table("words.csv", {})
    plain = {
        phrase: sense
        for phrase, sense in names.items()
        if sense.is_food
        or " " not in phrase
        or not any(names[word].contains for word in phrase.split() if word in names)
    }
    vocabulary = _with_allergens(_read_table(_LABEL_WORDS, plain), listed=True)
    vocabulary = dict(_split_words(vocabulary)) | vocabulary
    return vocabulary, _longest(vocabulary)


def _read_table(name: str, known: dict[str, Sense]) -> dict[str, Sense]:
    """Return a copy of the known phrases, extended with the phrases of a table."""
    vocabulary = dict(known)
    table = files("postmeal.foods.diets").joinpath(name).read_text("utf-8")
    for line in csv.DictReader(table.splitlines()):
        is_open = line["may"] == "all"
        contains = rules_of(line["contains"])
        is_food = line["may"] != "no food"
        may = 0 if is_open or not is_food else rules_of(line["may"])
        is_food |= name == _LABEL_WORDS
        if (contains | may) & _DAIRY:
            may |= rules_of("lactose")
        for written in line["words"].split(";"):
            phrase = " ".join(words(written))
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
    return vocabulary


def _with_allergens(vocabulary: dict[str, Sense], *, listed: bool) -> dict[str, Sense]:
    """Return a vocabulary with the names of allergens in other languages.

    If a name means something else in English, the allergen is only possible. A name of three
    letters can also be a typing mistake, so all other facts remain possible. In the vocabulary for
    food names, only unknown words are added. A food with such a word may contain more than its name
    says.
    """
    extended = dict(vocabulary)
    for language, allergen, name in allergen_names():
        tokens = words(name)
        phrase = " ".join(tokens)
        if len(phrase) < _SHORTEST_NAME or not is_spaced(name):
            continue
        known = [vocabulary[token] for token in tokens if token in vocabulary]
        sense = _sense(phrase, *FACTS_OF_ALLERGENS[allergen])
        if not listed:
            if not known and phrase not in vocabulary:
                extended[phrase] = sense._replace(is_open=True)
        elif (old := extended.get(phrase)) is not None:
            extended[phrase] = old._replace(may=old.may | sense.contains & ~old.contains)
        else:
            for each in known:
                sense = sense._replace(may=sense.may | each.may | each.contains)
            is_known = len(phrase) > _SHORTEST_NAME or language == "en"
            extended[phrase] = sense._replace(is_known=is_known, is_open=not is_known)
    return extended


_SHORTEST_NAME = 3
_LABEL_WORDS = "label_words.csv"


def _split_words(vocabulary: dict[str, Sense]) -> Iterator[tuple[str, Sense]]:
    """Yield allergens whose name is split by a space or a hyphen, as in "pea-nuts"."""
    for phrase, sense in vocabulary.items():
        if sense.contains & _ALLERGENS and phrase.isalpha():
            for at in range(1, len(phrase)):
                yield f"{phrase[:at]} {phrase[at:]}", sense
                if phrase[at - 1] == "s":
                    yield f"{phrase[: at - 1]} {phrase[at:]}", sense
            yield from ((f"{phrase[:-1]} {phrase[-1]}s", sense), (f"{phrase} s", sense))


_ALLERGENS = facts(
    " ".join(
        {rule for allergen, rule in RULES_OF_ALLERGENS.items() if rule and allergen != "wheat"}
    )
)


def _longest(vocabulary: dict[str, Sense]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in vocabulary:
        first, count = phrase.split(" ", 1)[0], phrase.count(" ") + 1
        longest[first] = max(longest.get(first, 0), count)
    return longest


_NUMBER = re.compile(r"(?:e|ins)(\d{3,4})(?:[a-h]|i{1,3}|iv|vi{0,3})?")


def additive_number(word: str) -> int | None:
    """Return the number of an additive from its code, such as "e322"; None for other words."""
    match = _NUMBER.fullmatch(word)
    return int(match[1]) if match else None


def additive_facts(number: int) -> tuple[str, str] | None:
    """Return the certain and the possible facts about an additive; None if it is unknown."""
    return _facts_by_number().get(number)


@cache
def _facts_by_number() -> dict[int, tuple[str, str]]:
    table = files("postmeal.foods.diets").joinpath("additives.csv").read_text("utf-8")
    by_number: dict[int, tuple[str, str]] = {}
    for line in csv.DictReader(table.splitlines()):
        for span in line["numbers"].split(";"):
            first, _, last = span.strip().partition("-")
            for number in range(int(first), int(last or first) + 1):
                by_number[number] = (line["contains"], line["may"])
    return by_number
