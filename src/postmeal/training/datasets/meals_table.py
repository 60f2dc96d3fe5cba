"""The meals table: one row an isolated meal, its content and its two-hour glucose curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import isolated, meal_numbers
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.training.datasets.data_set import CONTENT, DataSet

__all__ = ["GLUCOSE_COLUMNS", "MEAL_COLUMNS", "MINUTES", "isolated_meals", "meals_table"]

MINUTES = tuple(int(minute) for minute in GRID_MIN)
"""The nine minutes after the first bite at which a curve is known."""

GLUCOSE_COLUMNS = tuple(f"glucose_mg_dl_{minute}" for minute in MINUTES)

MEAL_COLUMNS = (
    "data_set",
    "person",
    "sensor",
    "meal_time",
    "condition",
    "age",
    "sex",
    "height_cm",
    "weight_kg",
    "hba1c_percent",
    *CONTENT,
    "foods",
    *GLUCOSE_COLUMNS,
)

_LEAST_KCAL = 5.0


def isolated_meals(entries: pd.DataFrame) -> pd.DataFrame:
    """Merge food-log entries into meals and keep those that are followed by none for two hours.

    An entry within 15 minutes of the one before belongs to the same meal, whose time is that of
    its first entry. Amounts add up; one unknown part makes the sum unknown. Entries below 5 kcal
    (water, black coffee, diet drinks) are no food. A meal of unknown carbohydrate is left out,
    but still ends the two hours of the meal before it.

    Parameters
    ----------
    entries : DataFrame
        Entries with the columns of `DataSet.entries`.

    Returns
    -------
    DataFrame
        One row a meal, the same columns, sorted by person and time.
    """
    eaten = entries[~(entries.energy_kcal < _LEAST_KCAL)]
    eaten = eaten.sort_values(["person", "time"], kind="stable").reset_index(drop=True)
    number = eaten.groupby("person").time.transform(lambda times: meal_numbers(_seconds(times)))
    keys = [eaten.person, number.astype(int)]
    meals = eaten.groupby(keys)[["person", "time"]].first()
    for key in CONTENT:
        meals[key] = eaten[key].groupby(keys).sum(min_count=1)
        meals.loc[eaten[key].isna().groupby(keys).any(), key] = np.nan
    meals["foods"] = eaten.foods.groupby(keys).agg(lambda texts: "; ".join(filter(None, texts)))
    meals = meals.reset_index(drop=True)
    alone = meals.groupby("person").time.transform(lambda times: isolated(_seconds(times)))
    return meals[alone.astype(bool) & meals.carbs_g.notna()].reset_index(drop=True)


def meals_table(data_set: DataSet) -> pd.DataFrame:
    """Form the meals table: isolated meals with full cover by a sensor, one row a meal and sensor.

    The curve has nine points, 0 to 120 minutes after the first bite in steps of 15, interpolated
    as `CgmTrace.curves` does. A meal with a point without readings near it is left out.

    Parameters
    ----------
    data_set : DataSet
        What a loader answers.

    Returns
    -------
    DataFrame
        The columns `MEAL_COLUMNS`; unknown figures are NaN, unknown sex is None.
    """
    meals = isolated_meals(data_set.entries)
    rows = []
    for (person, sensor), readings in data_set.readings.groupby(["person", "sensor"], sort=False):
        own = meals[meals.person == person]
        curves = _curves(readings, own.time)
        covered = ~np.isnan(curves).any(axis=1)
        glucose = pd.DataFrame(curves[covered], columns=list(GLUCOSE_COLUMNS))
        row = pd.concat([own[covered].reset_index(drop=True), glucose], axis=1)
        rows.append(row.assign(sensor=sensor))
    table = pd.concat(rows, ignore_index=True).rename(columns={"time": "meal_time"})
    table = table.merge(data_set.people, on="person", how="left", validate="m:1")
    table = table.assign(data_set=data_set.name)[list(MEAL_COLUMNS)]
    table["sex"] = table.sex.astype(object).where(table.sex.notna(), None)
    order = table.sort_values(["person", "sensor", "meal_time"], kind="stable")
    return order.reset_index(drop=True)


def _curves(readings: pd.DataFrame, meal_times: pd.Series) -> NDArray[np.float64]:
    """Interpolate curves of shape (n_meals, 9), NaN where readings are too far apart."""
    time_s = _seconds(readings.time)
    glucose = readings.glucose_mg_dl.to_numpy(np.float64)
    trace = CgmTrace.merged(time_s, np.zeros(len(time_s)), glucose)
    return trace.curves(_seconds(meal_times))


def _seconds(times: pd.Series) -> NDArray[np.float64]:
    """Seconds since 1970 of naive times, taken as UTC."""
    return np.asarray(times.to_numpy("datetime64[s]").astype(np.int64), dtype=np.float64)
