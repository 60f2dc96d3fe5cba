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
from numpy.typing import NDArray

from postmeal.foods.alternatives.kinds import EatenAs, eaten_as
from postmeal.foods.alternatives.nutrient_profile import (
    HIGH_ABOVE,
    LESS_HEALTHY_DRINK,
    LESS_HEALTHY_FOOD,
    POINT_STEPS,
    Profile,
    fine_points,
    nutrient_profile,
)
from postmeal.foods.alternatives.vetoes import is_never_recommended, is_vetoed
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.words import senses
from postmeal.foods.food import Food
from postmeal.foods.words import words

_MOST = 20_000  # maximum number of foods of each kind; usually there are only thousands
_UNREADY = re.compile(
    r"\b(uncooked|unprepared|dry(?!.(roasted|heat))|powder(ed)?|concentrate|condensed|dough|"
    r"undiluted|unheated|not reconstituted|(?<!trail )(?<!snack )mix)\b",
    re.IGNORECASE,
)
_COOKED_FAMILIES = {"meat", "cured meat", "fish", "eggs", "sides of grain", "sides of potato",
                    "legumes", "breakfast grains"}  # fmt: skip
_COOKED_VEGETABLES = {"amaranth", "artichoke", "asparagus", "bamboo", "brussel", "burdock",
                      "cardoon", "chrysanthemum", "collard", "cowpea", "dock", "drumstick",
                      "eggplant", "fern", "gourd", "grape", "jute", "lotus", "morel", "mustard",
                      "nopale", "okra", "pokeberry", "potherb", "pumpkin", "rutabaga", "salsify",
                      "shiitake", "squash", "swamp", "taro", "turnip", "winged"}  # fmt: skip
"""Words for vegetables that people eat only cooked; some are toxic if raw."""
_DRIED = {"dried", "dehydrated", "flake"}
"""Words for vegetables that people soak before they eat them."""
_TOLD = ("peanuts", "eggs", "wheat")  # verdicts are unknown if a word of a name is not recognized
_ASIDE = re.compile(r"\([^)]*\)")
_SWELLING = {"sides of grain", "legumes", "drinks"}
_SPRINKLED = {"salts", "herbs", "savoury seasonings"}  # eaten unprepared, even as powders
_GLASSES = {"drinks", "alcohol", "spirits"}
_DRUNK = {"drinks", "milks", "alcohol", "spirits"}
_DRY_KCAL_PER_G = 2.4  # higher than the energy density of any cooked or dissolved food


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties by which a food is compared with its alternatives."""

    eaten_as: EatenAs | None
    tells: frozenset[str]
    words: frozenset[str]
    is_ready: bool
    profile: Profile
    points: float
    energy_kcal_per_g: float
    in_excess: tuple[float, ...]
    most_in_excess: tuple[float, ...]
    limited: tuple[float, ...]

    @property
    def is_drink(self) -> bool:
        """Whether the nutrient profiling model applies the limits for drinks to this food."""
        return self.eaten_as is not None and self.eaten_as.family in _GLASSES

    @property
    def is_less_healthy(self) -> bool:
        """Whether the food is certainly "less healthy" in the nutrient profiling model."""
        return self.profile.least >= self._limit

    @property
    def may_be_less_healthy(self) -> bool:
        """Whether the food may be "less healthy", given that some nutrients may be unknown."""
        return self.profile.most >= self._limit

    @property
    def _limit(self) -> int:
        return LESS_HEALTHY_DRINK if self.is_drink else LESS_HEALTHY_FOOD


def traits_of(food: Food) -> Traits:
    """Return the properties by which a food is compared with its alternatives."""
    kind = eaten_as(food.description, food.category)
    held = words(food.description)
    tells = [
        sense
        for sense in senses(_ASIDE.sub("", food.description))
        if sense.is_food or not sense.is_known
    ]
    family = kind.family if kind else ""
    is_raw = _is_cooked_to_eat(family, frozenset(held))
    default_g = food.default_serving.weight_g
    dense = food.nutrients.amount("energy_kcal") / default_g if default_g else math.nan
    amounts, is_plant = per_100_g(food), _is_plant(food, kind)
    parts = {"saturated_fat_g": "fat_g", "sugars_g": "carbs_g"}
    most = {part: amounts[whole] for part, whole in parts.items() if whole in amounts}
    excess, at_most = _in_excess(amounts, family), {**most, **amounts}
    is_dry = family in _SWELLING and dense > _DRY_KCAL_PER_G
    return Traits(
        kind,
        frozenset(word for sense in tells for word in sense.phrase.split()),
        frozenset(held),
        family in _SPRINKLED or not (is_raw or is_dry or _UNREADY.search(food.description)),
        nutrient_profile(amounts, is_plant=is_plant),
        fine_points(amounts, is_plant=is_plant),
        dense,
        excess,
        excess if len(at_most) == len(amounts) else _in_excess(at_most, family),
        _limited(amounts, is_plant=is_plant),
    )


def _is_cooked_to_eat(family: str, held: frozenset[str]) -> bool:
    """Return whether a food with these words in its name is cooked or soaked before it is eaten."""
    if family == "vegetables":
        is_raw = "raw" in held and "zucchini" not in held
        return bool(held & _DRIED or (is_raw and held & _COOKED_VEGETABLES))
    return "raw" in held and family in _COOKED_FAMILIES and "tofu" not in held


def per_100_g(food: Food) -> dict[str, float]:
    """Return the known nutrients per 100 g; empty if the mass of the default serving is unknown."""
    default_g = food.default_serving.weight_g
    return (food.nutrients * (100 / default_g)).known() if default_g else {}


def _limited(amounts: Mapping[str, float], *, is_plant: bool) -> tuple[float, ...]:
    """Return the profile points of the nutrients to limit; unknown amounts count as zero."""
    counted = {**amounts, "sugars_g": 0.0} if is_plant else amounts
    return tuple(counted.get(key, 0.0) / step for key, step in POINT_STEPS.items())


def _in_excess(amounts: Mapping[str, float], family: str) -> tuple[float, ...]:
    scale = 0.5 if family in _DRUNK else 1.0  # limits for drinks are half as high
    held = ((amounts.get(key, 0.0), scale * limit) for key, limit in HIGH_ABOVE.items())
    return tuple(amount if amount > limit else 0.0 for amount, limit in held)


def _is_plant(food: Food, kind: EatenAs | None) -> bool:
    """Return whether a food consists only of fruit, vegetables, nuts or legumes."""
    if kind is None or not kind.is_plant or not _is_basic(food):
        return False
    rule = "gluten" if kind.name in ("beans", "nuts") else "paleo"
    return food.diets[rule] == "free" and food.diets["vegan"] == "free"


def _is_basic(food: Food) -> bool:
    return food.kind == "generic" and not food.is_dish


def _is_plain(food: Food) -> bool:
    return _is_basic(food) and all(food.diets[rule] != "unknown" for rule in _TOLD)


def is_recommended(food: Food, traits: Traits) -> bool:
    """Return whether a food can be recommended in place of any other food."""
    return not any(
        is_never_recommended(text, food.category, traits.eaten_as, traits.words)
        for text in {food.name, food.description}
    )


class Pool:
    """The generic foods and recipes of a catalog that can be recommended."""

    def __init__(self, catalog: Catalog) -> None:
        basic = (food for food in catalog.foods("generic") if not food.is_dish)
        read = (
            (place, food, traits_of(food))
            for foods in (basic, catalog.foods("dish"))
            for place, food in enumerate(islice(foods, _MOST), 1)
        )
        rows = [
            (food.id, food.diets.bits, place, _is_plain(food), traits)
            for place, food, traits in read
            if is_recommended(food, traits)
        ]
        self.ids, self.bits, self.places = (
            np.array([row[at] for row in rows], dtype=np.int64) for at in range(3)
        )
        self.is_plain = np.array([row[3] for row in rows], dtype=bool)
        self.traits = [row[4] for row in rows]
        traits = self.traits
        self.is_cooked = np.array(["raw" not in one.words for one in traits], dtype=bool)
        excess = [one.most_in_excess for one in traits]
        self.in_excess = np.array(excess, dtype=np.float64).reshape(-1, len(HIGH_ABOVE))
        limited = [one.limited for one in traits]
        self.limited = np.array(limited, dtype=np.float64).reshape(-1, len(POINT_STEPS))
        self.most_points = np.array([one.profile.most for one in traits], dtype=np.int64)
        self.is_less_healthy = np.array([one.may_be_less_healthy for one in traits], dtype=bool)
        self.points = np.array([one.points for one in traits])
        self.energy_kcal_per_g = np.array([one.energy_kcal_per_g for one in traits])
        self.is_ready = np.array([one.is_ready for one in traits], dtype=bool)
        kinds = {one.eaten_as.name: one.eaten_as for one in traits if one.eaten_as}
        self.kind_of = list(kinds.values())
        self.number_of = {kind: number for number, kind in enumerate(kinds, 1)}
        numbers = [self.number_of[one.eaten_as.name] if one.eaten_as else 0 for one in traits]
        self.kinds = np.array(numbers, dtype=np.int64)
        self.by_kind = {
            kind: np.flatnonzero(self.kinds == at) for kind, at in self.number_of.items()
        }
        families: dict[str, list[int]] = {}
        for at, one in enumerate(traits):
            if one.eaten_as is not None:
                families.setdefault(one.eaten_as.family, []).append(at)
        self.by_family = {family: np.array(at) for family, at in families.items()}
        self._vetoed: dict[EatenAs | None, NDArray[np.bool_]] = {}

    def vetoed_by(self, own: EatenAs | None) -> NDArray[np.bool_]:
        """Return a mask of the kinds, by number, that must not replace foods of the given kind."""
        if own not in self._vetoed:
            others = (own is not None and is_vetoed(own, other) for other in self.kind_of)
            self._vetoed[own] = np.array([False, *others])
        return self._vetoed[own]


_pools: WeakKeyDictionary[Catalog, Pool] = WeakKeyDictionary()
_making = Lock()


def pool_of(catalog: Catalog) -> Pool:
    """Return the pool of a catalog; the first call for a catalog takes up to a second."""
    if (found := _pools.get(catalog)) is not None:
        return found
    with _making:
        if catalog not in _pools:
            _pools[catalog] = Pool(catalog)
        return _pools[catalog]
