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

__all__ = ["cost", "head_words", "words"]

_APOSTROPHES = re.compile(r"['’`´]")
_WORD = re.compile(r"[^\W_]+")
_COMBINING = re.compile(r"[\u0300-\u036f]")
_CLASS = re.compile(
    r"^(beverages|cereals ready-to-eat|cereals|snacks|candies|fast foods?|restaurant|spices|fish|"
    r"nuts|seeds|crustaceans|mollusks|alcoholic beverages?|soup|salad dressing|sauce|cookies|"
    r"cheese|bread|crackers|puddings|syrups|ice creams|frozen novelties|sweeteners|oil|pasta|"
    r"[^,]*, chinese), ",
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


def head_words(name: str) -> int:
    """Count the words of a name's first part, which says what the food is.

    A leading class, as in "Beverages, coffee, brewed", counts with the part that follows.

    Examples
    --------
    >>> head_words("Bananas, raw"), head_words("Beverages, coffee, brewed")
    (1, 2)
    """
    match = _CLASS.match(name)
    start = match.end() if match else 0
    end = name.find(",", start)
    return len(words(name if end < 0 else name[:end]))


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
    starts = bool(name) and (name[0] in asked or (head > 1 and name[head - 1] in asked))
    return 1 + popularity + 0.8 * head_unasked + (0 if starts else 1.5) + 0.1 * min(unasked, 12)


def _singular(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
        for ending in ("ch", "sh", "ss", "x", "o"):
            if word.endswith(ending + "e") and len(word) > 4:
                return word[:-1]
    return word[:-2] + "y" if len(word) > 4 and word.endswith("ie") else word


def _same(word: str) -> str:
    return _SAME.get(word, word)
