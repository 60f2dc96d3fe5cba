"""The meals table: one row per isolated meal, with its content and its two-hour glucose curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import isolated, meal_numbers
from postmeal.glucose.population.carbohydrate_kind import (
    CARB_WEIGHTS,
    sugary_share,
    weighted_carbs,
)
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import MACRONUTRIENTS, fill_unknown
from postmeal.training.datasets.data_set import CONTENT, DataSet

MINUTES = tuple(int(minute) for minute in GRID_MIN)
"""The nine points of a curve, in minutes after the start of the meal."""

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
    "fasting_glucose_mg_dl",
    *CONTENT,
    "weighted_carbs_g",
    "since_meal_h",
    "foods",
    *GLUCOSE_COLUMNS,
)

_LEAST_KCAL = 5.0


def isolated_meals(entries: pd.DataFrame) -> pd.DataFrame:
    """Merge food log entries into meals, and select meals that no other meal follows within 2 h.

    An entry within 15 minutes of the previous entry belongs to the same meal, which starts at the
    time of its first entry. The amount of a nutrient in a meal is unknown if it is unknown for any
    entry. Entries below 5 kcal (water, black coffee, diet drinks) are ignored. A meal with unknown
    carbohydrate is excluded, but still counts as following the previous meal.
    """
    eaten = entries[~(entries.energy_kcal < _LEAST_KCAL)]
    if "weighted_carbs_g" not in eaten:
        eaten = eaten.assign(weighted_carbs_g=entry_carbs(eaten))
    eaten = eaten.sort_values(["person", "time"], kind="stable").reset_index(drop=True)
    number = eaten.groupby("person").time.transform(lambda times: meal_numbers(_seconds(times)))
    keys = [eaten.person, number.astype(int)]
    meals = eaten.groupby(keys)[["person", "time"]].first()
    for key in (*CONTENT, "weighted_carbs_g"):
        meals[key] = eaten[key].groupby(keys).sum(min_count=1)
        meals.loc[eaten[key].isna().groupby(keys).any(), key] = np.nan
    meals["foods"] = eaten.foods.groupby(keys).agg(lambda texts: "; ".join(filter(None, texts)))
    meals = meals.reset_index(drop=True)
    meals["since_meal_h"] = meals.groupby("person").time.diff().dt.total_seconds() / 3600
    alone = meals.groupby("person").time.transform(lambda times: isolated(_seconds(times)))
    return meals[alone.astype(bool) & meals.carbs_g.notna()].reset_index(drop=True)


def meals_table(data_set: DataSet) -> pd.DataFrame:
    """Build the meals table of a data set, with one row per isolated meal and sensor.

    A curve has nine points, from 0 to 120 minutes after the start of the meal in steps of 15
    minutes. `CgmTrace.curves` interpolates them. Meals with an unknown point are excluded.
    """
    carbs_g = entry_carbs(data_set.entries, is_glucose=data_set.is_glucose)
    meals = isolated_meals(data_set.entries.assign(weighted_carbs_g=carbs_g))
    meals["since_meal_h"] = meals.since_meal_h.fillna(data_set.fasted_h)
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


def entry_carbs(entries: pd.DataFrame, *, is_glucose: bool = False) -> NDArray[np.float64]:
    """Return the carbohydrate of entries, weighted by its kind.

    Unknown fiber is replaced by a typical amount. If the sugars are unknown, the weight is 1; see
    `postmeal.glucose.population.carbohydrate_kind`.
    """
    macronutrients = entries[list(MACRONUTRIENTS)].to_numpy(dtype=np.float64)
    carbs_g, fiber_g = macronutrients[:, 0], fill_unknown(macronutrients)[:, 1]
    if is_glucose:
        weight = np.full(len(entries), CARB_WEIGHTS.glucose)
    else:
        share = sugary_share(carbs_g, entries["sugars_g"].to_numpy(dtype=np.float64))
        weight = 1 - (1 - CARB_WEIGHTS.sugary) * share
    return weighted_carbs(carbs_g, fiber_g, weight)


def _curves(readings: pd.DataFrame, meal_times: pd.Series) -> NDArray[np.float64]:
    """Interpolate curves of shape (n_meals, 9), NaN where readings are too far apart."""
    trace = CgmTrace.of(_seconds(readings.time), 0, readings.glucose_mg_dl)
    return trace.curves(_seconds(meal_times))


def _seconds(times: pd.Series) -> NDArray[np.float64]:
    """Convert naive times, which are treated as UTC, to seconds since 1970."""
    return np.asarray(times.to_numpy("datetime64[s]").astype(np.int64), dtype=np.float64)
