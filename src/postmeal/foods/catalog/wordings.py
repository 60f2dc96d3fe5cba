"""Reword a search query: without amounts, with abbreviations spelled out, or in English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from postmeal.foods.catalog.vocabulary import Vocabulary
from postmeal.foods.foreign_names import in_english
from postmeal.foods.words import words

_WITHOUT_AMOUNT, _SPELLED_OUT = 0.5, 0.3  # penalties, on the scale of `ranking.Query.cost`
_TRANSLATED, _ALSO_ENGLISH = 0.4, 1.2  # penalties; the second applies if all words are also English
_LONGEST = 60  # maximum number of characters of a query that is reworded
_AMOUNT = re.compile(
    r"(?<![\w.%/-])(?:x ?)?(?:\d+(?:[.,/]\d+)?|half a|a couple of)[ -]?"
    r"(?:g|gr|grams?|kg|mg|ml|cl|dl|l|liters?|litres?|oz|ounces?|fl\.? ?oz|lbs?|pounds?|pcs?"
    r"|pieces?|x|ct|cups?|tsps?|tbsps?|teaspoons?|tablespoons?|slices?|servings?|portions?|scoops?"
    r"|glass(?:es)?|cans?|bottles?|inch|in|cm)?(?: of)?(?![\w%./-])"
)
ABBREVIATIONS = {
    "acv": "cider vinegar", "avo": "avocado", "bickie": "biscuit", "blts": "blt",
    "bnls": "boneless", "brekkie": "breakfast", "butty": "sandwich", "cauli": "cauliflower",
    "chix": "chicken", "chkn": "chicken", "choc": "chocolate", "choccy": "chocolate",
    "chook": "chicken", "cran": "cranberry", "df": "dairy free", "evoo": "olive oil",
    "ff": "fat free", "froyo": "frozen yogurt", "gf": "gluten free", "grnd": "ground",
    "guac": "guacamole", "hb": "hard boiled", "lf": "low fat", "lg": "large", "lite": "light",
    "marg": "margarine", "mash": "mashed", "med": "medium", "mozz": "mozzarella", "mt": "mountain",
    "mtn": "mountain", "oj": "orange juice", "parm": "parmesan", "pb": "peanut butter",
    "pbj": "peanut butter and jelly sandwich", "pnut": "peanut", "qtr": "quarter",
    "sammie": "sandwich", "sammy": "sandwich", "sandwitch": "sandwich", "sarnie": "sandwich",
    "sf": "sugar free", "sk": "skim", "spag": "spaghetti", "spud": "potato", "strawb": "strawberry",
    "unsweet": "unsweetened", "wg": "whole grain", "wo": "without", "ww": "whole wheat",
}  # fmt: skip
"""Abbreviations of words in names of foods, from recipes, menus and food diaries."""


class Wording(NamedTuple):
    """A reworded query, with a penalty for the risk that its meaning is different."""

    words: list[str]
    penalty: float
    is_translated: bool = False


def wordings(query: str, vocabulary: Vocabulary) -> list[Wording]:
    """Return other wordings of a query, most likely first."""
    if len(query) > _LONGEST:
        return []
    typed = words(query)
    found: list[Wording] = []
    for text, penalty in _without_amount(query.casefold()):
        plain = words(text)
        found.append(Wording(plain, penalty))
        found += [Wording(other, penalty + extra) for other, extra in _spelled_out(plain)]
        for other, extra in _translated(text, vocabulary):
            found.append(Wording(other, penalty + extra, is_translated=True))
    found.sort(key=lambda wording: wording.penalty)
    return [wording for wording in found if wording.words and wording.words != typed]


def plain_words(query_words: list[str], others: Sequence[Wording]) -> list[str]:
    """Return the words of a query without amounts and with abbreviations spelled out."""
    plain = [wording.words for wording in others if not wording.is_translated]
    return plain[-1] if plain else query_words


def _without_amount(text: str) -> Iterator[tuple[str, float]]:
    yield text, 0.0
    bare = _AMOUNT.sub(" ", text)
    if bare != text and bare.strip():
        yield bare, _WITHOUT_AMOUNT


def _spelled_out(typed: list[str]) -> Iterator[tuple[list[str], float]]:
    spelled = [part for word in typed for part in words(ABBREVIATIONS.get(word, word))]
    if spelled != typed:
        yield spelled, _SPELLED_OUT


def _translated(text: str, vocabulary: Vocabulary) -> Iterator[tuple[list[str], float]]:
    def known(word: str) -> bool:
        return vocabulary.foods(word) > 0

    is_english = all(map(known, words(text)))
    for english in in_english(text, known):
        yield english, _ALSO_ENGLISH if is_english else _TRANSLATED
