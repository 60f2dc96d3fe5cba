"""Correct the spelling of the names of foods in meal texts, such as "scrambeled eggs".

A word that does not occur in any food name is replaced with the most similar word that does, if the
whole name then matches a food better. Misspellings are found by Garbe's symmetric delete algorithm
(https://github.com/wolfgarbe/SymSpell), as in `postmeal.foods.catalog.vocabulary`. Only the words
in the names of the shipped foods are used.
"""

from __future__ import annotations

import re
import weakref
from collections import Counter, defaultdict
from dataclasses import replace
from typing import ClassVar

from postmeal.foods.catalog.vocabulary import edit_distance
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.thresholds import DEFAULT_TUNING, Tuning
from postmeal.foods.language.words.name_words import alike
from postmeal.foods.language.words.sizes_and_measures import MEASURES

_SHORTEST, _LONGEST = 5, 20  # minimum and maximum number of letters of corrected words
_TWO_EDITS = 8  # minimum number of letters of words in which two edits are corrected
_MOST_WORDS = 8
_MEASURES = tuple(sorted(one for one in MEASURES if one.isalpha() and len(one) >= _SHORTEST - 1))
_AFTER_A_NUMBER = re.compile(r"(?<=\d )[a-z]{5,14}\b")


class Spelling:
    """Index of the words in the names of foods, for spelling correction."""

    _of: ClassVar[weakref.WeakKeyDictionary[Matcher, Spelling]] = weakref.WeakKeyDictionary()

    def __init__(self, frequency: Counter[str]) -> None:
        self._frequency = frequency
        self._forms: dict[str, list[str]] = defaultdict(list)
        for word in frequency:
            if word.isalpha() and _SHORTEST <= len(word) <= _LONGEST:
                for form in {word, *_shorter(word)}:
                    self._forms[form].append(word)

    @classmethod
    def of(cls, matcher: Matcher) -> Spelling:
        """Return the spelling index of a matcher; the first call for a matcher builds it."""
        if matcher not in cls._of:
            cls._of[matcher] = cls(matcher.word_counts())
        return cls._of[matcher]

    def nearest(self, word: str) -> str | None:
        """Return the closest word within one edit, or within two edits if the word is long."""
        if not (_SHORTEST <= len(word) <= _LONGEST and word.isalpha()):
            return None
        forms = {word, *_shorter(word)}
        most = 1
        if len(word) >= _TWO_EDITS:
            forms |= {shorter for form in forms for shorter in _shorter(form)}
            most = 2
        near = {
            (edit_distance(word, other), -self._frequency[other], other)
            for form in forms
            for other in self._forms.get(form, ())
            if other[0] == word[0]
        }
        best = min((one for one in near if one[0] <= most), default=None)
        return best[2] if best else None


def respelled(phrase: Phrase, matcher: Matcher, tuning: Tuning = DEFAULT_TUNING) -> Phrase:
    """Correct the spelling of the name in a phrase if the name then matches a food better."""
    said = phrase.name.split(" ")
    unknown = [word for word in said if not matcher.knows(word)] if phrase.name else []
    if not unknown or len(said) > _MOST_WORDS:
        return phrase
    spelling = Spelling.of(matcher)
    corrected = [(spelling.nearest(word) or word) if word in unknown else word for word in said]
    if corrected == said:
        return phrase
    name = " ".join(corrected)
    before = matcher.match(phrase.name)
    after = matcher.match(name)
    gain = (after[0].score if after else 0.0) - (before[0].score if before else 0.0)
    same = (word for word, other in zip(said, corrected, strict=True) if word == other)
    kept = alike(
        " ".join(one for one in same if one.isalpha() and one.removesuffix("s") not in MEASURES)
    )
    if gain < tuning.respelled_gain:
        return phrase
    if kept and set(kept).isdisjoint(after[0].held) and after[0].score < tuning.perhaps:
        return phrase  # "panda express" is not panna cotta
    return replace(phrase, name=name)


def measures_respelled(text: str, matcher: Matcher) -> str:
    """Correct the spelling of measures after a number, as in "2 peices of toast"."""

    def corrected(match: re.Match[str]) -> str:
        word = match[0]
        if word.removesuffix("s") in _MEASURES or matcher.knows(word):
            return word
        near = (one for one in _MEASURES if one[0] == word[0] and abs(len(one) - len(word)) < 3)
        return next(
            (
                other
                for one in near
                for other in (one, f"{one}s")
                if edit_distance(word, other) == 1
            ),
            word,
        )

    return _AFTER_A_NUMBER.sub(corrected, text)


def _shorter(word: str) -> set[str]:
    return {word[:place] + word[place + 1 :] for place in range(len(word))}
