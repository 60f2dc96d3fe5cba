"""Choose between the dry and the prepared form of a food, such as dry and cooked noodles.

If foods differ only in their form, the form in the text decides between them. A food is treated as
dry if carbohydrate, protein and fat make up at least 55% of its weight. In SR28
(doi:10.15482/USDA.ADC/1324304), this share is 70-98% for powders, mixes, flours, raw grains and raw
legumes. For foods that are made from these with water, it is 5-40%.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.language.matching import Match, Matcher
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.words.name_words import alike, head_of
from postmeal.foods.portions import portion_grams
from postmeal.foods.words import words

_MADE_UP = re.compile(
    r"\b(?:made[ -]up(?: (?:from|with) \w+)?|reconstituted|rehydrated|"
    r"(?:made|mixed|prepared) (?:from|with|of) (?:an? |the )?(?:dry |dried )?"
    r"(?:powder|mix|granules|flakes|water))\b"
)
_DRY = re.compile(
    r"\b(?:powder(?:ed)?|uncooked|granules|(?<!freeze )dry"
    r"(?![ -](?:rub\w*|aged|fried|roast\w*|cured|white|red|ros|sherry|wine|martini|cider|"
    r"vermouth|ginger|gin|toast|season\w*)))\b"
)
_DRIED = re.compile(r"\b(?:dry|dried|uncooked)\b ?")
_COOKED = re.compile(r"^(?!.*\b(?:flour|meal|mix\w*)\b).*\b(?:cooked|boiled|stewed)\b")
"""Names that state that a food is cooked. Flour and mixes are excluded, as they are weighed dry."""

_POURED = frozenset({"glass", "mug"})
_PREPARED = re.compile(r"prepared|made from|from (?:dry )?mix|(?<!not )reconstituted|water added")
_DRUNK_DRY = re.compile(r"wine|martini|sherry|champagne|vermouth|cider|ginger ale", re.IGNORECASE)
_SOLIDS = ("carbs_g", "protein_g", "fat_g")
_LEAST_SOLIDS = 0.55  # grams of carbohydrate, protein and fat per gram of a dry food
_LIKELIEST = 12
_SHARED = 0.34  # minimum share of the name's other words that a match contains


class Formed(NamedTuple):
    """A phrase, and its match in the stated form: dry or prepared."""

    phrase: Phrase
    match: Match | None
    lacking: tuple[str, ...] = ()
    """The word for the form in the phrase, if the matched food has the other form."""
    serving_g: float | None = None
    """Weight of one unit of a dry food in grams, from the food's own servings."""


def formed_match(phrase: Phrase, match: Match | None, matcher: Matcher, catalog: Catalog) -> Formed:
    """Return the match of a phrase in the form that the phrase states: dry or prepared."""
    if match is None:
        return Formed(phrase, match)
    food = catalog.food(match.food_id)
    name = phrase.name
    dry = _DRY.search(name)
    if _MADE_UP.search(name) or (dry and phrase.unit in _POURED and "powder" in name):
        is_made = _PREPARED.search(food.description.casefold()) or not _is_dry(food)
        return (
            Formed(phrase, match) if is_made else _prepared_match(phrase, match, matcher, catalog)
        )
    if _COOKED.search(name) and _DRIED.search(name) and _is_dry(food):
        return _cooked_match(phrase, match, food, matcher, catalog)
    if dry is None or _DRUNK_DRY.search(food.description):
        return Formed(phrase, match)
    return _dry_match(phrase, dry[0], match, food, matcher, catalog)


def _dry_match(
    phrase: Phrase, form: str, match: Match, food: Food, matcher: Matcher, catalog: Catalog
) -> Formed:
    """Return a dry match or, if there is none, the given match and the word for the form."""
    rest = " ".join(_DRY.sub(" ", phrase.name).split())
    own = _PREPARED.split(food.description.casefold())[0]
    if _is_dry(food):
        if not rest or _is_same(rest, match, matcher):
            return Formed(phrase, match)
    elif set(words(form)) <= {*match.held} and not _PREPARED.search(food.description.casefold()):
        return Formed(phrase, match)
    for same, sought in (
        (rest, phrase.name),
        (rest, f"{rest} dry"),
        (rest, f"{rest} powder not reconstituted"),
        (own, f"{own} dry"),
    ):
        for other in matcher.match(sought, _LIKELIEST):
            dry = catalog.food(other.food_id)
            if _is_dry(dry) and _is_same(same, other, matcher):
                return Formed(phrase, other, (), _own_serving_g(phrase, dry))
    return Formed(phrase, match, () if _is_dry(food) else (form,))


def _own_serving_g(phrase: Phrase, food: Food) -> float | None:
    """Return the weight of a phrase's unit, such as a packet, from the dry food's servings."""
    if phrase.mass_g is not None or phrase.volume_ml is not None:
        return None
    portion = portion_grams(food, phrase.unit, phrase.size)
    return None if portion is None else portion.grams


def _prepared_match(phrase: Phrase, match: Match, matcher: Matcher, catalog: Catalog) -> Formed:
    """Return the match for a food made from a powder or mix, ignoring words such as "made up"."""
    rest = " ".join(_DRY.sub(" ", _MADE_UP.sub(" ", phrase.name)).split())
    for sought in (f"{rest} reconstituted", rest):
        for other in matcher.match(sought, _LIKELIEST):
            if not _is_dry(catalog.food(other.food_id)) and _is_same(rest, other, matcher):
                return Formed(replace(phrase, name=rest), other)
    return Formed(phrase, match)


def _cooked_match(
    phrase: Phrase, match: Match, dry: Food, matcher: Matcher, catalog: Catalog
) -> Formed:
    """Return the match for "cooked dried beans": beans in the same food group that are not dry."""
    cooked = _DRIED.sub("", phrase.name)
    for other in matcher.match(cooked, _LIKELIEST):
        food = catalog.food(other.food_id)
        if not _is_dry(food) and food.category == dry.category:
            return Formed(replace(phrase, name=cooked), other)
    return Formed(phrase, match)


def _is_same(rest: str, other: Match, matcher: Matcher) -> bool:
    """Return whether a match is the same food as the rest of a name, ignoring the form."""
    head = head_of(alike(" ".join(words(rest))))
    return head in other.held and matcher.share(rest, other) >= _SHARED


def _is_dry(food: Food) -> bool:
    weight_g = food.default_serving.weight_g
    if not weight_g:
        return False
    return sum(food.nutrients.get(key, 0.0) for key in _SOLIDS) >= _LEAST_SOLIDS * weight_g
