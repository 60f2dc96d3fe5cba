"""Range of typical servings of a food."""

from __future__ import annotations

import numpy as np

from postmeal.foods.food import Food
from postmeal.foods.portions.amounts import SIZE_RATIOS

_LEAST_SERVINGS = 3
_SHARED = 3.0
_NO_SERVINGS = ("g", "oz", "lb", "kg", "fl oz")


def serving_range_g(food: Food, assumed_g: float) -> tuple[float, float]:
    """Return the range of typical servings of a food in grams.

    The range extends from the 25th to the 75th percentile of the food's published household
    servings [1]_ [2]_ and always includes the assumed serving. Servings of more than three times
    the assumed weight, such as a whole cake, are ignored because several people share them. If
    fewer than three servings are published, the range extends from 0.7 to 1.45 times the assumed
    serving. These factors are the median ratios of a small and a large serving to a medium serving
    across the foods in [1]_.

    References
    ----------
    .. [1] Food and Nutrient Database for Dietary Studies, U.S. Department of Agriculture,
       Agricultural Research Service (public domain).
    .. [2] Haytowitz DB et al. USDA National Nutrient Database for Standard Reference, Legacy
       Release. https://doi.org/10.15482/USDA.ADC/1529216 (public domain).
    """
    household = [each for each in food.servings if each.unit not in _NO_SERVINGS]
    eaten = {
        each.weight_g
        for each in household
        if each.weight_g and each.weight_g <= _SHARED * assumed_g
    }
    if len(eaten) < _LEAST_SERVINGS:
        return SIZE_RATIOS["small"] * assumed_g, SIZE_RATIOS["large"] * assumed_g
    low, high = np.percentile(sorted(eaten), [25, 75])
    return min(float(low), assumed_g), max(float(high), assumed_g)
