"""Restrictions and diets that are named by words such as "milk", "celiac", "vegan" or "PKU".

A word names the restrictions that a food with this name certainly breaks, according to the tables
of the diet rules (`postmeal.foods.diets.words`). Misspelled words, such as "glutin", also count.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from postmeal.chat.clauses import sentences
from postmeal.chat.patterns import has, pattern
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS
from postmeal.foods.diets.words import rules_of, senses
from postmeal.foods.words import words

_OTHER_WORDS = {
    "celiac": ("gluten",),
    "coeliac": ("gluten",),
    "nut": ("tree_nuts", "peanuts"),
    "seafood": ("shellfish", "fish"),
    "brazil": ("tree_nuts",),
    "cmpa": ("dairy",),  # cow's milk protein allergy
    "cmpi": ("dairy",),
}
"""Words whose restrictions cannot be derived from a food with the same name."""
_OWN_WORDS = {word: (rule,) for rule in RESTRICTIONS if rule != "tree_nuts" for word in words(rule)}
_IMPLIED = {"dairy": "lactose", "wheat": "gluten"}
_DIETS = {
    "low_carbohydrate": r"low[- ]?carb\w*",
    "high_protein": r"high[- ]?protein",
    "vegan": r"vegan|plant[- ]based",
    "vegetarian": r"vegetarian|veggie|(?:lacto|ovo)[- ]?(?:vegetarian|(?:lacto|ovo)\w*)",
    "keto": r"keto(?:genic)?",
    "halal": r"halal|muslim",
    "kosher": r"kosher|jewish",
}
_DIET_IN_TEXT = {diet: re.compile(rf"\b(?:{_DIETS.get(diet, diet)})\b") for diet in PREFERENCES}
_DIETS_WITHOUT = {"meat": "pescatarian", "pork": "halal", "alcohol": "halal"}
"""For each group of foods without a restriction of its own, the diet that excludes the group and as
few other foods as possible."""
_NEGATED = re.compile(r"(?:\bno|\bnot|\bnever|\bwithout|n't(?: have)?)(?: \w+)? $")
_SPANISH_AM = re.compile(r"\bsoy (?=(?:\w+ )?(?:al[eé]rg|intol|cel[ií]ac))")
_SIMILARITY = 0.8  # minimum `difflib.SequenceMatcher.ratio` of a misspelled word
_SHORTEST = 5  # minimum number of letters of words that may be misspelled


@cache
def restrictions_of(word: str) -> tuple[str, ...]:
    """Return the restrictions that a word names, or an empty tuple if it names none."""
    if found := _OTHER_WORDS.get(word) or _OWN_WORDS.get(word):
        return found
    if is_food_word(word):
        contains = senses(word)[0].contains
        broken = [rule for rule in RESTRICTIONS if rules_of([rule]) & ~contains == 0]
        implied = {_IMPLIED.get(rule) for rule in broken} | {"fodmaps"}
        return tuple(rule for rule in broken if rule not in implied)
    similar = []
    if len(word) >= _SHORTEST:
        similar = get_close_matches(word, [*_OTHER_WORDS, *_OWN_WORDS], 1, _SIMILARITY)
    return restrictions_of(similar[0]) if similar else ()


def is_food_word(word: str) -> bool:
    """Return whether the tables of the diet rules contain a food with this name."""
    found = senses(word)
    return len(found) == 1 and found[0].is_known and found[0].is_food


def diets_in(text: str) -> tuple[str, ...]:
    """Return the diets in `postmeal.foods.diets.rules.PREFERENCES` that a plain text names."""
    return tuple(diet for diet, name in _DIET_IN_TEXT.items() if name.search(text))


def without_diets(text: str) -> str:
    """Remove the names of diets from a plain text, because they contain names of foods."""
    for name in _DIET_IN_TEXT.values():
        text = name.sub("", text)
    return text


def diets_without(word: str) -> tuple[str, ...]:
    """Return the diets that exclude a group of foods, or an empty tuple for other words."""
    diet = _DIETS_WITHOUT.get(word)
    return (diet,) if diet else ()


def unchecked_diets_in(text: str) -> tuple[str, ...]:
    """Return the words of a plain text for conditions and diets that no diet rule covers.

    These restrict foods, but the library does not know which foods fit them.
    """
    return tuple(
        match.group()
        for match in pattern("unchecked_diet").finditer(text)
        if not _NEGATED.search(text[: match.start()])
    )


def without_foreign_allergies(text: str) -> tuple[str, list[list[str]]]:
    """Remove the sentences with an allergy in another language; also return their allergens.

    The rules for English read such sentences wrongly, and they know only some of the foods. The
    chat therefore asks which foods to avoid until a later message states it in English.
    """
    split = sentences(text)
    foreign = [each for each in split if has("foreign_allergy", each)]
    if not foreign:
        return text, []
    said = words(_SPANISH_AM.sub(" ", " ".join(foreign)))
    kept = " ".join(each for each in split if each not in foreign)
    return kept, [[word] for word in said if restrictions_of(word)]
