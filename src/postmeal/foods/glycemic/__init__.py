"""Glycemic index of foods: published means, group medians, and means over the parts of a food."""

from postmeal.foods.glycemic.index import NO_INDEX, GlycemicIndex, index_of, index_of_recipe
from postmeal.foods.glycemic.name_rules import MIN_AVAILABLE_CARBS_G
from postmeal.foods.glycemic.published import MEANS

__all__ = [
    "MEANS",
    "MIN_AVAILABLE_CARBS_G",
    "NO_INDEX",
    "GlycemicIndex",
    "index_of",
    "index_of_recipe",
]
