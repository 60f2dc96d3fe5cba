"""Names of common foods in other languages, with the English name of each food.

``foreign.csv`` lists common foods, and the words around them, in Spanish, French, German, Italian,
Portuguese and Hindi in Latin script (170 to 320 foods per language). It also lists common foods in
Dutch, Polish, Swedish and Turkish (about 220 per language). Rows with the ``kind`` ``food`` are
foods; the other rows are numbers, measures and connectors.

The table was written from general knowledge of these languages in November 2026, by translating
lists of foods into each language. No native speaker has reviewed it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.ordinary_words import ORDINARY
from postmeal.foods.words import words

_LETTERS = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class Saying(NamedTuple):
    """An expression in a language other than English, with its translation."""

    language: str
    is_food: bool
    said: str
    meant: str


@lru_cache(1)
def read_sayings() -> tuple[Saying, ...]:
    """Return the expressions in ``foreign.csv``, in the order of the file."""
    text = files("postmeal.foods").joinpath("foreign.csv").read_text(encoding="utf-8")
    return tuple(
        Saying(row["language"], row["kind"] == "food", row["said"], row["meant"])
        for row in csv.DictReader(text.splitlines())
    )


def in_english(text: str, known: Callable[[str], bool]) -> list[list[str]]:
    """Translate a text that names a food in another language."""
    typed = words(text.casefold().translate(_LETTERS))
    found: list[list[str]] = []
    for sayings in _by_language().values():
        translation = _translated(typed, sayings, known)
        if translation and translation != typed and translation not in found:
            found.append(translation)
    return found


def _translated(
    typed: Sequence[str],
    sayings: dict[tuple[str, ...], tuple[bool, list[str]]],
    known: Callable[[str], bool],
) -> list[str]:
    translation: list[str] = []
    place, names_food = 0, False
    while place < len(typed):
        for end in range(min(len(typed), place + 4), place, -1):
            if saying := sayings.get(tuple(typed[place:end])):
                names_food = names_food or saying[0]
                translation += saying[1]
                place = end
                break
        else:
            if not known(typed[place]):
                return []
            translation.append(typed[place])
            place += 1
    return translation if names_food else []


@lru_cache(1)
def _by_language() -> dict[str, dict[tuple[str, ...], tuple[bool, list[str]]]]:
    """Return the expressions of each language as normalized words."""
    found: dict[str, dict[tuple[str, ...], tuple[bool, list[str]]]] = {}
    for language, is_food, said, meant in read_sayings():
        sayings = found.setdefault(language, {})
        spellings = [said] if language != "de" else [said, said.casefold().translate(_UMLAUTS)]
        for spelling in spellings:
            key = tuple(words(spelling.casefold().translate(_LETTERS)))
            if is_food and len(key) == 1 and key[0] in ORDINARY:
                continue  # "glass" is ice cream in Swedish
            sayings.setdefault(key, (is_food, words(meant)))
    return found
