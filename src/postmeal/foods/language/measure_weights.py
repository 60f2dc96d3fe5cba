"""Weights of amounts in household measures: "a small bag" of chips, "2 medium slices" of toast.

A weight is taken from the first of these sources that has it: the food's portions in the US dietary
survey, the weights of its kind of food, and the predictions of `postmeal.foods.portions`.

The weights of kinds are in ``measure_weights.csv``. It has one row per kind, with a regular
expression that the words in the text must match, and the weights of measures in grams. The first
matching row is used, so specific kinds precede general ones. The measure ``1`` is one piece, for
texts that state only a number. The measure ``*`` is the typical amount, for texts without an
amount; it is never multiplied by a number of pieces.

The weights are rounded portion weights of the US Department of Agriculture, Agricultural Research
Service: Food and Nutrient Database for Dietary Studies 2021-2023 (2024), and National Nutrient
Database for Standard Reference, release 28.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.food import MAX_QUANTITY, Food, Selection
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.words.name_words import HOLDERS, after_the_head, alike
from postmeal.foods.portions import (
    is_surveyed,
    most_plausible_grams,
    own_piece_grams,
    portion_grams,
    stated_grams,
    usual_grams,
)
from postmeal.foods.words import name_words, words
from postmeal.words.units import VOLUME_ML

__all__ = ["Kind", "Weight", "is_powder", "kind_of", "selection_of", "weight_of"]

_ML_A_CUP = VOLUME_ML["cup"]
_TYPICAL_G = 100.0
_SAME_WEIGHT = 0.02
_SIZES = {
    "extra large": "extra large|x-?large|very large|venti|family",
    "large": "large|big|huge|jumbo|generous|hearty|tall|grande|full",
    "small": "small|little|very small",
    "medium": "medium|average|standard|good|decent",
    "mini": "mini|miniature|bite|tiny|cocktail",
    "fun": "fun",
    "snack": "snack|dipping",
    "king": "king",
    "sharing": "sharing|party|movie",
    "personal": "personal",
    "individual": "individual|single",
    "kid": "kid|child",
    "school": "school",
    "prepackaged": "prepackaged",
    "regular": "regular|nice",
    "thin": "thin",
    "thick": "thick",
    "cracker": "cracker",
    "bun": "bun",
    "half": "half",
    "footlong": "foot-?long",
}
_SIZE = [(size, re.compile(rf"\b(?:{words})")) for size, words in _SIZES.items()]
_NEAR = {
    "extra large": ("extra large", "large"),
    "thin": ("thin", "small"),
    "thick": ("thick", "large"),
    "mini": ("mini", "bite", "fun", "snack", "small"),
    "fun": ("fun", "snack", "mini", "small"),
    "snack": ("snack", "small"),
    "king": ("king", "large"),
    "sharing": ("sharing", "extra large", "large"),
    "kid": ("kid", "small"),
    "individual": ("individual", "single", "regular", "small"),
    "personal": ("personal", "small"),
    "regular": ("regular", "medium"),
}
"""Names of each size in the table, most likely first."""

_SAME = {
    "tbsp": ("tablespoon",), "tsp": ("teaspoon",), "spoonful": ("spoon", "tablespoon"),
    "spoon": ("spoon", "tablespoon"),
    "pack": ("package", "packet", "bag"), "twin-pack": ("package",), "multipack": ("package",),
    "packet": ("packet", "package", "bag"),
    "package": ("package", "bag", "packet"), "pouch": ("pouch", "bag", "package", "container"),
    "bag": ("bag", "package", "pouch"), "sachet": ("packet",), "envelope": ("packet",),
    "tub": ("tub", "container"), "cup": ("cup",), "carton": ("carton", "box", "container"),
    "container": ("container", "tub", "jar"), "tin": ("can",), "rasher": ("slice",),
    "strip": ("strip", "slice", "piece"), "slice": ("slice", "piece"),
    "piece": ("piece", "slice", "1"),
    "wedge": ("wedge", "slice", "piece"), "chunk": ("chunk", "piece", "slice"),
    "square": ("square", "piece"), "helping": ("serving",), "portion": ("portion", "serving"),
    "serving": ("serving",), "order": ("order", "serving"), "side": ("side", "serving", "order"),
    "mug": ("mug", "cup"), "plate": ("plate", "bowl"), "dish": ("bowl", "plate"),
    "platter": ("plate",), "drink": ("drink", "glass"), "ball": ("ball", "piece"),
    "floret": ("floret", "floweret"), "rib": ("rib", "piece"), "sub": ("sandwich",),
    "item": ("1",), "unit": ("1",), "single": ("single", "1"), "round": ("round", "1"),
    "section": ("section",),
    "cake": ("cake", "1"), "bite": ("bite", "mini"), "bar": ("bar", "1"), "meal": ("meal", "1"),
    "link": ("link", "1"), "patty": ("patty", "1"), "stick": ("stick", "1"), "cone": ("cone", "1"),
}  # fmt: skip
"""Names of each measure in the table, most likely first."""

_SIZE_IN_NAME = re.compile(
    r"\b(?:personal|fun|snack|king|bite|individual|miniature|mini|small|medium|foot-?long|"
    r"(?:extra[ -])?large)"
    r"\b(?:[ -]sized?)?(?![ -](?:crust|wheat|grain|curd|bar|mix))"
)
_DRUNK = re.compile(
    r"^(?:beverages?|coffee|tea|cocoa|hot chocolate|milk, dry|\w+ formula)\b|"
    r"\b(?:drink|beverage)\b",
    re.IGNORECASE,
)
_NO_DRINK = re.compile(r"creamer|syrup|concentrate|liqueur|alcoholic", re.IGNORECASE)
_SOLIDS = ("carbs_g", "protein_g", "fat_g")
_MOST_SOLIDS = 0.35  # grams of dry matter per gram: 0.2 in sweetened cocoa, 0.8 in powders
_DRY = re.compile(r"powder|\bdry|dried|\bmix\b|ground|granul|bean")
_LITTLE_G = 60.0
_SEVERAL_PIECES = 2.0
_ONE_OF_MANY = 0.5  # share of the typical amount below which a measure is one of several pieces
_CUPFUL_G = 150.0
_NEAR_PIECE = 1.15  # maximum ratio of a weight to the weight of the food's own piece
_MEDIUM_PIECE = re.compile(r"(?:medium|fruit)\b")
_OTHER_PIECE = 2.0  # ratio from which the weight of a food's own piece differs from its kind's
_MOST_COUNTED_G = 3000.0
_MOST_KEPT = 2.0  # ratio to the largest plausible amount from which a count is replaced
_DESSERT = frozenset({"dessert", "food", "dish", "drink", "product"})


class Kind(NamedTuple):
    """A kind of food, and the weights of its household measures."""

    name: str
    found_in: Callable[[str], re.Match[str] | None]
    """Function that searches for the kind in the name of a food."""
    measures: dict[str, float]
    """Grams by measure; ``1`` is one piece and ``*`` is the typical amount."""


class Weight(NamedTuple):
    """Weight of an amount of a food."""

    grams: float
    implausible: bool = False
    """Whether the text states more than `most_plausible_grams` of the food."""
    is_replaced: bool = False
    """Whether the stated amount was replaced with the usual amount."""


def weight_of(phrase: Phrase, food: Food, share: float = 1.0) -> Weight:
    """Return the weight of an amount of a food.

    A mass or volume in the text is used even if it is implausibly large. If a count results in an
    implausible weight, the count is multiplied by the weight of a piece. If this weight is also
    implausible, the usual amount of the food is used. A count of pieces or measures whose weight is
    one of the food's servings is kept up to twice the largest plausible amount.
    """
    kind = kind_of(phrase.name, food)
    if kind is None and phrase.unit and not is_surveyed(food):
        kind = _called(food.description.casefold())  # "a bag of ready salted" means potato chips
    measures = kind.measures if kind else {}
    most = most_plausible_grams(food)
    stated = _stated(phrase, food, measures)
    if stated is not None:
        return Weight(stated, implausible=share * stated > most)
    counted_g = _counted(phrase, food, measures)
    if share * counted_g <= most:
        return Weight(min(_as_served(phrase, food, counted_g), _MOST_COUNTED_G))
    piece = portion_grams(food, phrase.unit, phrase.size)
    grams = (phrase.count or 1.0) * piece.grams if piece else math.inf
    is_known = piece is not None and piece.source == "serving"
    is_known = is_known and bool(phrase.unit or own_piece_grams(food))
    if share * grams > (_MOST_KEPT if is_known else 1.0) * most:
        return Weight(usual_grams(food).grams, implausible=True, is_replaced=True)
    kept_g = min(_as_served(phrase, food, grams), _MOST_COUNTED_G)
    return Weight(kept_g, implausible=share * grams > most)


def _as_served(phrase: Phrase, food: Food, grams: float) -> float:
    """Return the weight of the food's own medium piece if a counted piece weighs about as much.

    FNDDS and SR28 state slightly different weights for the same piece: a banana weighs 126 g or
    118 g. For a count without a unit, the weight of the catalog's serving is used, as in
    `postmeal.foods.language.parse_meal`.
    """
    serving = food.default_serving
    is_piece = serving.weight_g and _MEDIUM_PIECE.match(serving.unit)
    if phrase.unit or phrase.size or is_surveyed(food) or not is_piece:
        return grams
    own_g = (phrase.count or 1.0) * (serving.weight_g or 0.0) / serving.quantity
    return own_g if 1 / _NEAR_PIECE <= grams / own_g <= _NEAR_PIECE else grams


def _stated(phrase: Phrase, food: Food, measures: dict[str, float]) -> float | None:
    """Return the mass stated in a phrase, or the mass of the stated volume, in grams."""
    if phrase.mass_g is not None:
        if phrase.in_ounces and "fl oz" in measures:
            return phrase.mass_g / 28.349523125 * measures["fl oz"]
        return phrase.mass_g
    return None if phrase.volume_ml is None else phrase.volume_ml * _density(food, measures)


def _counted(phrase: Phrase, food: Food, measures: dict[str, float]) -> float:
    """Return the weight of a number of household measures, or of a typical serving, in grams."""
    count = 1.0 if phrase.count is None else phrase.count
    size = phrase.size
    if not size and (match := _SIZE_IN_NAME.search(phrase.name)):
        size = match[0]  # "a frozen personal size pizza"
    sizes = [one for one, pattern in _SIZE if pattern.search(size)]
    if phrase.count is None and sizes and sizes[0] in ("mini", "snack"):
        sizes = []  # "some bite-sized crackers" are one serving
    whole = portion_grams(food, "", size) if count < 1 and not phrase.unit else None
    if whole is not None and whole.grams > _SEVERAL_PIECES * measures.get("1", 0.0):
        return count * whole.grams  # "a third of a pizza" is not a third of a slice
    units = _units(phrase, food, measures)
    named_g = usual_grams(food).grams if is_surveyed(food) else measures.get("*")
    if phrase.count is None and not phrase.unit:
        if not sizes and named_g is not None:
            return named_g
    elif _is_named(phrase, food) and (stated := stated_grams(food, phrase.unit, size)) is not None:
        return count * stated.grams
    if not units and not sizes and "1" in measures and _is_named(phrase, food):
        own_g = own_piece_grams(food)
        if own_g is not None and not 1 / _OTHER_PIECE < own_g / measures["1"] < _OTHER_PIECE:
            return count * own_g  # a date weighs 8 g, and a medjool date weighs 24 g
    several = not units and phrase.count is None and phrase.name.endswith("s")
    for key in _keys(units, sizes, phrase):
        if several and measures.get(key, 0.0) < _ONE_OF_MANY * measures.get("*", 0.0):
            continue  # "large grapes" are a usual serving; "small fries" are a small serving
        if key in measures and key != "*":
            return count * measures[key]
    if phrase.count is None and not phrase.unit:
        return named_g or usual_grams(food, "" if several else size).grams
    unit = phrase.unit or next(iter(units), "")
    if unit in VOLUME_ML:
        return count * VOLUME_ML[unit] * _density(food, measures)
    portion = portion_grams(food, unit, size)
    return count * (portion or usual_grams(food, size)).grams


def _is_named(phrase: Phrase, food: Food) -> bool:
    """Return whether the name of the food contains every word of the name in the phrase."""
    return set(words(phrase.name)) <= {*words(food.description), *words(food.brand_name or "")}


def selection_of(phrase: Phrase, food: Food, weight_g: float) -> Selection | None:
    """Create a selection with a given mass of a food.

    If the food has the serving that the text names, this serving is used. Otherwise, the amount is
    in grams.
    """
    if not weight_g > 0:
        return None
    if phrase.count and phrase.mass_g is None and phrase.volume_ml is None:
        quantity = min(phrase.count, MAX_QUANTITY)
        for serving in food.servings:
            one_g = (serving.weight_g or 0.0) / serving.quantity
            if serving.unit != "g" and abs(one_g * phrase.count / weight_g - 1) < _SAME_WEIGHT:
                return Selection(food, serving, quantity)
    for serving in food.servings:
        if serving.unit == "g":
            return Selection(food, serving, min(weight_g, MAX_QUANTITY))
    return Selection(food, food.default_serving, min(phrase.count or 1.0, MAX_QUANTITY))


def is_powder(name: str, food: Food, weight_g: float) -> bool:
    """Return whether a food is a drink powder although the text refers to the prepared drink.

    A cup always means the drink. A smaller amount means the drink if the text does not mention a
    powder.
    """
    if (
        weight_g < _LITTLE_G
        or not _DRUNK.search(food.description)
        or _NO_DRINK.search(food.description)
    ):
        return False
    serving = food.default_serving
    solids_g = sum(food.nutrients.get(key, 0.0) for key in _SOLIDS)
    powder = solids_g > _MOST_SOLIDS * (serving.weight_g or _TYPICAL_G)
    return powder and (weight_g >= _CUPFUL_G or not _DRY.search(name))


def kind_of(name: str, food: Food) -> Kind | None:
    """Return the kind of food that the words of a text name.

    The words must name the food itself and not only describe it: the kind of "a shrimp sandwich" is
    not "shrimp".
    """
    kind = _called(name.casefold())
    if kind is None:
        return None
    own, identifying = name_words(food.description)
    heads = {*_heads(words(name)), *_heads(own[:identifying])}
    for text in (name.casefold(), food.description.casefold()):
        found = kind.found_in(text)
        if found and not heads.isdisjoint(alike(" ".join(words(f"{found[0]} {kind.name}")))):
            return kind
    return None


def _heads(name: list[str]) -> list[str]:
    """Return the head word of a name, and the word before it if it also identifies the food."""
    said = alike(" ".join(name))
    last = said[: after_the_head(said)][-2:]
    return last if last[:1] and (last[0] in HOLDERS or last[-1] in _DESSERT) else last[-1:]


@lru_cache(4096)
def _called(text: str) -> Kind | None:
    return next((kind for kind in _kinds() if kind.found_in(text)), None)


@lru_cache(1)
def _kinds() -> tuple[Kind, ...]:
    file = files("postmeal.foods.language").joinpath("measure_weights.csv")
    table = file.read_text(encoding="utf-8")
    return tuple(
        Kind(row["kind"], re.compile(row["words"]).search, _measures(row["measures"]))
        for row in csv.DictReader(table.splitlines())
    )


def _measures(text: str) -> dict[str, float]:
    pairs = (pair.split("=") for pair in text.split(";"))
    return {measure.strip(): float(grams) for measure, grams in pairs}


def _units(phrase: Phrase, food: Food, measures: dict[str, float]) -> list[str]:
    """Return the names of a phrase's measure; it may be in the food name, as in "a granola bar".

    A word before the head that the matched food lacks may name the piece: "5 cherry tomatoes".
    """
    unit = phrase.unit
    if not unit and phrase.count is not None:
        said = phrase.name.split(" ")
        last = said[-1].removesuffix("s")
        if last in _SAME and last in measures:
            unit = last
        else:
            own = set(words(food.description))
            unit = next((word for word in said[:-1] if word in measures and word not in own), "")
    return list(_SAME.get(unit, (unit,))) if unit else []


def _keys(units: list[str], sizes: list[str], phrase: Phrase) -> list[str]:
    """Return the keys of the table that match a measure and its size, best match first."""
    near = [other for size in sizes for other in _NEAR.get(size, (size,))]
    keys = [f"{size} {unit}" for unit in units for size in near]
    if not phrase.unit:  # the measure was the last word of the name
        keys += near
    if units and "1" not in units:
        keys += units
        if units[0] in ("serving", "portion", "side", "order", "breast", "thigh", "leg"):
            keys += [*near, "1" if near else "*"]
        return keys
    keys += [*near, *(unit for unit in units if unit != "1")]
    return [*keys, "1"] if phrase.count is not None or sizes else keys


def _density(food: Food, measures: dict[str, float]) -> float:
    """Return the density of a food in grams per milliliter."""
    if "fl oz" in measures:
        return measures["fl oz"] / VOLUME_ML["fl oz"]
    if "cup" in measures:
        return measures["cup"] / _ML_A_CUP
    cup = portion_grams(food, "cup")
    return cup.grams / _ML_A_CUP if cup is not None and cup.source == "serving" else 1.0
