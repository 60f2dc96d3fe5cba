"""Compute from recipes the nutrients of dishes and staples that the publishers' data lacks.

The recipes in ``dishes.csv`` were written for postmeal. A recipe states the ingredients of a
home-made dish in grams, and the weight of the finished dish. The dish has the nutrients of its
ingredients. Weight that is gained or lost during cooking is treated as water, and losses of
vitamins are not subtracted. The weights of finished dishes follow the yields in Bognár, Tables on
Weight Yield of Food and Retention Factors of Food Constituents, BFE-R-02-03 (2002), and in the USDA
Table of Cooking Yields for Meat and Poultry (2012).
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from postmeal.errors import DataSetError
from postmeal.foods.food import CatalogKind
from postmeal.foods.glycemic import (
    MIN_AVAILABLE_CARBS_G,
    GlycemicIndex,
    index_of,
    index_of_recipe,
)
from postmeal.foods.nutrients import NUTRIENTS
from postmeal.foods.sources.labels.plausible_amounts import complete
from postmeal.foods.table import Portion, TableFood
from postmeal.foods.words import words

__all__ = ["Dish", "composition", "read_dishes"]

_AMOUNT = re.compile(r"(?P<weight_g>\d+(?:\.\d+)?) (?P<name>\S.*)")
_KINDS: Final[dict[str, CatalogKind]] = {"generic": "generic", "recipe": "dish"}
_MEASURE = re.compile(r"(?P<unit>\S.*) (?P<weight_g>\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Dish:
    """A dish made of other foods."""

    food: TableFood
    names: str


def read_dishes(
    path: Path, foods: Iterable[TableFood], everyday: Mapping[str, str], names: Mapping[str, str]
) -> list[Dish]:
    """Read the hand-written recipes and compute their nutrients."""
    known: dict[str, TableFood] = {}
    for food in foods:
        known.setdefault(_key(food.description), food)
    known.update({_key(name): known[_key(food)] for name, food in everyday.items()})
    dishes: list[Dish] = []
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            try:
                dish = _dish(line, known, names)
            except (DataSetError, ValueError, TypeError) as error:
                raise DataSetError(f"{path.name}: {line['name']}: {error}") from error
            for name in dish.names.split(";"):
                if _key(name) in known:
                    raise DataSetError(
                        f"{path.name}: {line['name']}: the name {name!r} is already in use"
                    )
                known[_key(name)] = dish.food
            dishes.append(dish)
    return dishes


def composition(
    ingredients: Iterable[tuple[float, TableFood]], cooked_g: float
) -> dict[str, float]:
    """Compute the nutrients per 100 g of a dish."""
    parts = list(ingredients)
    amounts: dict[str, float] = {}
    for nutrient in NUTRIENTS:
        if all(nutrient in food.per_100_g for _, food in parts):
            amounts[nutrient] = sum(grams * food.per_100_g[nutrient] for grams, food in parts) / 100
    if "water_g" in amounts:
        amounts["water_g"] += cooked_g - sum(grams for grams, _ in parts)
        if amounts["water_g"] < 0:
            raise DataSetError(
                "cooked_g must not be less than the weight of the dry matter of the"
                f" ingredients, got {cooked_g:g} g"
            )
    return complete({key: _round(amount * 100 / cooked_g) for key, amount in amounts.items()})


def _dish(line: dict[str, str], known: dict[str, TableFood], names: Mapping[str, str]) -> Dish:
    if None in line.values():
        n_fields = sum(value is not None for value in line.values())
        raise DataSetError(f"the row must have {len(line)} fields, got {n_fields}")
    if line["kind"] not in _KINDS:
        raise DataSetError(f"kind must be one of: {', '.join(_KINDS)}; got {line['kind']!r}")
    ingredients = []
    for text in line["ingredients"].split("; "):
        if not (match := _AMOUNT.fullmatch(text)):
            raise DataSetError(f"an ingredient must be a weight in grams and a name, got {text!r}")
        if not (food := known.get(_key(match["name"]))):
            raise DataSetError(f"no food has the name of the ingredient {match['name']!r}")
        ingredients.append((float(match["weight_g"]), food))
    portions = [Portion(1, 100, "g", 100)]
    for number, text in enumerate(filter(None, line["servings"].split("; ")), 2):
        if not (measure := _MEASURE.fullmatch(text)):
            raise DataSetError(f"a serving must be a unit and its weight in grams, got {text!r}")
        portions.append(Portion(number, 1, measure["unit"], float(measure["weight_g"])))
    food = TableFood(
        source="postmeal",
        key=line["name"],
        kind=_KINDS[line["kind"]],
        category=line["category"],
        name=line["name"],
        description=line["name"],
        portions=tuple(portions),
        per_100_g=composition(ingredients, float(line["cooked_g"])),
        added_sugars_estimated=any(food.added_sugars_estimated for _, food in ingredients),
    )
    carbs_g, fiber_g = food.per_100_g.get("carbs_g", 0.0), food.per_100_g.get("fiber_g", 0.0)
    if carbs_g - fiber_g >= MIN_AVAILABLE_CARBS_G:
        food = food.with_index(index_of_recipe(_indices(ingredients)))
    return Dish(food.with_default(portions[min(1, len(portions) - 1)]), names[line["name"]])


def _indices(
    ingredients: Iterable[tuple[float, TableFood]],
) -> Iterator[tuple[float, GlycemicIndex]]:
    """Yield the available carbohydrate in grams and the index of each ingredient."""
    for grams, food in ingredients:
        carbs_g = food.per_100_g.get("carbs_g", math.nan)
        available_g = grams / 100 * (carbs_g - food.per_100_g.get("fiber_g", 0.0))
        index = GlycemicIndex(food.glycemic_index, food.gi_source, food.gi_sd, food.gi_in_model)
        if food.source != "postmeal":
            index = index_of(food.description, food.category, food.per_100_g)
        yield available_g, index


def _key(text: str) -> str:
    return " ".join(words(text))


def _round(amount: float) -> float:
    return float(f"{amount:.4g}")
