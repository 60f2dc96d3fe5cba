"""The meals table: one row an isolated meal, its content and its two-hour glucose curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.training.datasets.data_set import CONTENT, DataSet

__all__ = ["GLUCOSE_COLUMNS", "MEAL_COLUMNS", "MINUTES", "isolated_meals", "meals_table"]

MINUTES = tuple(range(0, 121, 15))
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

_MERGE = pd.Timedelta(minutes=15)
_ALONE = pd.Timedelta(hours=2)
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
    same_person = eaten.person.eq(eaten.person.shift())
    number = (~(same_person & (eaten.time - eaten.time.shift() <= _MERGE))).cumsum()
    meals = eaten.groupby(number)[["person", "time"]].first()
    for key in CONTENT:
        meals[key] = eaten[key].groupby(number).sum(min_count=1)
        meals.loc[eaten[key].isna().groupby(number).any(), key] = np.nan
    meals["foods"] = eaten.foods.groupby(number).agg(lambda texts: "; ".join(filter(None, texts)))
    next_time = meals.groupby("person").time.shift(-1)
    alone = ~(next_time - meals.time < _ALONE)
    return meals[alone & meals.carbs_g.notna()].reset_index(drop=True)


def meals_table(data_set: DataSet) -> pd.DataFrame:
    """Form the meals table: isolated meals with full cover by a sensor, one row a meal and sensor.

    The curve has nine points, 0 to 120 minutes after the first bite in steps of 15. Each is
    interpolated linearly between the readings before and after it, which lie at most 20 minutes
    apart, or, for a sensor that reads every 15 minutes, at most 35. A meal with a point that
    has no such readings is left out.

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
    readings = readings.groupby("time", as_index=False).glucose_mg_dl.mean()
    at = readings.time.to_numpy("datetime64[s]").astype(np.int64) / 60
    glucose = readings.glucose_mg_dl.to_numpy(float)
    if len(at) < 2 or not len(meal_times):
        return np.full((len(meal_times), len(MINUTES)), np.nan)
    start = meal_times.to_numpy("datetime64[s]").astype(np.int64) / 60
    wanted = start[:, np.newaxis] + np.array(MINUTES, dtype=float)
    interval_min = float(np.median(np.diff(at)))
    max_gap_min = max(20.0, 2 * interval_min + 5)
    after = np.searchsorted(at, wanted)
    before = np.searchsorted(at, wanted, side="right") - 1
    inside = (before >= 0) & (after < len(at))
    gap = at[np.minimum(after, len(at) - 1)] - at[np.maximum(before, 0)]
    curves: NDArray[np.float64] = np.interp(wanted, at, glucose)
    curves[~(inside & (gap <= max_gap_min))] = np.nan
    return curves
