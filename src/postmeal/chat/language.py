"""Detection of texts that are not in English."""

from __future__ import annotations

import unicodedata

from postmeal.chat.patterns import word_list
from postmeal.foods.words import words

_FEW = 3


def is_english(text: str) -> bool:
    """Return whether a plain text is in English, or is too short to determine its language."""
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum("LATIN" in unicodedata.name(letter, "") for letter in letters)
    if letters and latin < len(letters) / 2:
        return False
    said = text.replace("?", " ").replace(",", " ").replace(".", " ").replace("¿", " ").split()
    english = sum(word in word_list("english") for word in said)
    foreign = sum(word in word_list("foreign") for word in said)
    is_foreign = foreign > english and (foreign > 1 or english == 0)
    return not (len(words(text)) >= _FEW and is_foreign)
