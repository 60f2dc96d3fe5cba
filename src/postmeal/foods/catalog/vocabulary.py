"""Vocabulary of a food catalog: the number of foods with each word, and spelling correction.

Spelling is corrected by Garbe's symmetric delete algorithm (https://github.com/wolfgarbe/SymSpell).
A word and its misspelling become equal when letters are deleted from one or both of them. The
catalog therefore stores the forms of each frequent word with one letter deleted, so that only a few
lookups are needed to correct a word. An edit inserts, deletes or replaces a letter, or swaps two
adjacent letters (Damerau 1964, doi:10.1145/363958.363994).
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from postmeal.foods.words import SAME

VOCABULARY_SCHEMA = """
CREATE TABLE vocabulary (
    word TEXT PRIMARY KEY,
    foods INTEGER NOT NULL          -- that contain it
) WITHOUT ROWID;
CREATE TABLE misspelling (
    form TEXT,                      -- a frequent word, or the word with one letter deleted
    word TEXT,
    PRIMARY KEY (form, word)
) WITHOUT ROWID;
"""

_CORRECTED_TO = 50_000  # number of frequent words to which other words can be corrected
_SHORTEST, _LONGEST = 3, 24  # minimum and maximum number of letters of a word that is corrected
_TWO_EDITS = 8  # minimum number of letters of a word in which two edits are allowed
_OTHER_FIRST, _SWAPPED = 0.3, -0.2  # added to the distance of 1 per edit
_RARER = 0.2  # added for each halving of the number of foods that contain the word
_OUTNUMBERED = 1_000  # minimum ratio of foods with a word to foods with its misspelling
_LONG_PREFIX = 5  # minimum number of letters of a prefix that is corrected
_COMPARED = 60  # number of frequent words that are compared with such a prefix
_PART = 3  # minimum number of letters of each half of a word that is split
_MAX_CACHED = 40_000  # maximum number of words
_LAST = "\U0010ffff"

Read = Callable[[str, Any], list[tuple[Any, ...]]]
"""Function that runs an SQL query with parameters and returns the rows."""


class WordCache(NamedTuple):
    """Cache of word lookups; it saves time because many queries contain the same words."""

    foods: dict[str, int]
    corrections: dict[str, list[tuple[float, str]]]

    def make_room(self) -> None:
        """Clear the cache if it is full, which is the case at about 10 MB."""
        if len(self.foods) + len(self.corrections) >= _MAX_CACHED:
            self.foods.clear()
            self.corrections.clear()


class Vocabulary:
    """Vocabulary of a food catalog, with spelling correction."""

    def __init__(self, read: Read, size: int, cache: WordCache) -> None:
        self._read = read
        self._size = size
        self._cache = cache

    def foods(self, word: str) -> int:
        """Return the number of foods whose names contain the given word."""
        foods = self._cache.foods.get(word)
        if foods is None:
            rows = self._read("SELECT foods FROM vocabulary WHERE word = ?", (word,))
            foods = rows[0][0] if rows else 0
            if len(word) <= _LONGEST:  # longer strings are not words and would bloat the cache
                self._cache.make_room()
                self._cache.foods[word] = foods
        return foods

    def rarity(self, word: str) -> float:
        """Return log2 of the number of foods in the catalog per food that contains the word."""
        return math.log2(max(1, self._size) / max(1, self.foods(word)))

    def completions(self, prefix: str, limit: int) -> list[str]:
        """Return up to `limit` words that start with a prefix, most frequent first."""
        rows = self._read(
            "SELECT word FROM vocabulary WHERE word >= ? AND word < ?"
            " ORDER BY foods DESC, word LIMIT ?",
            (prefix, prefix + _LAST, limit),
        )
        return [SAME.get(word, str(word)) for (word,) in rows]

    def corrections(self, word: str, limit: int = 4) -> list[tuple[float, str]]:
        """Return the words that a misspelled word may stand for."""
        if not _is_corrected(word):
            return []
        found = self._cache.corrections.get(word)
        if found is None:
            spellings = _spellings(word, in_plural=word.endswith("y"))
            forms = {form for spelling in spellings for form in (spelling, *_deletions(spelling))}
            found = self._with_forms(word, spellings, forms, 1)
            if not found and len(word) >= _TWO_EDITS:
                forms |= {shorter for form in forms for shorter in _deletions(form)}
                found = self._with_forms(word, spellings, forms, 2)
            self._cache.make_room()
            self._cache.corrections[word] = found
        return found[:limit]

    def prefix_corrections(self, word: str, limit: int = 3) -> list[tuple[float, str]]:
        """Return the words that may be meant by a misspelled prefix of at least five letters.

        The prefix is compared with the stored forms of words: "brocol" is a prefix of "brocoli",
        which is "broccoli" with a letter deleted. As in `corrections`, each word is returned with
        its distance from the prefix.
        """
        if len(word) < _LONG_PREFIX or not _is_corrected(word):
            return []
        forms = sorted({word} | _deletions(word))
        rows = self._read(
            "SELECT DISTINCT word, foods FROM misspelling JOIN vocabulary USING (word)"
            f" WHERE {' OR '.join(['form >= ? AND form < ?'] * len(forms))}"
            " ORDER BY foods DESC, word LIMIT ?",
            (*(bound for form in forms for bound in (form, form + _LAST)), _COMPARED),
        )
        size = len(word)
        near = [
            (other, foods)
            for other, foods in rows
            if min(edit_distance(word, other[:end]) for end in (size - 1, size, size + 1)) <= 1
        ]
        return self._nearest(word, [(1, other, foods) for other, foods in near])[:limit]

    def likely_correction(self, word: str) -> str | None:
        """Return the correct word if a very rare word is probably misspelled, otherwise None.

        The catalog contains typos too: among millions of foods, some names contain "chese".
        """
        foods = self.foods(word)
        if not 0 < foods * _OUTNUMBERED <= self._size:
            return None
        for distance, other in self.corrections(word, 1):
            if distance < 2 and self.foods(other) >= foods * _OUTNUMBERED:
                return other
        return None

    def split(self, word: str) -> tuple[str, str] | None:
        """Split a word that consists of two words, such as "peanutbutter"; None if it does not."""
        if not _is_corrected(word):
            return None
        halves = [(word[:at], word[at:]) for at in range(_PART, len(word) - _PART + 1)]
        counted = [(min(self.foods(a), self.foods(b)), (a, b)) for a, b in halves]
        foods, best = max(counted, default=(0, ("", "")))
        return best if foods else None

    def joined(self, words: list[str]) -> Iterator[list[str]]:
        """Yield lists in which two adjacent words are joined, as in "water melon"."""
        for at in range(len(words) - 1):
            joined = words[at] + words[at + 1]
            if joined.isalpha() and self.foods(joined):
                yield [*words[:at], joined, *words[at + 2 :]]

    def _with_forms(
        self, word: str, spellings: Sequence[str], forms: set[str], allowed: int
    ) -> list[tuple[float, str]]:
        rows = self._read(
            "SELECT DISTINCT vocabulary.word, foods FROM misspelling"
            f" JOIN vocabulary USING (word) WHERE form IN ({','.join('?' * len(forms))})",
            tuple(sorted(forms)),
        )
        near = []
        for other, foods in rows:
            others = _spellings(other)
            edits = min(
                edit_distance(spelling, match) for spelling in spellings for match in others
            )
            if other != word and edits <= allowed:
                near.append((edits, other, foods))
        return self._nearest(word, near)

    @staticmethod
    def _nearest(word: str, near: list[tuple[int, str, int]]) -> list[tuple[float, str]]:
        most = max((foods for _, _, foods in near), default=1)
        corrections = []
        for edits, other, foods in near:
            distance = edits + _RARER * math.log2(most / foods)
            if other[0] != word[0]:
                distance += _OTHER_FIRST
            if sorted(other) == sorted(word):
                distance += _SWAPPED
            corrections.append((distance, SAME.get(other, other)))
        return sorted(corrections)


def build_vocabulary(database: sqlite3.Connection) -> None:
    """Fill the tables of `VOCABULARY_SCHEMA` from the full-text index ``food_words``."""
    database.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab(main, food_words, row)")
    database.execute("INSERT INTO vocabulary SELECT term, doc FROM temp.held ORDER BY term")
    database.execute("DROP TABLE temp.held")
    database.executemany(
        "INSERT OR REPLACE INTO vocabulary SELECT ?, foods FROM vocabulary WHERE word = ?",
        SAME.items(),
    )
    add_misspellings(database)


def add_misspellings(database: sqlite3.Connection) -> None:
    """Fill the table ``misspelling`` from the words in the table ``vocabulary``."""
    frequent = database.execute(
        "SELECT word FROM vocabulary WHERE length(word) >= ? ORDER BY foods DESC, word LIMIT ?",
        (_SHORTEST, _CORRECTED_TO),
    )
    forms = sorted(
        (form, word)
        for (word,) in frequent
        if _is_corrected(word)
        for form in {
            form for spelling in _spellings(word) for form in (spelling, *_deletions(spelling))
        }
    )
    database.executemany("INSERT INTO misspelling VALUES (?, ?)", forms)


def edit_distance(first: str, second: str) -> int:
    """Count the edits between two words: letters inserted, deleted, replaced or swapped."""
    start, shorter = 0, min(len(first), len(second))
    while start < shorter and first[start] == second[start]:
        start += 1
    suffix = 0
    while suffix < shorter - start and first[-1 - suffix] == second[-1 - suffix]:
        suffix += 1
    first, second = first[start : len(first) - suffix], second[start : len(second) - suffix]
    row_before_last: list[int] = []
    last_row = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current_row = [row]
        for column, other in enumerate(second, 1):
            replaced = last_row[column - 1] + (letter != other)
            lowest = min(last_row[column] + 1, current_row[-1] + 1, replaced)
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                lowest = min(lowest, row_before_last[column - 2] + 1)
            current_row.append(lowest)
        row_before_last, last_row = last_row, current_row
    return last_row[-1]


def _is_corrected(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha()


def _spellings(word: str, in_plural: bool = True) -> list[str]:
    """Return a word and its plural without the final "s": "cherry" and "cherrie"."""
    if in_plural and word.endswith("y"):
        return [word, word[:-1] + "ie"]
    if in_plural and word.endswith(("o", "x", "ch", "sh", "ss")):
        return [word, word + "e"]
    return [word]


def _deletions(word: str) -> set[str]:
    return {word[:at] + word[at + 1 :] for at in range(len(word))}
