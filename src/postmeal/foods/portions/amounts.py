"""Weights of everyday amounts, such as a slice, a small bowl, two eggs or an unspecified amount."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from postmeal.foods.food import Food
from postmeal.foods.portions.features import Described, describe
from postmeal.foods.portions.model import MOST, Key, PortionModel
from postmeal.foods.portions.own_servings import own_measures
from postmeal.foods.portions.sizes import NEAR, size_named
from postmeal.foods.portions.units import BARE, UNITS, USUAL, VESSELS_ML, VOLUMES_ML, unit_named

Source = Literal["serving", "food portion", "model"]

_SAME: dict[str, tuple[str, ...]] = {
    "package": ("bag", "packet", "pouch"), "bag": ("package", "pouch", "packet"),
    "packet": ("package", "pouch", "bag"), "pouch": ("bag", "package"), "can": ("bottle",),
    "container": ("carton", "jar"), "carton": ("box", "container"), "box": ("carton", "package"),
    "strip": ("slice", "piece"), "slice": ("piece", "wedge"), "piece": ("slice", BARE),
    "wedge": ("slice", "piece"), "chunk": ("piece",), "square": ("piece",), "mug": ("cup",),
    "submarine": ("sandwich", BARE), "sandwich": (BARE,), "burger": ("sandwich", BARE),
    "patty": (BARE,), "bar": (BARE,), "link": (BARE, "piece"), "roll": (BARE, "piece"),
    "cake": (BARE, "piece"), "stick": (BARE,), "cookie": (BARE,), "biscuit": (BARE,),
    "cone": (BARE,), "meal": (BARE,), "ball": (BARE, "piece"), "drink": (BARE, "glass"),
    "steak": (BARE,), "fillet": (BARE, "piece"), "plate": ("bowl",), "order": ("serving",),
    "serving": ("order",), "round": (BARE,), "section": ("slice",), "nugget": (BARE, "piece"),
    "cracker": (BARE, "piece"), "tortilla": (BARE, "piece"), "floweret": ("piece",),
}  # fmt: skip
"""Units to use instead of a unit that a food does not have, most likely unit first."""

_PIECES = ("piece", "roll", "patty", "link", "bar", "sandwich", "taco", "bun", "fillet", "cake",
           "biscuit", "cookie", "cracker", "nugget", "burger")  # fmt: skip
_PARTS = {"half": 0.5, "quarter": 0.25}
_WHOLE_AMOUNTS = frozenset({"serving", "order", "meal"})
_SIZED = (BARE, "order", "drink", "serving", "bag", "sandwich", "cup", "package", "can", "bottle")
_NEAR_USUAL = 3.0  # maximum ratio of a sized serving to the usual amount, or its inverse
SIZE_RATIOS: dict[str, float] = {
    "extra large": 2.0, "large": 1.45, "thick": 1.4, "small": 0.7, "thin": 0.67, "kid": 0.55,
    "fun": 0.5, "snack": 0.35, "baby": 0.35, "mini": 0.3, "individual": 0.9, "king": 1.45,
    "sharing": 2.0,
}  # fmt: skip
"""Median ratios of the published portions of a size to the medium or regular portion of the same
unit and food. King and sharing sizes are rare and are treated as large and extra large."""

_ON_A_PLATE = frozenset({
    "Fried rice and lo/chow mein", "Stir-fry and soy-based sauce mixtures", "Rice mixed dishes",
    "Ramen and Asian broth-based soups", "Macaroni and cheese",
    "Pasta mixed dishes, excludes macaroni and cheese",
})  # fmt: skip
"""Survey groups of dishes that are usually served on a plate or in a bowl, although the survey
assumes a cup if no amount is specified."""

_SCALABLE = frozenset({"small", "medium", "large", "extra large", "thin", "thick", "regular"})
_POURED = frozenset({"fl oz", "drink"})
_MOST_PORTIONS = 2.0


@dataclass(frozen=True, slots=True)
class Portion:
    """Weight of an amount of food, with its 90% interval."""

    grams: float
    low_g: float
    high_g: float
    source: Source


def portion_grams(food: Food, unit: str, size: str | None = None) -> Portion | None:
    """Return the weight of one unit of a food.

    The weight is that of the food's serving in this unit. If the food does not have such a serving,
    the weight of a serving in a similar unit is used ("bag" for "package"). If it does not have one
    either, the portion model predicts the weight.

    Examples
    --------
    >>> from postmeal.foods.catalog import Catalog
    >>> banana = Catalog.open().search("banana")[0]
    >>> portion_grams(banana, "", "large").grams, portion_grams(banana, "cup").source
    (136.0, 'serving')
    """
    described, own = _described(food), _own_measures(food)
    unit, size = unit_named(unit), size_named(size or "")
    if unit in described.words or unit == described.head:
        unit = unit if (unit, size) in own or (unit, "") in own else BARE
    if unit == BARE and not size and any(key[0] in _POURED for key in own):
        return usual_grams(food)  # "a cola"
    model = PortionModel.shipped()
    instead = unit in model.model_first and not is_surveyed(food)
    if not instead and (own_g := _own(own, unit, size)) is not None:
        return _portion(own_g, "=serving", "serving")
    if unit in _PARTS and (whole := portion_grams(food, BARE, size)) is not None:
        part = _PARTS[unit]
        return Portion(whole.grams * part, whole.low_g * part, whole.high_g * part, whole.source)
    if unit in _WHOLE_AMOUNTS or (unit == BARE and not _by_the_piece(described, own)):
        return usual_grams(food, size)
    if unit in VESSELS_ML:
        cup = portion_grams(food, "cup")
        volume_ml = VESSELS_ML[unit] * SIZE_RATIOS.get(size, 1.0)
        return cup and _portion(cup.grams * volume_ml / VOLUMES_ML["cup"], unit, "model")
    if unit not in UNITS:
        return None
    return _portion(model.grams(described, unit, size, {} if instead else own), unit, "model")


def stated_grams(food: Food, unit: str, size: str | None = None) -> Portion | None:
    """Return the weight of one unit if a food has a serving with exactly this unit and size.

    Only foods from sources other than SR28 are considered, such as FNDDS and postmeal's dishes.
    """
    if not is_surveyed(food):
        return None
    own, key = _own_measures(food), (unit_named(unit), size_named(size or ""))
    if key[0] in _described(food).words:
        key = (BARE, key[1])
    return _portion(own[key], "=serving", "serving") if key in own else None


def own_piece_grams(food: Food) -> float | None:
    """Return the weight of one piece if exactly one serving of a food is a piece without a size."""
    own = _own_measures(food)
    pieces = [own[unit, ""] for unit in (BARE, "piece") if (unit, "") in own]
    return pieces[0] if len(pieces) == 1 else None


def is_surveyed(food: Food) -> bool:
    """Return whether a food may have servings from the survey FNDDS because it is not from SR28."""
    return food.category not in PortionModel.shipped().model_first


def usual_grams(food: Food, size: str | None = None) -> Portion:
    """Return the weight of a food without an amount, as the US dietary survey assumes it.

    Examples
    --------
    >>> from postmeal.foods.catalog import Catalog
    >>> usual_grams(Catalog.open().search("cooked white rice")[0]).source
    'model'
    """
    described, own = _described(food), _own_measures(food)
    model = PortionModel.shipped()
    stated = model.usual_g.get(food.id)
    label = food.default_serving if food.kind == "branded" or is_surveyed(food) else None
    if stated is None and label and label.unit != "g" and label.weight_g and not size:
        return _portion(label.weight_g, "=serving", "serving")
    grams = model.grams(described, USUAL, "", own) if stated is None else stated
    if food.category in _ON_A_PLATE and {unit for unit, _ in own} <= {"cup"} and own:
        grams = max(grams, own.get(("cup", ""), 0.0) * VESSELS_ML["plate"] / VOLUMES_ML["cup"])
    named = size_named(size or "")
    if named and named not in ("medium", "regular"):
        return _sized(own, grams, named)
    return _portion(grams, USUAL, "model" if stated is None else "food portion")


def most_plausible_grams(food: Food) -> float:
    """Return the largest plausible amount of a food at a meal, in grams.

    The amount is twice the 99th percentile of the portions of the food's group in the US dietary
    survey (FNDDS), because people may eat several portions. It is also at least twice the usual
    amount of the food. In NutriBench v2 (arXiv:2407.12843), 99% of the amounts in grams are below
    1.4 times this percentile for meals from the United States, and below 1.5 times this percentile
    for meals from other countries.
    """
    described = _described(food)
    most = PortionModel.shipped().grams(described, MOST, "", {})
    return _MOST_PORTIONS * max(most, usual_grams(food).grams)


def _described(food: Food) -> Described:
    name = f"{food.description} ({food.brand_name})" if food.brand_name else food.description
    serving_g = food.default_serving.weight_g
    energy = food.nutrients.get("energy_kcal")
    if energy is not None:
        energy = energy * 100 / serving_g if serving_g else None
    return describe(name, food.category, energy)


def _own_measures(food: Food) -> dict[Key, float]:
    return own_measures(
        food.description, food.servings, PortionModel.shipped().usual_g.get(food.id)
    )


def _own(own: dict[Key, float], unit: str, size: str) -> float | None:
    for other in (unit, *_SAME.get(unit, ())):
        for near in (size, *NEAR.get(size, ())) if size else ("",):
            if (other, near) in own:
                return own[other, near]
        if (
            size in _SCALABLE
            and (other, "") in own
            and not any(key[0] == other and key[1] for key in own)
        ):
            return own[other, ""] * SIZE_RATIOS.get(size, 1.0)
    if unit in VOLUMES_ML:
        volumes = {VOLUMES_ML[u]: g for (u, s), g in own.items() if u in VOLUMES_ML and not s}
        if volumes:
            largest = max(volumes)
            return VOLUMES_ML[unit] * volumes[largest] / largest
    if unit == BARE:
        pieces = (own.get((piece, size), own.get((piece, ""))) for piece in _PIECES)
        return next((grams for grams in pieces if grams is not None), None)
    return None


def _by_the_piece(food: Described, own: dict[Key, float]) -> bool:
    """Return whether a count without a unit means pieces of unknown weight and not servings."""
    poured = any(unit in VOLUMES_ML for unit, _ in own)
    return PortionModel.shipped().is_countable(food) and not (
        poured and len(own) <= len(VOLUMES_ML)
    )


def _sized(own: dict[Key, float], usual_g: float, size: str) -> Portion:
    """Return the weight of a food's serving of a size, or else a multiple of the usual amount.

    If several servings have this size, the one closest to this multiple is used. If its weight and
    the usual amount differ by more than a factor of 3, the usual amount is returned.
    """
    wanted_g = usual_g * SIZE_RATIOS.get(size, 1.0)
    for near in (size, *NEAR.get(size, ())):
        fitting = [own[unit, near] for unit in _SIZED if (unit, near) in own]
        if fitting:
            grams = min(fitting, key=lambda own_g: abs(math.log(own_g / wanted_g)))
            if max(grams / usual_g, usual_g / grams) <= _NEAR_USUAL:
                return _portion(grams, "=serving", "serving")
            return _portion(usual_g, USUAL, "model")  # "large grapes" weigh as much as "grapes"
    return _portion(wanted_g, USUAL, "model")


def _portion(grams: float, errors: str, source: Source) -> Portion:
    limits = PortionModel.shipped().errors
    low, high = limits.get(errors, limits["*"])
    return Portion(grams, grams * math.exp(low), grams * math.exp(high), source)
