"""The texts of a food that are compared with the correct answers: its name and its description.

The files of queries, meals and alternatives describe the correct foods with regular expressions. A
food is correct if the expression matches the displayed name or the publisher's description.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from postmeal.foods.catalog.suggestion import Suggestion
from postmeal.foods.food import Food

__all__ = ["FoodTexts"]


class FoodTexts(NamedTuple):
    """The name and the description of a food, each with its brand in brackets."""

    name: str
    description: str

    @classmethod
    def of(cls, food: Food | Suggestion) -> FoodTexts:
        """Return the texts of a food or suggestion from a catalog."""
        brand = f" [{food.brand_name}]" if food.brand_name else ""
        return cls(food.name + brand, food.description + brand)

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a regular expression matches part of the name or of the description."""
        return any(pattern.search(text) for text in self)
