"""Words of names, made comparable: lower case, no accents, no plural, one word for one thing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["SAME", "name_words", "words"]


_APOSTROPHES = re.compile(r"['’`´]")
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 64  # letters of what may be a word
_COMBINING = re.compile(r"[\u0300-\u036f]")
_CLASS = re.compile(
    r"^(restaurant, (?:chinese|italian|latino|mexican|family style)|fast foods?, pizza chain|"
    r"beverages|cereals ready-to-eat|cereals|snacks|candies|fast foods?|restaurant|spices|fish|"
    r"nuts|seeds|crustaceans|mollusks|alcoholic beverages?|salad dressing|frozen novelties), ",
    re.IGNORECASE,
)
_ES = ("ch", "sh", "ss", "x", "o")  # what has "es" in the plural
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
"""Words, as `words` gives them, that mean the same: what may be said, and what is stored."""


def words(text: str) -> list[str]:
    """Split text into comparable words: lower case, no accents, no plural.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
        Its words, in order.

    Examples
    --------
    >>> words("Jalapeño peppers, McDONALD'S cookies")
    ['jalapeno', 'pepper', 'mcdonald', 'cooky']
    """
    plain = text.casefold()
    if not plain.isascii():
        plain = _COMBINING.sub("", unicodedata.normalize("NFKD", plain))
    found = _WORD.findall(_APOSTROPHES.sub("", plain))
    return [
        one
        for word in found
        for one in (_comparable(word) if len(word) <= _LONGEST else (word,))  # remembers each
    ]


def name_words(name: str) -> tuple[list[str], int]:
    """Split a food's name into words and count those that say what the food is.

    They are the words of the first part; a leading class, as in "Beverages, coffee, brewed", is
    put last.

    Parameters
    ----------
    name : str
        A food's name.

    Returns
    -------
    tuple of list of str, and int
        The words, and how many at the start say what the food is.

    Examples
    --------
    >>> name_words("Bananas, raw")
    (['banana', 'raw'], 1)
    >>> name_words("Beverages, coffee, brewed")
    (['coffee', 'brewed', 'beverage'], 1)
    """
    match = _CLASS.match(name)
    food = name[match.end() :] if match else name
    head, _, rest = food.partition(",")
    found = words(head)
    others = words(rest) if rest else []
    return found + others + (words(match[0]) if match else []), len(found)


@lru_cache(65_536)
def _comparable(word: str) -> tuple[str, ...]:
    return tuple(SAME.get(one, one) for one in _singular(word).split())


def _singular(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us")):
        word = word[:-1]
        for ending in _ES:
            if word.endswith(ending + "e") and len(word) > 4:
                return word[:-1]
    return word[:-2] + "y" if len(word) > 4 and word.endswith("ie") else word
