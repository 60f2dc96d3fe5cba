"""The texts by which a food is judged: the displayed name and the publisher's description.

The files of queries, meals and alternatives describe the correct foods by regular expressions. A
food is correct if the expression matches either text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from postmeal.foods.catalog.suggestion import Suggestion
from postmeal.foods.food import Food

__all__ = ["FoodTexts"]


class FoodTexts(NamedTuple):
    """The name and the description of a food, each with its brand in brackets.

    Examples
    --------
    >>> FoodTexts("White rice, raw", "Rice, white, raw").matches(re.compile("^rice", re.IGNORECASE))
    True
    """

    name: str
    description: str

    @classmethod
    def of(cls, food: Food | Suggestion) -> FoodTexts:
        """Return the texts of a food of a catalog."""
        brand = f" [{food.brand_name}]" if food.brand_name else ""
        return cls(food.name + brand, food.description + brand)

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a regular expression is found in the name or in the description."""
        return any(pattern.search(text) for text in self)
