"""Diet rules: ingredients that people avoid and diets that people follow."""

from __future__ import annotations

from typing import Literal, get_args

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

_ADDED: tuple[str, ...] = ()
"""Rules that were added later, in the order in which they were added."""

RULES: tuple[str, ...] = (
    *(rule for rule in (*RESTRICTIONS, *PREFERENCES) if rule not in _ADDED),
    *_ADDED,
)
"""All diet rules in storage order.

Catalog files store verdicts by the positions of the rules. A new rule is therefore also appended to
`_ADDED`, so that it does not change the positions of the other rules. Catalog files that are older
than a rule have no verdict on it, so all their verdicts on this rule are unknown.
"""
