"""Facts about postmeal's own dishes, derived from their recipes.

A dish contains the ingredients of its recipe. The recipe never proves that a dish is free of an
ingredient, because cooks and restaurants vary recipes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from postmeal.foods.diets.words import senses


def has_recipe(name: str) -> bool:
    """Return whether postmeal has a recipe for a dish with this name."""
    return name in _recipes()


def facts_of_recipe(name: str) -> Iterator[tuple[str, int]]:
    """Yield the ingredients of a dish and the facts that each of them makes certain."""
    for part in _recipes().get(name, "").split(";"):
        ingredient = part.strip().partition(" ")[2]
        contains = 0
        for sense in senses(ingredient, listed=True):
            contains |= sense.contains
        if contains:
            yield ingredient, contains


@cache
def _recipes() -> dict[str, str]:
    """Return each dish's ingredients and their weights in grams, as in ``100 flour; 60 water``."""
    table = files("postmeal.foods.diets").joinpath("dishes.csv").read_text("utf-8")
    return {line["name"]: line["ingredients"] for line in csv.DictReader(table.splitlines())}
