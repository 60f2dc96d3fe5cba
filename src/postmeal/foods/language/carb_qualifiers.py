"""Words before a food that change its carbohydrate: "diet", "low carb", "unsweetened".

A food that has the word is preferred. If the catalog has none, the food is read without the word,
with a lower confidence, and the word is reported as unread: it is never dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.foods.food import Food
from postmeal.foods.language.matching import Match, Matcher
from postmeal.foods.language.name_words import alike, head_of
from postmeal.foods.language.tuning import Tuning
from postmeal.foods.words import words

__all__ = ["CARB_QUALIFIERS", "Qualified", "base_left_out", "qualified_match"]

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
"""What each qualifier is called in speech, and in the names of foods."""

_DENIED = re.compile(r"\bnot (?:the |a )?\w+")
_BASE = re.compile(
    r"\b(?:no|without|minus|hold the|skip(?:ped)? the) (?:the |any )?(bun|bread|roll|tortilla|pita|"
    r"wrap|crust|rice|noodles?|breading|pasta|potato(?:es)?|fries|chips)\b"
)
_STATED = re.compile(r"\b(?:no|without) (?:bun|bread|tortilla|rice|crust)", re.IGNORECASE)
_STARCHY = 0.1  # grams of carbohydrate in a gram
_LIKELIEST = 12
_SHARED = 0.34  # least share of the rest of the name that such a food must hold
_NOT_SAID = frozenset({"diet", "zero", "sugarfree", "unsweetened", "lowcalorie"})


class Qualified(NamedTuple):
    """A match, and the qualifiers that it lacks."""

    match: Match
    lacking: tuple[str, ...]


def qualified_match(
    name: str, match: Match, own_name: str, matcher: Matcher, tuning: Tuning
) -> Qualified:
    """Return the best match of a name that has its qualifiers.

    Parameters
    ----------
    name : str
        What was said.
    match : Match
        Its best match.
    own_name : str
        The name of that food in the catalog.
    matcher : Matcher
        The foods that may be named.
    tuning : Tuning
        The thresholds.

    Returns
    -------
    Qualified
        A match that has all qualifiers that were said and none that was not, or the given one and
        the qualifiers that it lacks.
    """
    said = {
        qualifier: has
        for qualifier, (pattern, has) in CARB_QUALIFIERS.items()
        if pattern.search(_DENIED.sub(" ", name))
    }
    if not said:
        return Qualified(_sugared(name, match, matcher, tuning), ())
    found = matcher.match(name, _LIKELIEST)
    head = head_of(alike(" ".join(words(name))))
    if head not in match.held:  # a low carb tortilla is no low carb bread
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
    """Return the starchy part that was not eaten of a food that still contains it.

    Parameters
    ----------
    said : str
        The name of the food and what is said after it.
    food : Food
        The food that was found.

    Returns
    -------
    str
        Such as ``no bun``; empty if nothing was left out, or the food has little carbohydrate.

    Examples
    --------
    >>> from postmeal.foods.catalog import Catalog
    >>> catalog = Catalog.open()
    >>> base_left_out("cheeseburger, no bun", catalog.search("cheeseburger")[0])
    'no bun'
    >>> base_left_out("chicken, no rice", catalog.search("chicken breast")[0])
    ''
    """
    left_out = _BASE.search(said)
    weight_g = food.default_serving.weight_g
    if left_out is None or not weight_g:
        return ""
    carbs_g = food.nutrients.amount("carbs_g")
    stated = _STATED.search(food.name)
    return f"no {left_out[1]}" if carbs_g > _STARCHY * weight_g and not stated else ""


def _missing(said: dict[str, frozenset[str]], held: Sequence[str]) -> list[str]:
    return [qualifier for qualifier, has in said.items() if has.isdisjoint(held)]


def _sugared(name: str, match: Match, matcher: Matcher, tuning: Tuning) -> Match:
    """Return a match that is not sugar free where nobody said so: "a red bull"."""
    if _NOT_SAID.isdisjoint(match.held):
        return match
    share = matcher.share(name, match)
    for other in matcher.match(name, _LIKELIEST):
        if _NOT_SAID.isdisjoint(other.held) and matcher.share(name, other) >= share:
            near = other.score >= match.score - tuning.unsaid_margin
            return other if near else match
    return match
