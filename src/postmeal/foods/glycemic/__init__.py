"""Glycemic index of foods: published means, group medians, and means over the parts of a food."""

from postmeal.foods.glycemic.index import NO_INDEX, GlycemicIndex, index_of
from postmeal.foods.glycemic.published import MEANS

__all__ = ["MEANS", "NO_INDEX", "GlycemicIndex", "index_of"]
