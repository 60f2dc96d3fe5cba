"""Which of the foods that hold the words of a query is meant.

Foods are stored in everyday-popularity order, so the first matches are the popular ones. Of those
the best is the one whose everyday name is the query, then the one whose name begins with it and
says little else.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

__all__ = ["cost", "name_words", "words"]

_APOSTROPHES = re.compile(r"['’`´]")
_WORD = re.compile(r"[^\W_]+")
_COMBINING = re.compile(r"[\u0300-\u036f]")
_CLASS = re.compile(
    r"^(restaurant, (?:chinese|italian|latino|mexican|family style)|fast foods?, pizza chain|"
    r"beverages|cereals ready-to-eat|cereals|snacks|candies|fast foods?|restaurant|spices|fish|"
    r"nuts|seeds|crustaceans|mollusks|alcoholic beverages?|salad dressing|frozen novelties), ",
    re.IGNORECASE,
)
_SINGULAR = {"leaves": "leaf", "loaves": "loaf", "halves": "half", "fries": "fry", "oz": "oz"}
_SAME = {"lowfat": "low fat", "yoghurt": "yogurt", "donut": "doughnut", "catsup": "ketchup"}


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
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", text.casefold()))
    found = _WORD.findall(_APOSTROPHES.sub("", plain))
    return [part for word in found for part in _same(_singular(word)).split()]


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
    return found + words(rest) + words(match[0] if match else ""), len(found)


def cost(
    query: Sequence[str], name: Sequence[str], head: int, also: Sequence[str], place: int
) -> float:
    """Judge how far a food is from what is asked; the lowest is meant.

    Parameters
    ----------
    query : sequence of str
        The query's words.
    name : sequence of str
        Words of the food's name.
    head : int
        How many of them say what the food is.
    also : sequence of str
        Its everyday names, each as words joined by spaces.
    place : int
        Its place in the everyday-popularity order, from 1.

    Returns
    -------
    float
        0 and up, without unit.
    """
    popularity = 0.3 * math.log2(1 + place / 100)
    if " ".join(query) in also:
        return popularity / 100
    asked = set(query)
    head_unasked = sum(word not in asked for word in name[:head])
    unasked = sum(word not in asked for word in name)
    starts = bool(name) and (name[0] in asked or name[head - 1] in asked)
    return 1 + popularity + 0.8 * head_unasked + (0 if starts else 1.5) + 0.1 * min(unasked, 12)


def _singular(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us")):
        word = word[:-1]
        for ending in ("ch", "sh", "ss", "x", "o"):
            if word.endswith(ending + "e") and len(word) > 4:
                return word[:-1]
    return word[:-2] + "y" if len(word) > 4 and word.endswith("ie") else word


def _same(word: str) -> str:
    return _SAME.get(word, word)
