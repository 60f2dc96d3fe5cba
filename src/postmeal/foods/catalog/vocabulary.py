"""The words of a catalogue: how many foods hold each, and what a mistyped one may mean.

Mistakes are repaired after Garbe's symmetric delete: a word and its mistyped form become equal
when a letter is left out of either, so the forms of the frequent words are stored and a repair is
a few look-ups (https://github.com/wolfgarbe/SymSpell). One mistake is a letter too many, one too
few, a wrong one, or two neighbours exchanged: Damerau 1964 (doi:10.1145/363958.363994).
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from postmeal.foods.words import SAME

__all__ = ["VOCABULARY_SCHEMA", "Remembered", "Vocabulary", "build_vocabulary", "mistakes"]

VOCABULARY_SCHEMA = """
CREATE TABLE vocabulary (
    word TEXT PRIMARY KEY,
    foods INTEGER NOT NULL          -- how many hold it
) WITHOUT ROWID;
CREATE TABLE misspelling (
    form TEXT,                      -- a frequent word, or that with one letter left out
    word TEXT,
    PRIMARY KEY (form, word)
) WITHOUT ROWID;
"""

_REPAIRED = 50_000  # words that a repair may answer, the most frequent
_SHORTEST, _LONGEST = 3, 24  # letters of a word that is repaired
_TWO_MISTAKES = 8  # letters of a word that may have two
_OTHER_FIRST, _EXCHANGED = 0.3, -0.2  # beside one for each mistake
_RARER = 0.2  # for each halving of the foods that hold a word
_OUTNUMBERED = 1_000  # times that the foods with a word outnumber those with a mistyped form of it
_LONG_BEGINNING = 5  # letters of a beginning in which a mistake is looked for
_LOOKED_AT = 60  # words that are compared with such a beginning, those that most foods hold
_PART = 3  # letters of each half of a word that is split
_REMEMBERED = 40_000  # words
_LAST = "\U0010ffff"

Read = Callable[[str, Any], list[tuple[Any, ...]]]
"""Runs a query and answers its rows."""


class Remembered(NamedTuple):
    """What was found of words: people ask for the same ones again and again."""

    foods: dict[str, int]
    meant: dict[str, list[tuple[float, str]]]

    def make_room(self) -> None:
        """Forget all when it has become much: some 10 MB."""
        if len(self.foods) + len(self.meant) >= _REMEMBERED:
            self.foods.clear()
            self.meant.clear()


class Vocabulary:
    """The words of a catalogue.

    Parameters
    ----------
    read : callable
        Runs a query on the catalogue's file and answers its rows.
    size : int
        How many foods the catalogue has.
    remembered : Remembered
        What was found before, of the same catalogue.
    """

    def __init__(self, read: Read, size: int, remembered: Remembered) -> None:
        self._read = read
        self._size = size
        self._remembered = remembered

    def foods(self, word: str) -> int:
        """Count the foods that hold a word."""
        foods = self._remembered.foods.get(word)
        if foods is None:
            found = self._read("SELECT foods FROM vocabulary WHERE word = ?", (word,))
            foods = found[0][0] if found else 0
            if len(word) <= _LONGEST:  # what is longer is no word, and would take ten times as much
                self._remembered.make_room()
                self._remembered.foods[word] = foods
        return foods

    def rarity(self, word: str) -> float:
        """Say how much a word tells: how often the foods are halved until those with it remain."""
        return math.log2(max(1, self._size) / max(1, self.foods(word)))

    def completed(self, beginning: str, limit: int) -> list[str]:
        """List words that begin so, those that most foods hold first."""
        found = self._read(
            "SELECT word FROM vocabulary WHERE word >= ? AND word < ?"
            " ORDER BY foods DESC, word LIMIT ?",
            (beginning, beginning + _LAST, limit),
        )
        return [SAME.get(word, str(word)) for (word,) in found]

    def meant(self, word: str, limit: int = 4) -> list[tuple[float, str]]:
        """List the words that a mistyped one may mean.

        Parameters
        ----------
        word : str
            A word as `words.words` gives it. Numbers and words of less than 3 or more than
            24 letters are not repaired.
        limit : int, default=4
            At most this many.

        Returns
        -------
        list of tuple of float and str
            How far each is from what was typed, the nearest first, and the word: it has one
            mistake less, or two in words of eight letters and more. Of equal ones that with the
            same first letter is nearer, and that which more foods hold.
        """
        if not _is_repaired(word):
            return []
        found = self._remembered.meant.get(word)
        if found is None:
            typed = _spellings(word, in_plural=word.endswith("y"))
            forms = {less for one in typed for less in (one, *_without_one(one))}
            found = self._of_forms(word, typed, forms, 1)
            if not found and len(word) >= _TWO_MISTAKES:
                forms |= {less for form in forms for less in _without_one(form)}
                found = self._of_forms(word, typed, forms, 2)
            self._remembered.make_room()
            self._remembered.meant[word] = found
        return found[:limit]

    def begun(self, word: str, limit: int = 3) -> list[tuple[float, str]]:
        """List the words that a mistyped beginning of five letters or more may belong to.

        They are found by their stored forms: "brocol" begins "brocoli", which is broccoli with a
        letter left out. How far each is, and the word, as `meant` answers.
        """
        if len(word) < _LONG_BEGINNING or not _is_repaired(word):
            return []
        forms = sorted({word} | _without_one(word))
        found = self._read(
            "SELECT DISTINCT word, foods FROM misspelling JOIN vocabulary USING (word)"
            f" WHERE {' OR '.join(['form >= ? AND form < ?'] * len(forms))}"
            " ORDER BY foods DESC, word LIMIT ?",
            (*(edge for form in forms for edge in (form, form + _LAST)), _LOOKED_AT),
        )
        size = len(word)
        near = [
            (other, foods)
            for other, foods in found
            if min(mistakes(word, other[:end]) for end in (size - 1, size, size + 1)) <= 1
        ]
        return self._nearest(word, [(1, other, foods) for other, foods in near])[:limit]

    def mostly_meant(self, word: str) -> str | None:
        """Find the word that one which hardly any food holds is a mistyped form of, if any.

        Labels have typing mistakes too: among millions of foods some hold "chese".
        """
        foods = self.foods(word)
        if not 0 < foods * _OUTNUMBERED <= self._size:
            return None
        for distance, other in self.meant(word, 1):
            if distance < 2 and self.foods(other) >= foods * _OUTNUMBERED:
                return other
        return None

    def split(self, word: str) -> tuple[str, str] | None:
        """Find two words that were written as one: "peanutbutter"."""
        if not _is_repaired(word):
            return None
        halves = [(word[:at], word[at:]) for at in range(_PART, len(word) - _PART + 1)]
        counted = [(min(self.foods(a), self.foods(b)), (a, b)) for a, b in halves]
        foods, best = max(counted, default=(0, ("", "")))
        return best if foods else None

    def joined(self, words: list[str]) -> Iterator[list[str]]:
        """Join two neighbours that are one word: "water melon"."""
        for at in range(len(words) - 1):
            together = words[at] + words[at + 1]
            if together.isalpha() and self.foods(together):
                yield [*words[:at], together, *words[at + 2 :]]

    def _of_forms(
        self, word: str, typed: Sequence[str], forms: set[str], allowed: int
    ) -> list[tuple[float, str]]:
        found = self._read(
            "SELECT DISTINCT vocabulary.word, foods FROM misspelling"
            f" JOIN vocabulary USING (word) WHERE form IN ({','.join('?' * len(forms))})",
            tuple(sorted(forms)),
        )
        near = []
        for other, foods in found:
            spelt = _spellings(other)
            made = min(mistakes(one, another) for one in typed for another in spelt)
            if other != word and made <= allowed:
                near.append((made, other, foods))
        return self._nearest(word, near)

    @staticmethod
    def _nearest(word: str, near: list[tuple[int, str, int]]) -> list[tuple[float, str]]:
        most = max((foods for _, _, foods in near), default=1)
        judged = []
        for made, other, foods in near:
            distance = made + _RARER * math.log2(most / foods)
            if other[0] != word[0]:
                distance += _OTHER_FIRST
            if sorted(other) == sorted(word):
                distance += _EXCHANGED
            judged.append((distance, SAME.get(other, other)))
        return sorted(judged)


def build_vocabulary(database: sqlite3.Connection) -> None:
    """Fill the tables of `VOCABULARY_SCHEMA` from the full-text index ``food_words``."""
    database.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab(main, food_words, row)")
    database.execute("INSERT INTO vocabulary SELECT term, doc FROM temp.held ORDER BY term")
    database.execute("DROP TABLE temp.held")
    database.executemany(
        "INSERT OR REPLACE INTO vocabulary SELECT ?, foods FROM vocabulary WHERE word = ?",
        SAME.items(),
    )
    frequent = database.execute(
        "SELECT word FROM vocabulary WHERE length(word) >= ? ORDER BY foods DESC, word LIMIT ?",
        (_SHORTEST, _REPAIRED),
    )
    forms = sorted(
        (form, word)
        for (word,) in frequent
        if _is_repaired(word)
        for form in {form for spelt in _spellings(word) for form in (spelt, *_without_one(spelt))}
    )
    database.executemany("INSERT INTO misspelling VALUES (?, ?)", forms)


def mistakes(typed: str, meant: str) -> int:
    """Count the mistakes of a typed word: letters too many, too few, wrong or exchanged.

    Parameters
    ----------
    typed, meant : str
        Two words.

    Returns
    -------
    int
        Their optimal string alignment distance.

    Examples
    --------
    >>> mistakes("brocolli", "broccoli"), mistakes("yogrut", "yogurt"), mistakes("egg", "egg")
    (2, 1, 0)
    """
    first, end = 0, min(len(typed), len(meant))
    while first < end and typed[first] == meant[first]:
        first += 1
    same = 0
    while same < end - first and typed[-1 - same] == meant[-1 - same]:
        same += 1
    typed, meant = typed[first : len(typed) - same], meant[first : len(meant) - same]
    before: list[int] = []
    last = list(range(len(meant) + 1))
    for row, letter in enumerate(typed, 1):
        now = [row]
        for column, other in enumerate(meant, 1):
            least = min(last[column] + 1, now[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == meant[column - 2] and typed[row - 2] == other:
                least = min(least, before[column - 2] + 1)
            now.append(least)
        before, last = last, now
    return last[-1]


def _is_repaired(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha()


def _spellings(word: str, in_plural: bool = True) -> list[str]:
    """List what stands before the "s" of a word's plural too: cherry and "cherrie"."""
    if in_plural and word.endswith("y"):
        return [word, word[:-1] + "ie"]
    if in_plural and word.endswith(("o", "x", "ch", "sh", "ss")):
        return [word, word + "e"]
    return [word]


def _without_one(word: str) -> set[str]:
    return {word[:at] + word[at + 1 :] for at in range(len(word))}
