"""Separate a topping from the starchy food under it, as in "goulash over egg noodles"."""

from __future__ import annotations

import re
from dataclasses import replace

from postmeal.foods.language.candidates import first_match, words_of
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.phrases.phrase_parsing import read_phrase
from postmeal.foods.language.thresholds import DEFAULT_TUNING, Tuning
from postmeal.foods.language.words.name_words import HOLDERS, head_of

_ON = re.compile(
    r"(?P<top>.+?) (?:on top of|on|over|in|inside) (?:a bed of |an? |some |the |my )?(?P<base>.+)"
)
_BASES = frozenset({"toast", "bread", "rice", "noodle", "pasta", "spaghetti", "tortilla", "potato",
                    "quinoa", "couscous", "naan", "bagel", "muffin", "cracker"})  # fmt: skip
"""Starchy foods on which other foods are eaten."""


def with_bases(
    found: list[Phrase], matcher: Matcher, tuning: Tuning = DEFAULT_TUNING
) -> list[Phrase]:
    """Separate a food from the starchy food under it, unless the catalog has a food with both."""
    parted: list[Phrase] = []
    is_held = False
    for phrase in found:
        parts = [phrase] if is_held else _parts(phrase, matcher, tuning)
        is_held = is_held or any(head_of(words_of(part.name)) in HOLDERS for part in parts)
        parted += parts
    return parted


def _parts(phrase: Phrase, matcher: Matcher, tuning: Tuning) -> list[Phrase]:
    split = _ON.fullmatch(phrase.name) if not phrase.is_excluded and phrase.mass_g is None else None
    if split is None or head_of(words_of(split["base"])) not in _BASES:
        return [phrase]
    whole = first_match(matcher, phrase.name)
    top, base = first_match(matcher, split["top"]), read_phrase(split["base"], "with")
    if base is None or top is None or whole is None:
        return [phrase]
    heads = {head_of(words_of(base.name)), head_of(words_of(split["top"]))}
    is_one = heads.issubset(whole.held) or whole.score >= tuning.surely
    if is_one or top.score < tuning.perhaps or not HOLDERS.isdisjoint(heads):
        return [phrase]
    base = replace(base, starts_food=True, joined_by=",")
    return [replace(phrase, name=split["top"]), base]
