"""The vocabulary of corrections except food names, and the correction of misspelled words.

The file ``words.csv`` lists words and phrases, each with a mark of one character for its role in a
sentence. The rules in ``clauses.py`` and ``amount_clauses.py`` refer to the words by this mark.
Words with an empty mark are ignored. If several phrases match, the longest is used.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from functools import lru_cache
from importlib.resources import files

from postmeal.foods.catalog.vocabulary import edit_distance
from postmeal.foods.language.words.measure_words import measure_words
from postmeal.foods.language.words.sizes_and_measures import MEASURES
from postmeal.scans.corrections.mentions import ScanNames
from postmeal.scans.corrections.new_foods import NewFoods
from postmeal.words.units import MASS_G, VOLUME_ML

TOKEN = re.compile(
    r"\d+(?:\.\d+)?%|\d+(?:\.\d+)?|[^\W\d_]+(?:[-'&][^\W\d_]+)*'?|[^\s\w]|_", re.UNICODE
)
"""Pattern of a percentage, a number, a word or a sign."""

SHARES = {"none": 0.0, "all": 1.0}
"""Words for a share of a food, and the share from 0 to 1."""

UNITS = frozenset({*MEASURES, *MASS_G, *VOLUME_ML, *measure_words(), "fl", "fluid", "pc"})
"""Words that can be the unit of an amount."""

SHORTEST_SLIP = 5
"""Minimum number of letters in a word for its typing mistakes to be corrected."""

_SHORTEST_RESPELLED, _TWO_EDITS = 4, 8


def respelled(tokens: list[str], names: ScanNames, foods: NewFoods) -> list[str]:
    """Correct misspelled forms of words in ``words.csv`` and in the names of the scan's foods."""
    known = names.spelled()
    corrected = []
    for token in tokens:
        if (
            len(token) < _SHORTEST_RESPELLED
            or not token.isalpha()
            or token in known
            or token in vocabulary()
            or token in SHARES
            or token.removesuffix("s") in UNITS
            or foods.matcher.knows(token)
        ):
            corrected.append(token)
            continue
        most = 2 if len(token) >= _TWO_EDITS else 1
        near = [
            (edit_distance(token, word), word)
            for word in known
            if abs(len(word) - len(token)) <= most and word[:1] == token[0]
        ]
        near += [(1, word) for word in _slips_of(token)]
        best = min((one for one in near if one[0] <= most), default=(0, token))
        corrected.append(best[1])
    return corrected


def _is_slip(token: str, word: str) -> bool:
    """Return whether two words differ by two swapped letters, or by one extra or missing letter.

    A replaced letter does not count, because words such as "shaking" and "sharing" are usually
    different words.
    """
    if word[0] != token[0] or len(word) < SHORTEST_SLIP or abs(len(word) - len(token)) > 1:
        return False
    if len(word) == len(token):
        return sorted(word) == sorted(token) and edit_distance(token, word) == 1
    return edit_distance(token, word) == 1


def phrases_at(tokens: list[str], place: int) -> list[tuple[int, str]]:
    """Return the length and marks of the phrases that begin at a position, longest first."""
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    return [
        (len(phrase), marks)
        for phrase, marks in lexicon().get(tokens[place], ())
        if len(phrase) == 1
        or (phrase[1] == after and tuple(tokens[place : place + len(phrase)]) == phrase)
    ]


@lru_cache(1)
def lexicon() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return the phrases in ``words.csv`` with their marks, by first word and longest first."""
    table = files("postmeal.scans.corrections").joinpath("words.csv").read_text(encoding="utf-8")
    marks: dict[tuple[str, ...], str] = defaultdict(str)
    for row in csv.DictReader(table.splitlines()):
        for phrase in filter(None, (one.strip() for one in row["phrases"].split(";"))):
            key = tuple(TOKEN.findall(phrase))
            marks[key] += row["mark"] if row["mark"] not in marks[key] else ""
    by_first: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for phrase, mark in sorted(marks.items(), key=lambda one: -len(one[0])):
        by_first[phrase[0]].append((phrase, mark))
    return dict(by_first)


@lru_cache(1)
def vocabulary() -> frozenset[str]:
    """Return all words in ``words.csv``."""
    return frozenset({word for ones in lexicon().values() for phrase, _ in ones for word in phrase})


@lru_cache(64)
def _words_of(letter: str) -> tuple[str, ...]:
    """Return the words in ``words.csv`` that begin with the given letter."""
    return tuple(word for word in sorted(vocabulary()) if word[0] == letter)


@lru_cache(8192)
def _slips_of(token: str) -> tuple[str, ...]:
    """Return the words in ``words.csv`` of which a token may be a misspelling."""
    return tuple(word for word in _words_of(token[0]) if _is_slip(token, word))
