"""From the meals table to the arrays that the models work on."""

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

__all__ = ["INPUT_COLUMNS", "gains_and_offsets", "inputs", "meals_of", "observed_curves"]

INPUT_COLUMNS = (*MACRONUTRIENTS, "meal_time", "condition", "sensor")
"""The columns of the meals table that a model may look at."""


def inputs(table: pd.DataFrame) -> pd.DataFrame:
    """Pick the columns that a model may look at; nothing from after the first bite is among them.

    Raises
    ------
    InputError
        A column is missing.
    """
    missing = [column for column in INPUT_COLUMNS if column not in table.columns]
    if missing:
        raise InputError("table", f"must have the columns {', '.join(missing)}")
    return table[list(INPUT_COLUMNS)]


def meals_of(table: pd.DataFrame) -> Meals:
    """Turn the rows of a table into arrays.

    Parameters
    ----------
    table : DataFrame
        Rows with at least `INPUT_COLUMNS`.

    Returns
    -------
    Meals
        The same meals, unknown amounts filled.

    Raises
    ------
    InputError
        A condition is not one of the trained states.
    """
    state = pd.Index(STATES).get_indexer(table["condition"])
    if (state < 0).any():
        unknown = sorted(set(table["condition"]) - set(STATES))
        raise InputError("condition", "must be one of", unknown, allowed=STATES)
    time = table["meal_time"].dt
    hour = (time.hour + time.minute / 60 + time.second / 3600).to_numpy(dtype=np.float64)
    macronutrients = table[list(MACRONUTRIENTS)].to_numpy(dtype=np.float64)
    return Meals(fill_unknown(macronutrients), hour, state.astype(np.intp))


def observed_curves(table: pd.DataFrame) -> NDArray[np.float64]:
    """Sensor readings of the meals, of shape (n_meals, 9), mg/dL."""
    return np.asarray(table[list(GLUCOSE_COLUMNS)], dtype=np.float64)


def gains_and_offsets(
    sensors: Iterable[str],
    families: Mapping[str, SensorConstant],
    *,
    unknown_is_blood: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gain and offset of the sensor of each row.

    Parameters
    ----------
    sensors : iterable of str
        Name of the sensor of each row.
    families : mapping of str to SensorConstant
        Constants by family.
    unknown_is_blood : bool, default=False
        Whether a sensor of none of the families is taken to read blood glucose itself.

    Returns
    -------
    tuple of ndarray
        Gain and offset in mg/dL, each of shape (n_meals, 1).

    Raises
    ------
    InputError
        A sensor is of none of the families.
    """
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
