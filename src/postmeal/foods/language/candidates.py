"""Choose the food that a phrase refers to."""

from __future__ import annotations

from typing import NamedTuple

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.language.carb_qualifiers import qualified_match
from postmeal.foods.language.matching import Match, Matcher
from postmeal.foods.language.measure_weights import is_powder
from postmeal.foods.language.phrases.phrase_parsing import without_exclusions
from postmeal.foods.language.thresholds import DEFAULT_TUNING, Tuning
from postmeal.foods.language.words.name_words import (
    COOKED,
    HOLDERS,
    after_the_head,
    alike,
    head_of,
    is_nutrient,
)
from postmeal.foods.words import words

__all__ = ["Candidate", "first_match", "food_of", "prepared", "share_held", "words_of"]

_NO_FOOD = frozenset({"dish", "meal", "food", "item", "product", "mix", "plate", "type", "kind",
                      "flavor", "taste", "touch"})  # fmt: skip
_NOT_ALONE = _NO_FOOD | COOKED | {"drink"}
_DISHES = HOLDERS - {"meal", "dinner", "bowl"}
_NAMED_BRAND = 0.9
_OF_A_KIND = 12


class Candidate(NamedTuple):
    """A food that a phrase may refer to."""

    food: Food | None
    """The food; None if the phrase does not name a known food."""
    confidence: float
    """Confidence in the food, from 0 (no food found) to 1."""
    lacking: tuple[str, ...] = ()
    """Words such as ``low carb`` that change the carbohydrate content but do not fit the food."""


def words_of(name: str) -> list[str]:
    """Return the words of a name, with each synonym replaced by its standard form."""
    return alike(" ".join(words(name)))


def first_match(matcher: Matcher, name: str) -> Match | None:
    """Return the best match of a name, or None if no food matches.

    If the best match contains none of the words before a preposition, such as "meat" in "meat
    cooked in butter", only these words are matched. A dish is matched only to a dish of the same
    kind. If no food matches a name such as "burger without cheese" well, only "burger" is matched.
    """
    found = matcher.match(name) if name else []
    said = words_of(name)
    what = said[: after_the_head(said)]
    if found and what != said and set(what).isdisjoint(_NOT_ALONE.union(found[0].held)):
        found = matcher.match(" ".join(what)) or found  # "meat cooked in butter" is meat
    head = head_of(what)
    if found and head in _DISHES and head not in found[0].held:
        of_it = (match for match in matcher.match(name, _OF_A_KIND) if head in match.held)
        found = [next(of_it, found[0])]  # "meatless burrito" must not match meatless chicken
    if (
        found
        and (eaten := without_exclusions(name)) != name
        and (
            matcher.share(name, found[0]) < DEFAULT_TUNING.well_held
            or found[0].score < DEFAULT_TUNING.vague
        )
    ):
        found = matcher.match(eaten)
    return found[0] if found else None


def share_held(name: str, matcher: Matcher) -> float:
    """Return the weighted share of a name's words that its best match contains, from 0 to 1."""
    match = first_match(matcher, name)
    return matcher.share(name, match) if match else 0.0


def food_of(
    name: str,
    match: Match | None,
    matcher: Matcher,
    catalog: Catalog,
    tuning: Tuning = DEFAULT_TUNING,
) -> Candidate:
    """Return the food that a name refers to.

    It is an imported food if the name contains its brand or a word of no shipped food.
    """
    if len(catalog) > len(matcher) and (
        match is None or matcher.share(name, match) < tuning.well_held
    ):
        said = set(words(name))
        for product in catalog.search(name, kind="branded", limit=1, every_word=True):
            if not said.isdisjoint(words(product.brand_name or "")):
                return Candidate(product, _NAMED_BRAND)
        if not all(matcher.knows(word) for word in said):
            for own in catalog.search(name, limit=1, every_word=True):
                if said <= {*words(own.description), *words(own.brand_name or "")}:
                    return Candidate(own, _NAMED_BRAND)
    if (
        match is None
        or match.score < tuning.understood
        or name in _NO_FOOD
        or is_nutrient(name)
        or _by_number(name, match)
    ):
        return Candidate(None, 0.0)
    if match.score < tuning.unknown_head and not matcher.knows(head_of(words_of(name))):
        return Candidate(None, 0.0)
    own_name = catalog.food(match.food_id).description
    match, lacking = qualified_match(name, match, own_name, matcher, tuning)
    confidence = match.score * (tuning.dropped_qualifier if lacking else 1.0)
    return Candidate(catalog.food(match.food_id), round(confidence, 3), lacking)


def _by_number(name: str, match: Match) -> bool:
    """Return whether numbers are the only words that a name and its match have in common."""
    return all(word.isdigit() for word in words_of(name) if word in match.held)


def prepared(name: str, food: Food, weight_g: float, matcher: Matcher, catalog: Catalog) -> Food:
    """Return the prepared food for a powder, such as the drink for "a cup of instant coffee"."""
    for match in matcher.match(name, _OF_A_KIND):
        other = catalog.food(match.food_id)
        if not is_powder(name, other, weight_g):
            return other
    return food
