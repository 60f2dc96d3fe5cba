"""Diet rules: ingredients that people avoid and diets that people follow."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["PREFERENCES", "RESTRICTIONS", "RULES", "Preference", "Restriction"]

Restriction = Literal[
    "gluten", "lactose", "yeast", "tree_nuts", "peanuts", "dairy", "eggs", "sulfites", "soy",
    "wheat", "shellfish", "fish", "mushrooms", "sesame", "msg", "caffeine", "fodmaps",
]  # fmt: skip
"""An ingredient that a person may need to avoid."""

Preference = Literal[
    "vegetarian", "vegan", "keto", "paleo", "pescatarian", "low_carbohydrate", "high_protein",
    "kosher", "halal",
]  # fmt: skip
"""A diet that a person may follow."""

RESTRICTIONS: tuple[str, ...] = get_args(Restriction)
"""All restrictions."""

PREFERENCES: tuple[str, ...] = get_args(Preference)
"""All preferences."""

RULES: tuple[str, ...] = RESTRICTIONS + PREFERENCES
"""All diet rules in storage order; new rules are appended to `PREFERENCES`."""
