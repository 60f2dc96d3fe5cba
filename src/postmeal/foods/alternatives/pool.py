"""Candidate foods for alternatives, as arrays for fast comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from postmeal.foods.alternatives.kinds import EatenAs, eaten_as
from postmeal.foods.alternatives.nutrient_profile import (
    HIGH_ABOVE,
    Profile,
    fine_points,
    nutrient_profile,
)
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.words import senses
from postmeal.foods.food import Food, FoodKind
from postmeal.foods.words import words

__all__ = ["Pool", "Traits", "is_for_tables", "per_100_g", "pool_of", "traits_of"]

_MOST = 20_000  # most popular foods of each kind; there are usually only thousands
_UNREADY = re.compile(
    r"\b(uncooked|unprepared|dry(?!.(roasted|heat))|powder(ed)?|concentrate|condensed|dough|"
    r"undiluted|unheated|not reconstituted|(?<!trail )(?<!snack )mix)\b",
    re.IGNORECASE,
)
_COOKED_FAMILIES = {"meat", "cured meat", "fish", "eggs", "sides of grain", "sides of potato",
                    "legumes"}  # fmt: skip
_TOLD = ("peanuts", "eggs", "wheat")  # unknown if any word of a name is not recognized
_ASIDE = re.compile(r"\([^)]*\)")
_SWELLING = {"sides of grain", "legumes", "drinks"}
_SPRINKLED = {"salts", "herbs", "savoury seasonings"}  # used as they are, even as powders
_DRUNK = {"drinks", "milks", "alcohol", "spirits"}
_DRY_KCAL_PER_G = 2.4  # higher than that of any cooked or dissolved food
_OFFAL = {"tripe", "gizzard", "brain", "lung", "spleen", "pancreas", "thymus", "variety", "feet",
          "giblet", "chitterling", "tail", "ear", "snout", "udder", "liver", "heart", "kidney",
          "tongue", "neck", "jowl", "head", "headcheese", "blood", "pate", "muskrat", "beaver",
          "squirrel", "raccoon", "opossum", "horse", "bear", "seal", "whale", "turtle",
          "frog"}  # fmt: skip
"""Words for meats that few people would eat instead of steak or chicken."""
_MEATS = {"meat", "cured meat", "fish"}
_FOR_KITCHENS = {"ingredient", "industrial", "commodity", "school", "usda", "use", "manufacturing",
                 "human", "babyfood"}  # fmt: skip
_VAGUE = re.compile(r"\bNS as to\b|\bNFS\b")
"""Marks survey foods that were not described in detail, so that they cannot be bought."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of a food that are used in the comparison with alternatives.

    Attributes
    ----------
    eaten_as : EatenAs or None
        Kind of the food; None if unknown.
    tells : frozenset of str
        Words that distinguish the food from other foods, unlike "raw" and "with salt".
    words : frozenset of str
        All words of the name.
    is_ready : bool
        Whether the food can be eaten as it is, unlike a dry mix or raw meat.
    profile : Profile
        Nutrient profile of the food.
    points : float
        Points of the nutrient profile on a continuous scale.
    energy_kcal_per_g : float
        Energy density in kcal/g; NaN if unknown.
    in_excess : tuple of float
        Amounts of saturated fat, sugars and sodium per 100 g, each 0 unless the food is high in it
        (see `nutrient_profile.HIGH_ABOVE`).
    """

    eaten_as: EatenAs | None
    tells: frozenset[str]
    words: frozenset[str]
    is_ready: bool
    profile: Profile
    points: float
    energy_kcal_per_g: float
    in_excess: tuple[float, ...]


def traits_of(food: Food) -> Traits:
    """Return the properties of a food that are used in the comparison with alternatives."""
    kind = eaten_as(food.name, food.category)
    held = words(food.name)
    tells = [
        sense for sense in senses(_ASIDE.sub("", food.name)) if sense.is_food or not sense.is_known
    ]
    family = kind.family if kind else ""
    is_raw = "raw" in held and family in _COOKED_FAMILIES and "tofu" not in held
    dense = _energy_density(food)
    amounts, is_plant = per_100_g(food), _is_plant(food, kind)
    is_dry = family in _SWELLING and dense > _DRY_KCAL_PER_G
    return Traits(
        kind,
        frozenset(word for sense in tells for word in sense.phrase.split()),
        frozenset(held),
        family in _SPRINKLED or not (is_raw or is_dry or _UNREADY.search(food.name)),
        nutrient_profile(amounts, is_plant=is_plant),
        fine_points(amounts, is_plant=is_plant),
        dense,
        _in_excess(amounts, family),
    )


def per_100_g(food: Food) -> dict[str, float]:
    """Return the known amounts per 100 g; empty if the mass of the default serving is unknown."""
    default_g = food.default_serving.weight_g
    return (food.nutrients * (100 / default_g)).known() if default_g else {}


def _in_excess(amounts: Mapping[str, float], family: str) -> tuple[float, ...]:
    scale = 0.5 if family in _DRUNK else 1.0  # limits for drinks are half as high
    held = ((amounts.get(key, 0.0), scale * limit) for key, limit in HIGH_ABOVE.items())
    return tuple(amount if amount > limit else 0.0 for amount, limit in held)


def _is_plant(food: Food, kind: EatenAs | None) -> bool:
    """Return whether a food consists only of fruit, vegetables, nuts or legumes."""
    if kind is None or not kind.is_plant or food.kind != "generic":
        return False
    rule = "gluten" if kind.name in ("beans", "nuts") else "paleo"
    return food.diets[rule] == "free" and food.diets["vegan"] == "free"


def _energy_density(food: Food) -> float:
    grams = food.default_serving.weight_g
    return food.nutrients.amount("energy_kcal") / grams if grams else math.nan


def _is_plain(food: Food) -> bool:
    return food.kind == "generic" and all(food.diets[rule] != "unknown" for rule in _TOLD)


def is_for_tables(food: Food, traits: Traits) -> bool:
    """Return whether the kind of a food is known and people would choose to eat the food."""
    if traits.eaten_as is None or food.category == "American Indian/Alaska Native Foods":
        return False
    if traits.eaten_as.name == "energy drink":
        return False
    if traits.eaten_as.family in _MEATS and _OFFAL & traits.words:
        return False
    return not (_FOR_KITCHENS & traits.words or _VAGUE.search(food.name))


class Pool:
    """The generic foods and recipes of a catalog that can be recommended.

    Attributes
    ----------
    ids, bits : numpy.ndarray of shape (n_foods,)
        Food IDs, and diet verdicts as in `Diets.bits`.
    places : numpy.ndarray of shape (n_foods,)
        Popularity rank of each food within its kind of catalog entry, counted from 1.
    most_points : numpy.ndarray of shape (n_foods,)
        Maximum points of the nutrient profile.
    points : numpy.ndarray of shape (n_foods,)
        Points of the nutrient profile on a continuous scale.
    energy_kcal_per_g : numpy.ndarray of shape (n_foods,)
        Energy density in kcal/g; NaN if unknown.
    is_ready : numpy.ndarray of shape (n_foods,)
        Whether the food can be eaten as it is.
    is_cooked : numpy.ndarray of shape (n_foods,)
        Whether the name does not contain "raw".
    is_plain : numpy.ndarray of shape (n_foods,)
        Whether it is a generic food whose ingredients are all known.
    in_excess : numpy.ndarray of shape (n_foods, n_nutrients)
        Amounts of nutrients that a food is high in; see `Traits.in_excess`.
    traits : list of Traits
        Properties of each food.
    kinds : numpy.ndarray of shape (n_foods,)
        Number of each food's kind in `number_of`.
    number_of : dict of str to int
        Number of each kind, counted from 1.
    by_family, by_kind : dict of str to numpy.ndarray
        Indices of the foods of each family and of each kind.
    """

    def __init__(self, catalog: Catalog) -> None:
        kinds: tuple[FoodKind, ...] = ("generic", "recipe")
        read = (
            (place, food, traits_of(food))
            for kind in kinds
            for place, food in enumerate(islice(catalog.foods(kind), _MOST), 1)
        )
        rows = [
            (food.id, food.diets.bits, place, _is_plain(food), traits)
            for place, food, traits in read
            if is_for_tables(food, traits)
        ]
        self.ids, self.bits, self.places = (
            np.array([row[at] for row in rows], dtype=np.int64) for at in range(3)
        )
        self.is_plain = np.array([row[3] for row in rows], dtype=bool)
        self.traits = [row[4] for row in rows]
        self.is_cooked = np.array(["raw" not in one.words for one in self.traits], dtype=bool)
        excess = [one.in_excess for one in self.traits]
        self.in_excess = np.array(excess, dtype=np.float64).reshape(-1, len(HIGH_ABOVE))
        self.most_points = np.array([one.profile.most for one in self.traits], dtype=np.int64)
        self.points = np.array([one.points for one in self.traits])
        self.energy_kcal_per_g = np.array([one.energy_kcal_per_g for one in self.traits])
        self.is_ready = np.array([one.is_ready for one in self.traits], dtype=bool)
        families: dict[str, list[int]] = {}
        kinds_of: dict[str, list[int]] = {}
        for at, one in enumerate(self.traits):
            if one.eaten_as is not None:
                families.setdefault(one.eaten_as.family, []).append(at)
                kinds_of.setdefault(one.eaten_as.name, []).append(at)
        self.by_family = {family: np.array(at) for family, at in families.items()}
        self.by_kind = {kind: np.array(at) for kind, at in kinds_of.items()}
        self.kinds = np.zeros(len(self.traits), dtype=np.int64)
        self.number_of = {kind: number for number, kind in enumerate(self.by_kind, 1)}
        for kind, places in self.by_kind.items():
            self.kinds[places] = self.number_of[kind]


_pools: WeakKeyDictionary[Catalog, Pool] = WeakKeyDictionary()
_making = Lock()


def pool_of(catalog: Catalog) -> Pool:
    """Return the pool of a catalog, which is built on the first call in less than a second."""
    if (found := _pools.get(catalog)) is not None:
        return found
    with _making:
        if catalog not in _pools:
            _pools[catalog] = Pool(catalog)
        return _pools[catalog]
