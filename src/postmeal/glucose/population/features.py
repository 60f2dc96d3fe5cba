"""Inputs of the model: macronutrients of a meal, hour and state of glucose regulation.

The macronutrients of a meal are the sums over its foods, in proportion to the quantity of each
food. Unknown fiber of a food is replaced by the typical fiber for its carbohydrate, and unknown
protein or fat by zero. These assumptions are made for each food, before the amounts are summed. The
carbohydrate of each food is weighted by its kind; see
`postmeal.glucose.population.carbohydrate_kind`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.food import Selection
from postmeal.foods.nutrients import NUTRIENTS
from postmeal.glucose.population.carbohydrate_kind import (
    CarbKind,
    CarbWeights,
    carb_weight,
    weighted_carbs,
)

MACRONUTRIENTS = ("carbs_g", "fiber_g", "protein_g", "fat_g")
"""Nutrients used by the model, in the order of `Meals.macronutrients`."""

TYPICAL_FIBER_PER_CARB = 0.09
"""Grams of fiber per gram of carbohydrate that are assumed if the fiber is unknown.

In the training data, meals with known fiber and more than 10 g of carbohydrate have a median ratio
of 0.083 and a mean ratio of 0.109.
"""

FADING_H = 1.5
"""Hours after which the effect of a previous meal falls to 1/e."""

FASTING_H = 6.0
"""Hours since the previous meal at which `fasting` is 0.5."""

UNKNOWN_FASTING = 0.5
"""Value of `fasting` if the previous meal is unknown."""

TYPICAL_RECENCY = 0.15
"""Value of `recency` if the previous meal is unknown: the rounded mean of the training data."""

_COLUMNS = [NUTRIENTS.index(key) for key in MACRONUTRIENTS]


class Meals(NamedTuple):
    """Meals as arrays."""

    macronutrients: NDArray[np.float64]
    hour: NDArray[np.float64]
    state: NDArray[np.intp]
    since_meal_h: NDArray[np.float64] | None = None
    log_gain: NDArray[np.float64] | None = None

    def only(self, rows: slice | NDArray[np.intp] | NDArray[np.bool_]) -> Meals:
        """Return the selected meals."""
        return Meals(*(None if column is None else column[rows] for column in self))  # type: ignore[arg-type]


def recency(meals: Meals) -> NDArray[np.float64]:
    """Return how recent the previous meal is, from 0 (many hours ago) to 1 (just eaten)."""
    if meals.since_meal_h is None:
        return np.full(len(meals.hour), TYPICAL_RECENCY)
    return recency_after(meals.since_meal_h)


def recency_after(since_meal_h: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `recency` for the given hours since the previous meal; NaN means unknown."""
    return np.where(np.isnan(since_meal_h), TYPICAL_RECENCY, np.exp(-since_meal_h / FADING_H))


def fasting(meals: Meals) -> NDArray[np.float64]:
    """Return how long the person has fasted, from 0 (just eaten) to 1 (a night or longer)."""
    if meals.since_meal_h is None:
        return np.full(len(meals.hour), UNKNOWN_FASTING)
    return np.where(
        np.isnan(meals.since_meal_h),
        UNKNOWN_FASTING,
        1 / (1 + np.exp(FASTING_H - np.minimum(meals.since_meal_h, 24.0))),
    )


def fill_unknown(macronutrients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace unknown amounts with assumed amounts."""
    filled = np.where(np.isnan(macronutrients), 0.0, macronutrients)
    unknown_fiber = np.isnan(macronutrients[:, 1])
    filled[unknown_fiber, 1] = TYPICAL_FIBER_PER_CARB * filled[unknown_fiber, 0]
    return filled


def food_macronutrients(
    selections: Sequence[Selection], weights: CarbWeights | None = None
) -> NDArray[np.float64]:
    """Return the macronutrients of each selected food."""
    amounts = np.array([selection.food.nutrients.amounts for selection in selections])[:, _COLUMNS]
    factors = np.array([selection.factor for selection in selections])
    filled = fill_unknown(amounts)
    if weights is not None:
        kinds = []
        for selection in selections:
            inputs = selection.food.model_inputs
            kinds.append(
                carb_weight(inputs.carbs_g, inputs.sugars_g, inputs.glycemic_index, weights)[0]
            )
        filled[:, 0] = weighted_carbs(filled[:, 0], filled[:, 1], np.array(kinds))
    return np.asarray(filled * factors[:, None])


class MealInputs(NamedTuple):
    """Inputs of the model, derived from the foods of a meal."""

    macronutrients: tuple[float, float, float, float]
    carbs_g: float
    assumed: tuple[str, ...]
    kinds: tuple[tuple[str, CarbKind], ...]


def meal_inputs(selections: Sequence[Selection], weights: CarbWeights) -> MealInputs:
    """Derive the inputs of the model from the foods of a meal."""
    total_weighted = total_carbs = total_fiber = total_protein = total_fat = 0.0
    unknown: set[str] = set()
    kinds: list[tuple[str, CarbKind]] = []
    for selection in selections:
        food = selection.food
        glycemic_index, carbs, fiber, protein, fat, sugars = food.model_inputs
        sum_g = carbs + fiber + protein + fat
        weight, kind = carb_weight(carbs, sugars, glycemic_index, weights)
        if math.isnan(sum_g):  # At least one amount is unknown.
            amounts = np.array([[carbs, fiber, protein, fat]])
            unknown.update(np.array(MACRONUTRIENTS)[np.isnan(amounts[0])].tolist())
            carbs, fiber, protein, fat = fill_unknown(amounts)[0].tolist()
        factor = selection.factor
        weighted = carbs
        if weight != 1.0 and carbs > fiber / 2:
            kinds.append((food.name, kind))
            weighted += (weight - 1) * (carbs - fiber / 2)
        total_weighted += weighted * factor
        total_carbs += carbs * factor
        total_fiber += fiber * factor
        total_protein += protein * factor
        total_fat += fat * factor
    assumed = tuple(key for key in MACRONUTRIENTS if key in unknown) if unknown else ()
    macronutrients = (total_weighted, total_fiber, total_protein, total_fat)
    return MealInputs(macronutrients, total_carbs, assumed, tuple(kinds))
