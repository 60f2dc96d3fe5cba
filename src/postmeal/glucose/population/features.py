"""What the model looks at: the macronutrients of a meal, the hour, and the state of regulation.

The macronutrients of a meal are the sum over its foods and grow in proportion to the quantity of
each. A food whose fiber is not known counts with the typical fiber of its carbohydrate; protein or
fat that is not known counts as none. The assumption is made food by food, so sums stay sums.
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
"""The nutrients the model uses, in the order of `Meals.macronutrients`."""

TYPICAL_FIBER_PER_CARB = 0.09
"""Grams of fiber per gram of carbohydrate where fiber is not known.

A round figure for the meals of the training data: those with known fiber and more than 10 g of
carbohydrate hold a median of 0.083 and a mean of 0.109.
"""

_COLUMNS = [NUTRIENTS.index(key) for key in MACRONUTRIENTS]
_columns_of = itemgetter(*_COLUMNS)


class Meals(NamedTuple):
    """Any number of meals as arrays.

    Attributes
    ----------
    macronutrients : ndarray of shape (n_meals, 4)
        Grams of `MACRONUTRIENTS`, nothing unknown.
    hour : ndarray of shape (n_meals,)
        Local hour of the start of the meal, 0 up to 24.
    state : ndarray of int of shape (n_meals,)
        Position in `postmeal.glucose.population.states.STATES`.
    """

    macronutrients: NDArray[np.float64]
    hour: NDArray[np.float64]
    state: NDArray[np.intp]


def fill_unknown(macronutrients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace unknown amounts by what is assumed of them.

    Parameters
    ----------
    macronutrients : ndarray of shape (n, 4)
        Grams of `MACRONUTRIENTS`, NaN where unknown.

    Returns
    -------
    ndarray of shape (n, 4)
        The same without NaN: typical fiber, no carbohydrate, protein or fat.

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
    """Macronutrients of each selected food.

    Parameters
    ----------
    selections : sequence of Selection
        The foods of one meal.

    Returns
    -------
    ndarray of shape (n_foods, 4)
        Grams of `MACRONUTRIENTS`, unknown amounts filled by `fill_unknown`.
    """
    amounts = np.array([selection.food.nutrients.amounts for selection in selections])[:, _COLUMNS]
    factors = np.array([selection.factor for selection in selections])
    return np.asarray(fill_unknown(amounts) * factors[:, None])


def meal_macronutrients(
    selections: Sequence[Selection],
) -> tuple[tuple[float, float, float, float], tuple[str, ...]]:
    """Macronutrients of a whole meal, and which of them had to be assumed for a food.

    Parameters
    ----------
    selections : sequence of Selection
        The foods of one meal.

    Returns
    -------
    macronutrients : tuple of float of length 4
        Grams of `MACRONUTRIENTS`: the sum of `food_macronutrients` over the foods.
    assumed : tuple of str
        Keys of `MACRONUTRIENTS` that are not known for every food.
    """
    carbs = fiber = protein = fat = 0.0
    unknown: set[str] = set()
    for selection in selections:
        amounts = _columns_of(selection.food.nutrients.amounts.tolist())  # faster than an array
        total = sum(amounts)
        if total != total:  # NaN: at least one amount is unknown
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
