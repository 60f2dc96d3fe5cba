"""Split food names into normalized words: lowercase, singular, without accents, no synonyms."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_APOSTROPHES = re.compile(r"['’`´]")
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 64  # maximum letters; longer tokens are not normalized
_COMBINING = re.compile(r"[\u0300-\u036f]")
_CLASS = re.compile(
    r"^(restaurant, (?:chinese|italian|latino|mexican|family style)|fast foods?, pizza chain|"
    r"beverages|cereals ready-to-eat|cereals|snacks|candies|fast foods?|restaurant|spices|fish|"
    r"nuts|seeds|crustaceans|mollusks|alcoholic beverages?|salad dressing|frozen novelties), ",
    re.IGNORECASE,
)
_ES = ("ch", "sh", "ss", "x", "o")  # word endings that form the plural with "es"
_SINGULAR = {
    "leaves": "leaf",
    "loaves": "loaf",
    "halves": "half",
    "chilies": "chili pepper",
    "chillies": "chili pepper",
    "fries": "fry",
    "oz": "oz",
    "lowfat": "low fat",
}
SAME = {
    "aubergine": "eggplant", "barbeque": "barbecue", "bbq": "barbecue", "beetroot": "beet",
    "catsup": "ketchup", "chile": "chili", "chilli": "chili", "courgette": "zucchini",
    "decaf": "decaffeinated", "donut": "doughnut", "houmous": "hummus", "kabob": "kebab",
    "lasagne": "lasagna", "mayo": "mayonnaise", "mince": "ground", "minced": "ground",
    "omelette": "omelet", "prawn": "shrimp", "skimmed": "skim", "soya": "soy", "sultana": "raisin",
    "swede": "rutabaga", "tater": "potato", "tinned": "canned", "veg": "vegetable",
    "veggie": "vegetable", "yoghurt": "yogurt", "yogourt": "yogurt",
}  # fmt: skip
"""Normalized words, each with the synonym that replaces it."""


def words(text: str) -> list[str]:
    """Split text into normalized words: lowercase, without accents, singular."""
    plain = text.casefold()
    if not plain.isascii():
        plain = _COMBINING.sub("", unicodedata.normalize("NFKD", plain))
    found = _WORD.findall(_APOSTROPHES.sub("", plain))
    return [
        normalized
        for word in found
        for normalized in (_normalized(word) if len(word) <= _LONGEST else (word,))
    ]


def name_words(name: str) -> tuple[list[str], int]:
    """Split a food's name into words and count those that identify the food.

    The identifying words are those before the first comma. A class of foods at the beginning, as in
    "Beverages, coffee, brewed", is moved to the end.
    """
    match = _CLASS.match(name)
    food = name[match.end() :] if match else name
    head, _, rest = food.partition(",")
    found = words(head)
    others = words(rest) if rest else []
    return found + others + (words(match[0]) if match else []), len(found)


@lru_cache(65_536)
def _normalized(word: str) -> tuple[str, ...]:
    return tuple(SAME.get(part, part) for part in _singular(word).split())


def _singular(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us")):
        word = word[:-1]
        for ending in _ES:
            if word.endswith(ending + "e") and len(word) > 4:
                return word[:-1]
    return word[:-2] + "y" if len(word) > 4 and word.endswith("ie") else word
