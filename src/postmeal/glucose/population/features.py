"""Inputs of the model: macronutrients of a meal, hour and state of glucose regulation.

The macronutrients of a meal are the sums over its foods, in proportion to the quantity of each
food. Unknown fiber of a food is replaced by the typical fiber for its carbohydrate, and unknown
protein or fat by zero. These assumptions are made for each food, before the amounts are summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.food import Selection
from postmeal.foods.nutrients import NUTRIENTS

__all__ = [
    "MACRONUTRIENTS",
    "TYPICAL_FIBER_PER_CARB",
    "Meals",
    "fill_unknown",
    "food_macronutrients",
    "meal_macronutrients",
]

MACRONUTRIENTS = ("carbs_g", "fiber_g", "protein_g", "fat_g")
"""Nutrients used by the model, in the order of `Meals.macronutrients`."""

TYPICAL_FIBER_PER_CARB = 0.09
"""Grams of fiber per gram of carbohydrate, assumed if fiber is unknown.

In the training data, meals with known fiber and more than 10 g of carbohydrate have a median of
0.083 and a mean of 0.109.
"""

_COLUMNS = [NUTRIENTS.index(key) for key in MACRONUTRIENTS]
_columns_of = itemgetter(*_COLUMNS)


class Meals(NamedTuple):
    """Meals as arrays.

    Attributes
    ----------
    macronutrients : ndarray of shape (n_meals, 4)
        Grams of `MACRONUTRIENTS`, without unknown amounts.
    hour : ndarray of shape (n_meals,)
        Local hour of the start of the meal, from 0 to below 24.
    state : ndarray of int of shape (n_meals,)
        Position in `postmeal.glucose.population.states.STATES`.
    """

    macronutrients: NDArray[np.float64]
    hour: NDArray[np.float64]
    state: NDArray[np.intp]


def fill_unknown(macronutrients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace unknown amounts by assumed ones.

    Parameters
    ----------
    macronutrients : ndarray of shape (n, 4)
        Grams of `MACRONUTRIENTS`, NaN if unknown.

    Returns
    -------
    ndarray of shape (n, 4)
        Grams with unknown fiber replaced by a typical amount, and other unknown amounts by zero.

    Examples
    --------
    >>> fill_unknown(np.array([[50.0, np.nan, 5.0, np.nan]]))
    array([[50. ,  4.5,  5. ,  0. ]])
    """
    filled = np.where(np.isnan(macronutrients), 0.0, macronutrients)
    unknown_fiber = np.isnan(macronutrients[:, 1])
    filled[unknown_fiber, 1] = TYPICAL_FIBER_PER_CARB * filled[unknown_fiber, 0]
    return filled


def food_macronutrients(selections: Sequence[Selection]) -> NDArray[np.float64]:
    """Return the macronutrients of each selected food.

    Parameters
    ----------
    selections : sequence of Selection
        The foods of one meal.

    Returns
    -------
    ndarray of shape (n_foods, 4)
        Grams of `MACRONUTRIENTS`, with unknown amounts filled by `fill_unknown`.
    """
    amounts = np.array([selection.food.nutrients.amounts for selection in selections])[:, _COLUMNS]
    factors = np.array([selection.factor for selection in selections])
    return np.asarray(fill_unknown(amounts) * factors[:, None])


def meal_macronutrients(
    selections: Sequence[Selection],
) -> tuple[tuple[float, float, float, float], tuple[str, ...]]:
    """Return the macronutrients of a whole meal, and which of them are partly assumed.

    Parameters
    ----------
    selections : sequence of Selection
        The foods of one meal.

    Returns
    -------
    macronutrients : tuple of float of length 4
        Grams of `MACRONUTRIENTS`, the sums of `food_macronutrients` over the foods.
    assumed : tuple of str
        Nutrients that are unknown for at least one food.
    """
    carbs = fiber = protein = fat = 0.0
    unknown: set[str] = set()
    for selection in selections:
        amounts = _columns_of(selection.food.nutrients.amounts.tolist())  # faster than an array
        total = sum(amounts)
        if total != total:  # NaN, so at least one amount is unknown
            unknown.update(
                key for key, amount in zip(MACRONUTRIENTS, amounts, strict=True) if amount != amount
            )
            amounts = fill_unknown(np.array([amounts]))[0].tolist()
        factor = selection.factor
        carbs += amounts[0] * factor
        fiber += amounts[1] * factor
        protein += amounts[2] * factor
        fat += amounts[3] * factor
    assumed = tuple(key for key in MACRONUTRIENTS if key in unknown) if unknown else ()
    return (carbs, fiber, protein, fat), assumed
