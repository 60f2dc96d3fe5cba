"""Compute credible ranges for the standard meals from the released model and observed meals.

A credible level or rise meets two conditions. It is between the 1st and 99th percentile of the
values observed in people in the same state, and it is within a fixed factor of the released model's
prediction. The percentiles alone would accept a model that predicts no rise, because some meals
cause no rise. The factor alone would accept values that were never observed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.plausibility import STANDARD_MEALS, StandardMeal, predict_standard_meal
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.arrays import gains_and_offsets, meals_of, observed_curves
from postmeal.training.fit.release import TrainingData

__all__ = ["credible_ranges", "write_credible_ranges"]

Array = NDArray[np.float64]

LEVEL_FACTOR = 1.6
"""Largest credible ratio between a level and that of the released model, whichever is higher."""

RISE_FACTOR = 3.0
"""Largest credible ratio between a rise and that of the released model.

It is also the largest ratio between published cohorts.
"""

SLACK_MG_DL = 5.0
"""Margin on both sides of a range of rises. Small rises may therefore exceed the factor."""

_ALIKE = 1.6
_NO_CARBS_G = 10.0


def credible_ranges(data: TrainingData, predictor: Predictor) -> dict[str, Any]:
    """Find the lowest and highest credible level and rise of each standard meal.

    Parameters
    ----------
    data : TrainingData
        The observed meals.
    predictor : Predictor
        The released model.

    Returns
    -------
    dict
        Content of ``models/credible.json``: for each meal by name, the lowest and the highest
        ``level_mg_dl`` and ``rise_mg_dl``, in mg/dL of blood glucose.
    """
    gain, offset = gains_and_offsets(data.table["sensor"], data.sensors)
    blood = (observed_curves(data.table) - offset) / gain
    level, rise = blood[:, 0], blood.max(axis=1) - blood[:, 0]
    meals = meals_of(data.table)
    ranges = {}
    for meal in STANDARD_MEALS:
        own = predict_standard_meal(predictor, meal)
        own_level, own_rise = own.glucose_mg_dl[0], own.peak_mg_dl - own.glucose_mg_dl[0]
        same = meals.state == STATES.index(meal.state)
        alike = same & _alike(meal, meals.macronutrients[:, 0])
        lowest = own_rise / RISE_FACTOR - SLACK_MG_DL
        highest = own_rise * RISE_FACTOR + SLACK_MG_DL
        ranges[meal.name] = {
            "level_mg_dl": _within(level[same], own_level / LEVEL_FACTOR, own_level * LEVEL_FACTOR),
            "rise_mg_dl": _within(rise[alike], lowest, highest),
        }
    return {"model": predictor.version, "meals": ranges}


def write_credible_ranges(ranges: dict[str, Any], file: Path) -> None:
    """Write the ranges as JSON, with one meal per line."""
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(one)}" for name, one in ranges["meals"].items()
    )
    head = f'{{"model": {json.dumps(ranges["model"])},\n"meals": {{\n'
    file.write_text(f"{head}{lines}\n}}}}\n", encoding="utf-8")


def _alike(meal: StandardMeal, carbs_g: Array) -> NDArray[np.bool_]:
    """Find the observed meals with a similar amount of carbohydrate."""
    own = meal.macronutrients[0]
    if own < _NO_CARBS_G:
        return np.asarray(carbs_g < _NO_CARBS_G)
    return np.asarray((carbs_g > own / _ALIKE) & (carbs_g < own * _ALIKE))


def _within(observed: Array, low: float, high: float) -> list[float]:
    """Narrow a range to lie between the 1st and 99th percentile of the observed values."""
    first, last = np.percentile(observed, [1, 99]).tolist()
    return [round(max(first, low), 1), round(min(last, high), 1)]
