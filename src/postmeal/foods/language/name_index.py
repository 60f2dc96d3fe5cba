"""Index the names of a catalog's foods as arrays, for `postmeal.foods.language.matching`.

Words that are rare in food names have larger weights, so that "tuna" weighs more than "canned"
(inverse document frequency, Spärck Jones 1972, doi:10.1108/eb026526).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.catalog import ShippedName
from postmeal.foods.language.words.name_words import (
    COOKED,
    EATEN_COOKED,
    FILLERS,
    SHARP,
    VAGUE,
    all_alike,
    head_of,
)
from postmeal.foods.words import words

_WORTH_OF_FILLER = 0.12
_WORTH_OF_VAGUE = 0.5
_WORTH_OF_SHARP = 2.0
_COST_OF_SHARP = 2.2
_AFTER_THE_COMMA = 0.6
_EVERYDAY = 0.03
_EATEN = 0.08
_BRANDED = 0.15
_RARITY = 0.02
_UNKNOWN_WORD = 0.5
_RAW = frozenset({"raw", "uncooked", "dry", "unprepared"})
_REFERENCE_GROUPS = frozenset((
    "American Indian/Alaska Native Foods", "Baby Foods", "Baked Products", "Beef Products",
    "Beverages", "Breakfast Cereals", "Cereal Grains and Pasta", "Dairy and Egg Products",
    "Fast Foods", "Fats and Oils", "Finfish and Shellfish Products", "Fruits and Fruit Juices",
    "Lamb, Veal, and Game Products", "Legumes and Legume Products",
    "Meals, Entrees, and Side Dishes", "Nut and Seed Products", "Pork Products",
    "Poultry Products", "Restaurant Foods", "Sausages and Luncheon Meats", "Snacks",
    "Soups, Sauces, and Gravies", "Spices and Herbs", "Sweets",
    "Vegetables and Vegetable Products",
))  # fmt: skip
"""Food groups of the reference database SR28; other sources describe foods as eaten."""


@dataclass(frozen=True)
class NameIndex:
    """All names of the listed foods: the published name and the everyday names of each food."""

    number: dict[str, int]
    worth: NDArray[np.float64]
    unknown_worth: float
    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    costs: NDArray[np.float64]
    more: NDArray[np.float64]
    prior: NDArray[np.float64]
    head: NDArray[np.int64]
    other_head: NDArray[np.int64]
    raw: NDArray[np.bool_]
    length: NDArray[np.int64]
    food_id: NDArray[np.int64]
    words: list[list[str]]
    called: dict[str, int]

    def worth_of(self, word: str) -> float:
        """Return the weight of a word in a name that is looked up."""
        if (number := self.number.get(word)) is not None:
            return float(self.worth[number])
        return self.unknown_worth * _worth(word)


def name_index(foods: list[ShippedName]) -> NameIndex:
    """Build the index of the names of foods."""
    own = all_alike([food.words for food in foods])
    heads = all_alike([" ".join(food.words.split()[: food.head]) for food in foods])
    others = iter(all_alike([name for food in foods for name in food.also]))
    names: list[list[str]] = []
    head_words: list[list[str]] = []
    of_food: list[ShippedName] = []
    is_also: list[bool] = []
    called: dict[str, int] = {}
    for food, name, head in zip(foods, own, heads, strict=True):
        brand = words(food.brand_name) if food.brand_name else []
        names.append(list(dict.fromkeys([*name, *brand])))
        head_words.append(head if set(head) <= set(name) else name[:1])
        for other in food.also:
            called.setdefault(other, len(names))
            names.append(list(dict.fromkeys(next(others))))
            head_words.append(names[-1])
        of_food += [food] * (1 + len(food.also))
        is_also += [False, *[True] * len(food.also)]
    for place, food in enumerate(of_food):
        if not is_also[place]:
            called.setdefault(food.words, place)
    number: dict[str, int] = {}
    held = np.array(
        [number.setdefault(w, len(number)) for name in names for w in name], dtype=np.int64
    )
    length = np.array([len(name) for name in names], dtype=np.int64)
    owner = np.repeat(np.arange(len(names)), length)
    position = np.arange(len(held)) - np.repeat(np.cumsum(length) - length, length)
    part = np.where(position < np.repeat([len(h) for h in head_words], length), 1, _AFTER_THE_COMMA)
    rarity = np.log(1 + len(names) / np.bincount(held, minlength=len(number)))
    costs = (rarity * np.array([_cost_unsaid(word) for word in number]))[held] * part
    order = np.argsort(held, kind="stable")
    last = max((food.place for food in foods), default=1)
    return NameIndex(
        number=number,
        worth=rarity * np.array([_worth(word) for word in number]),
        unknown_worth=float(np.log(1 + len(names)) * _UNKNOWN_WORD),
        starts=np.searchsorted(held[order], np.arange(len(number) + 1)),
        places=owner[order],
        costs=costs[order],
        more=np.asarray(np.bincount(owner, costs, len(names)), dtype=np.float64),
        prior=np.array(
            [_prior(food, also, last) for food, also in zip(of_food, is_also, strict=True)]
        ),
        head=np.array([number.get(head_of(head), -1) for head in head_words], dtype=np.int64),
        other_head=np.array([number.get(_before_or(head), -1) for head in head_words]),
        raw=np.array([_is_raw(name) for name in names], dtype=bool),
        length=length,
        food_id=np.array([food.id for food in of_food]),
        words=names,
        called=called,
    )


def _worth(word: str) -> float:
    if word in FILLERS:
        return _WORTH_OF_FILLER
    if word in SHARP:
        return _WORTH_OF_SHARP
    return _WORTH_OF_VAGUE if word in VAGUE else 1.0


def _cost_unsaid(word: str) -> float:
    if word in FILLERS or word in COOKED:
        return _WORTH_OF_FILLER
    if word in SHARP:
        return _COST_OF_SHARP
    return _WORTH_OF_VAGUE if word in VAGUE else 1.0


def _before_or(name: list[str]) -> str:
    if "or" in name[1:]:
        return name[name.index("or", 1) - 1]
    return head_of(name)


def _is_raw(name: list[str]) -> bool:
    return not _RAW.isdisjoint(name) and not EATEN_COOKED.isdisjoint(name)


def _prior(food: ShippedName, also: bool, last: int) -> float:
    prior = -_RARITY * math.log2(1 + 100 * food.place / last) / 7
    prior += _EVERYDAY if also else 0.0
    prior += _EATEN if also or food.category not in _REFERENCE_GROUPS else 0.0
    return prior - (_BRANDED if food.brand_name else 0.0)
