"""LightGBM with one booster per point of the curve, as a peer for predictions.

One booster for each of the nine time points is a common first approach.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.features import MACRONUTRIENTS, Meals, fill_unknown
from postmeal.glucose.population.states import STATES
from postmeal.training.datasets.meals_table import GLUCOSE_COLUMNS, meals_table
from postmeal.training.synthetic.cohort import synthetic_cohort

__all__ = ["boosters", "columns", "predict", "save"]

Array = NDArray[np.float64]

_ROUNDS = 100
_PARAMETERS = {"objective": "l2", "num_leaves": 15, "verbosity": -1, "num_threads": 1, "seed": 0}


@cache
def boosters() -> tuple[lightgbm.Booster, ...]:
    """Train boosters of 100 small trees on a synthetic cohort, with postmeal's inputs."""
    table = meals_table(synthetic_cohort(n_people=30, n_days=14, seed=0))
    hour = table.meal_time.dt.hour + table.meal_time.dt.minute / 60
    state = np.array([STATES.index(condition) for condition in table.condition])
    macronutrients = fill_unknown(table[list(MACRONUTRIENTS)].to_numpy(float))
    since_meal_h = table.since_meal_h.to_numpy(float)
    inputs = columns(Meals(macronutrients, hour.to_numpy(float), state, since_meal_h))
    return tuple(
        lightgbm.train(_PARAMETERS, lightgbm.Dataset(inputs, table[column].to_numpy()), _ROUNDS)
        for column in GLUCOSE_COLUMNS
    )


def columns(meals: Meals) -> Array:
    """Return the inputs of the boosters as an array of shape (n_meals, 7)."""
    unknown = np.full(len(meals.hour), np.nan)
    since_meal_h = unknown if meals.since_meal_h is None else meals.since_meal_h
    return np.column_stack([meals.macronutrients, meals.hour, meals.state, since_meal_h])


def predict(inputs: Array) -> Array:
    """Predict glucose curves as an array of shape (n_meals, 9).

    Only one thread is used, because more threads would slow down such small calls.
    """
    return np.column_stack([booster.predict(inputs, num_threads=1) for booster in boosters()])


def save(folder: Path) -> None:
    """Write the boosters to the files ``0.txt`` to ``8.txt``, in LightGBM's text format."""
    for number, booster in enumerate(boosters()):
        booster.save_model(folder / f"{number}.txt")
