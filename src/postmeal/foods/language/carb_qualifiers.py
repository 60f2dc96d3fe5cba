"""Handle words that change the carbohydrate content of a food: "diet", "low carb", "unsweetened".

Foods whose names contain such a word are preferred. If the catalog has no such food, the word is
reported as unread and the confidence is lowered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.foods.food import Food
from postmeal.foods.language.matching import Match, Matcher
from postmeal.foods.language.thresholds import Tuning
from postmeal.foods.language.words.name_words import alike, head_of
from postmeal.foods.words import words

_DIET = (
    r"\bdiet\b|\bzero\b|\bsugar[ -]?free\b|\bsugarless\b|\bslimline\b|\bno sugar added\b|"
    r"\bpepsi max\b|\bcalorie free\b|\blow[ -]calorie\b|\bdietetic\b|\bcoke light\b"
)
CARB_QUALIFIERS: dict[str, tuple[re.Pattern[str], frozenset[str]]] = {
    "diet": (
        re.compile(_DIET),
        frozenset({"diet", "zero", "sugarfree", "unsweetened", "lowcalorie", "nosugar", "slim"}),
    ),
    "low carb": (
        re.compile(r"\b(?:low|reduced|lower|carb)[ -](?:carb(?:ohydrate)?s?|balance)\b|\bketo\b"),
        frozenset({"carb", "keto", "lowcarb", "carbohydrate"}),
    ),
    "gluten free": (re.compile(r"\bgluten[ -]free\b|\bgf\b"), frozenset({"gluten", "glutenfree"})),
    "unsweetened": (
        re.compile(r"\bunsweet(?:ened)?\b"),
        frozenset({"unsweetened", "diet", "plain", "black", "brewed", "nosugar", "water"}),
    ),
}
"""For each qualifier, a pattern that finds it in a text, and the words for it in food names."""

_DENIED = re.compile(r"\bnot (?:the |a )?\w+")
_BASE = re.compile(
    r"\b(?:no|without|minus|hold the|skip(?:ped)? the) (?:the |any )?(bun|bread|roll|tortilla|pita|"
    r"wrap|crust|rice|noodles?|breading|pasta|potato(?:es)?|fries|chips)\b"
)
_STATED = re.compile(r"\b(?:no|without) (?:bun|bread|tortilla|rice|crust)", re.IGNORECASE)
_STARCHY = 0.1  # g of carbohydrate per g of food
_LIKELIEST = 12
_SHARED = 0.34  # minimum share of the name's other words that a match contains
_NOT_SAID = frozenset({"diet", "zero", "sugarfree", "unsweetened", "lowcalorie"})


class Qualified(NamedTuple):
    """A match for a name, and the qualifiers in the name that do not apply to the match."""

    match: Match
    lacking: tuple[str, ...]


def qualified_match(
    name: str, match: Match, own_name: str, matcher: Matcher, tuning: Tuning
) -> Qualified:
    """Return the best match to which the qualifiers in a name apply, such as "low carb"."""
    said = {
        qualifier: has
        for qualifier, (pattern, has) in CARB_QUALIFIERS.items()
        if pattern.search(_DENIED.sub(" ", name))
    }
    if not said:
        return Qualified(_with_sugar(name, match, matcher, tuning), ())
    found = matcher.match(name, _LIKELIEST)
    head = head_of(alike(" ".join(words(name))))
    if head not in match.held:  # "low carb tortilla" must not match low carb bread
        near = match.score - tuning.likelihood_margin
        of_it = (one for one in found if head in one.held and one.score >= near)
        match = next(of_it, match)
    missing = _missing(said, match.held)
    if not missing:
        return Qualified(match, ())
    rest = name
    for qualifier in said:
        rest = CARB_QUALIFIERS[qualifier][0].sub(" ", rest)
    kind = {match.head, *words(own_name)[:1]}
    for other in found:
        alike_enough = matcher.share(rest, other) >= _SHARED or other.head in kind
        if not _missing(said, other.held) and alike_enough and other.head in kind | {head}:
            return Qualified(other, ())
    return Qualified(match, tuple(missing))


def base_left_out(said: str, food: Food) -> str:
    """Return the starchy part that the person left out but that the matched food contains."""
    left_out = _BASE.search(said)
    weight_g = food.default_serving.weight_g
    if left_out is None or not weight_g:
        return ""
    carbs_g = food.nutrients.amount("carbs_g")
    stated = _STATED.search(food.description)
    return f"no {left_out[1]}" if carbs_g > _STARCHY * weight_g and not stated else ""


def _missing(said: dict[str, frozenset[str]], held: Sequence[str]) -> list[str]:
    return [qualifier for qualifier, has in said.items() if has.isdisjoint(held)]


def _with_sugar(name: str, match: Match, matcher: Matcher, tuning: Tuning) -> Match:
    """Return a match that is not sugar free, because "red bull" means the version with sugar."""
    if _NOT_SAID.isdisjoint(match.held):
        return match
    share = matcher.share(name, match)
    for other in matcher.match(name, _LIKELIEST):
        if _NOT_SAID.isdisjoint(other.held) and matcher.share(name, other) >= share:
            near = other.score >= match.score - tuning.unsaid_margin
            return other if near else match
    return match
