"""Limits for the size of a meal; larger amounts are treated as errors.

Without limits, a mistake such as 150 servings instead of 150 g would go unnoticed, because the
predicted rise saturates. The limits are far above usual amounts: competitive eaters reach about
10 kg in one sitting, and the largest meal of the training data has 463 g of carbohydrate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.foods.food import Selection
from postmeal.glucose.population.features import MACRONUTRIENTS

Array = NDArray[np.float64]

MAX_FOOD_G = 5_000.0
"""Maximum mass of a food in a meal, in grams."""

MAX_MEAL_G = 10_000.0
"""Maximum mass of a whole meal, in grams."""

MAX_CARBS_G = 1_000.0
"""Maximum amount of carbohydrate in a whole meal, in grams."""


def least_weight_g(selection: Selection) -> float:
    """Return the mass of a selected food in grams.

    If the mass is unknown, the sum of the food's known macronutrients is returned.
    """
    weight_g = selection.weight_g
    if weight_g is not None:
        return weight_g
    known = selection.nutrients.known()
    return sum(known.get(key, 0.0) for key in ("carbs_g", "protein_g", "fat_g"))


def check_meal(selections: Sequence[Selection], carbs_g: float, field: str = "foods") -> None:
    """Check that a meal is not implausibly large."""
    total_g = 0.0
    for position, selection in enumerate(selections):
        weight_g = least_weight_g(selection)
        if weight_g > MAX_FOOD_G:
            name = selection.food.name
            raise InputError(
                f"{field}[{position}]",
                f"must be at most {MAX_FOOD_G:.0f} g of one food, "
                f"got {weight_g:.0f} g of {name if len(name) <= 60 else name[:57] + '...'}",
            )
        total_g += weight_g
    if total_g > MAX_MEAL_G:
        raise InputError(
            field, f"must weigh at most {MAX_MEAL_G:.0f} g in total, got {total_g:.0f} g"
        )
    if carbs_g > MAX_CARBS_G:
        raise InputError(
            field,
            f"must contain at most {MAX_CARBS_G:.0f} g of carbohydrate in total, "
            f"got {carbs_g:.0f} g",
        )


def check_macronutrients(macronutrients: Array, field: str = "table") -> None:
    """Check rows of macronutrients against the limits for a meal."""
    limits = np.array([MAX_CARBS_G, *[MAX_MEAL_G] * (len(MACRONUTRIENTS) - 1)])
    is_invalid = (macronutrients < 0) | (macronutrients > limits)
    is_invalid[:, 0] |= np.isnan(macronutrients[:, 0])
    if is_invalid.any():
        row, column = np.argwhere(is_invalid)[0].tolist()
        raise InputError(
            f"{field}, row {row}: {MACRONUTRIENTS[column]}",
            f"must be 0 to {limits[column]:.0f} g",
            float(macronutrients[row, column]),
        )
