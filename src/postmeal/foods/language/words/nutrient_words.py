"""Words for nutrients, which are not foods, as in "20 g protein"."""

from __future__ import annotations

from postmeal.foods.words import words

__all__ = ["is_nutrient"]

_NUTRIENTS = frozenset(
    {"carb", "carbohydrate", "protein", "calorie", "cal", "kcal", "macro", "net"}
)


def is_nutrient(name: str) -> bool:
    """Return whether words name a nutrient and not a food."""
    named = words(name)
    return bool(named) and _NUTRIENTS.issuperset(named)
