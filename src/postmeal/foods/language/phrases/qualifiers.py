"""Read descriptions after the name of a food: "eggs, scrambled", "milk, whole"."""

from __future__ import annotations

import re
from dataclasses import replace

from postmeal.foods.language.phrases.masses_and_volumes import NUMBER
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.phrases.phrase_parsing import read_phrase
from postmeal.foods.language.words.qualifier_words import QUALIFIER
from postmeal.foods.language.words.sizes_and_measures import SIZES

_QUALIFIES = re.compile(QUALIFIER)
_SIZE = re.compile("|".join(SIZES))
_BEHIND = re.compile(r"\b(?:in|into|with|without|no) .*")
_COUNT = rf"(?:(?<![a-z] )|(?<=had )|(?<=ate )|(?<=and )|(?<=with )|(?<=of )){NUMBER}"
_SIZE_BEFORE = re.compile(
    rf"(?<![\w.,-])(?<!, )((?:an?|the|{_COUNT}) (?:{'|'.join(SIZES)})),(?= [a-z])"
)
_BRACKETS = re.compile(r"\(([^()]{1,60})\)(?=\s*(?:$|[,.;:\d]|(?:and|with|plus)\b))")


def commas_at_qualifiers(text: str) -> str:
    """Replace parentheses around qualifiers with commas; remove the comma after a leading size."""
    return _BRACKETS.sub(
        lambda match: (
            f", {match[1]}," if all(map(_only_describes, match[1].split(","))) else match[0]
        ),
        _SIZE_BEFORE.sub(r"\1", text),
    )


def qualified(food: Phrase, clause: str) -> Phrase | None:
    """Add the next clause to a food if the clause only describes the food."""
    if not food.name or food.is_description or food.is_excluded:
        return None
    said = f"{food.said}, {clause}"
    if _SIZE.fullmatch(clause):
        if food.size or food.unit:
            return None
        several = food.name.endswith("s")  # "grapes, large" is one serving
        count = food.count or (None if several else 1.0)
        return replace(food, said=said, size=clause.replace("-", " "), count=count)
    if _only_describes(clause):
        return replace(food, said=said, name=_named(food.name, clause))
    one = read_phrase(clause, ",")
    if one is None or food.amount_said or not one.amount_said or not _only_describes(one.name):
        return None
    return replace(one, said=said, name=_named(food.name, one.name), joined_by=food.joined_by)


def _only_describes(clause: str) -> bool:
    """Return whether a clause only describes a food."""
    return bool(_QUALIFIES.fullmatch(clause.strip()))


def _named(name: str, qualifiers: str) -> str:
    behind = _BEHIND.search(qualifiers)
    before = qualifiers[: behind.start()] if behind else qualifiers
    return " ".join(f"{before} {name} {behind[0] if behind else ''}".split())
