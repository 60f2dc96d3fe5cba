"""Correction of misspelled words that name a danger, an allergy, an allergen or a diet.

Patterns and tables know only the correct spelling of such words. A word is corrected only if it is
unknown: it occurs neither in the starter set of the literature and the questions that it answers,
nor among ordinary English words. Words for an allergy in another language are kept.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache, lru_cache

from postmeal.assets import asset
from postmeal.chat.patterns import pattern
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS
from postmeal.foods.ordinary_words import ORDINARY

_DANGERS = """
allergic allergies allergy anaphylactic anaphylaxis anorexia anorexic antifreeze bulimia bulimic
celiac coeliac cyanide fainted hypoglycemia hypoglycemic intolerance intolerant ketoacidosis lactose
laxatives overdose overdosed poison poisoned purging seizure suicidal suicide unconscious vomiting
"""
_SHORT = "eggs fish milk nuts soya"  # corrected only in messages about allergies
_ALLERGY = re.compile(r"\b(?:allerg|anaphyla|intoleran|epi-?pen)")
_WORD = re.compile(r"[a-z]{4,}")
_SHORTEST = 5  # letters
_SHORT_SIMILARITY, _SIMILARITY = 0.75, 0.88  # minimum `difflib.SequenceMatcher.ratio`


def with_corrected_dangers(text: str) -> str:
    """Correct misspelled words for dangers, allergies, allergens and diets in a plain text."""
    text = _WORD.sub(lambda match: _corrected(match.group()), text)
    if _ALLERGY.search(text):
        text = _WORD.sub(lambda match: _corrected_allergen(match.group()), text)
    return text


@lru_cache(maxsize=2**14)
def _corrected(word: str) -> str:
    if len(word) < _SHORTEST or word in _known() or pattern("foreign_allergy").fullmatch(word):
        return word
    same_start = [each for each in _names() if each[0] == word[0]]
    return next(iter(get_close_matches(word, same_start, 1, _SIMILARITY)), word)


@lru_cache(maxsize=2**12)
def _corrected_allergen(word: str) -> str:
    if len(word) >= _SHORTEST or word in _known():
        return word
    same_start = [each for each in _SHORT.split() if each[0] == word[0]]
    return next(iter(get_close_matches(word, same_start, 1, _SHORT_SIMILARITY)), word)


@cache
def _names() -> tuple[str, ...]:
    named = " ".join([*RESTRICTIONS, *PREFERENCES]).replace("_", " ").split()
    return tuple(sorted({*_DANGERS.split(), *(each for each in named if len(each) >= _SHORTEST)}))


@cache
def _known() -> frozenset[str]:
    tables = ("data/literature.csv", "data/literature_questions.csv")
    texts = (asset(table).read_text(encoding="utf-8").lower() for table in tables)
    return frozenset(word for text in texts for word in _WORD.findall(text)) | ORDINARY
