"""Convert the meals table to arrays for the models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.glucose.population.features import MACRONUTRIENTS, Meals, fill_unknown
from postmeal.glucose.population.sensors import BLOOD, SensorConstant, sensor_constant
from postmeal.glucose.population.states import STATES
from postmeal.training.datasets.meals_table import GLUCOSE_COLUMNS

INPUT_COLUMNS = (*MACRONUTRIENTS, "meal_time", "condition", "sensor")
"""Columns of the meals table that every model needs."""

OPTIONAL_COLUMNS = ("weighted_carbs_g", "since_meal_h", "reported_condition")
"""Columns that a model uses if the table has them."""


def inputs(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that a model may use, all of which are known at the start of the meal."""
    missing = [column for column in INPUT_COLUMNS if column not in table.columns]
    if missing:
        raise InputError("table", f"is missing required columns: {', '.join(missing)}")
    optional = [column for column in OPTIONAL_COLUMNS if column in table.columns]
    return table[[*INPUT_COLUMNS, *optional]]


def meals_of(table: pd.DataFrame) -> Meals:
    """Convert the rows of a table to arrays."""
    state = pd.Index(STATES).get_indexer(table["condition"])
    if (state < 0).any():
        unknown = sorted(set(table["condition"]) - set(STATES))
        raise InputError("condition", "must be one of", unknown, allowed=STATES)
    time = table["meal_time"].dt
    hour = (time.hour + time.minute / 60 + time.second / 3600).to_numpy(dtype=np.float64)
    macronutrients = table[list(MACRONUTRIENTS)].to_numpy(dtype=np.float64)
    filled = fill_unknown(macronutrients)
    if "weighted_carbs_g" in table:
        weighted = table["weighted_carbs_g"].to_numpy(dtype=np.float64)
        filled[:, 0] = np.where(np.isnan(weighted), filled[:, 0], weighted)
    since_meal_h = None
    if "since_meal_h" in table:
        since_meal_h = table["since_meal_h"].to_numpy(dtype=np.float64)
    return Meals(filled, hour, state.astype(np.intp), since_meal_h)


def as_reported(table: pd.DataFrame) -> pd.DataFrame:
    """Replace the measured conditions in a table with those that people would report.

    Reported and measured conditions differ if a study found prediabetes or diabetes that people did
    not know about. The users of a service state their own conditions, so levels and bands are
    fitted to reported conditions.
    """
    if "reported_condition" not in table:
        return table
    return table.assign(condition=table["reported_condition"])


def observed_curves(table: pd.DataFrame) -> NDArray[np.float64]:
    """Return the sensor readings after the meals in mg/dL, of shape (n_meals, 9)."""
    return np.asarray(table[list(GLUCOSE_COLUMNS)], dtype=np.float64)


def gains_and_offsets(
    sensors: Iterable[str],
    families: Mapping[str, SensorConstant],
    *,
    unknown_is_blood: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gain and the offset of each row's sensor."""
    names = list(sensors)
    constants = {}
    for name in set(names):
        try:
            constants[name] = sensor_constant(name, dict(families))
        except InputError:
            if not unknown_is_blood:
                raise
            constants[name] = BLOOD
    gain = np.array([constants[name].gain for name in names])[:, None]
    offset = np.array([constants[name].offset_mg_dl for name in names])[:, None]
    return gain, offset
