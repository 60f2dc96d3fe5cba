"""Evaluate computed glycemic indices by leaving out the published mean of a food.

Each published food is represented by the most popular food in the catalog that has its mean. The
index of this catalog food is computed from its parts as if the mean had not been published. To this
end, the published food is removed from the sources of the parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from postmeal.foods.glycemic.name_rules import published_foods
from postmeal.foods.glycemic.parts import Part, mean_of_parts, parts_of
from postmeal.foods.glycemic.published import MEANS, group_median, group_sd
from postmeal.foods.table import TableFood

__all__ = ["LeftOut", "leave_one_out"]


class LeftOut(NamedTuple):
    """A published food, and its index computed without its published mean."""

    food: str
    published: int
    computed: float
    sd: float
    n_parts: int


def leave_one_out(foods: Iterable[TableFood]) -> list[LeftOut]:
    """Compute the index of each published food without its published mean."""
    examples: dict[str, TableFood] = {}
    for food in foods:
        available_g = food.per_100_g.get("carbs_g", 0.0) - food.per_100_g.get("fiber_g", 0.0)
        published = published_foods(food.description or food.name, available_g)
        if len(published) == 1:
            examples.setdefault(published[0], food)
    results = (_left_out(name, examples[name]) for name in MEANS if name in examples)
    return [result for result in results if result is not None]


def _left_out(name: str, food: TableFood) -> LeftOut | None:
    reduced = []
    for source, part in parts_of(food.description or food.name, food.category, food.per_100_g):
        others = tuple(other for other in source.published if other != name)
        if not others:
            return None
        reduced.append(Part(group_median(others), group_sd(others), part.share))
    if not reduced:
        return None
    index, sd = mean_of_parts(reduced)
    return LeftOut(name, MEANS[name], index, sd, len(reduced))
