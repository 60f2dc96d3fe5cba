"""Loader for Hall et al. 2018: three fixed breakfasts, each eaten up to twice, with a Dexcom G4.

The file is the published table of the standard meals, with added columns for carbohydrate, protein
and fat. Cleaning rules:

- A curve starts 30 minutes before the meal, so the time of the meal is that of the first reading
  plus 30 minutes.
- In some dates, day and month are swapped. Each curve is read separately, so the date of a meal may
  be wrong, but its time of day and the times of its readings are correct.
- Readings in the same rounded minute are averaged.
- The state of glucose regulation is the diagnosis in the study's clinical table
  (``hall_clinical.csv``), which is based on HbA1c, fasting glucose and the 2-hour glucose of a
  tolerance test. Of the 30 people with standard meals, 20 have normal regulation, 7 prediabetes and
  3 diabetes, which was unknown before the study. Without this table, all people are treated as
  ``normal``.
- The file does not contain fiber, so `FIBER_G` is assumed. With 2 kcal per gram of fiber, the
  breakfasts have 432, 378 and 276 kcal. Sugars are unknown.
- The breakfasts were eaten after a night's fast.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.training.datasets.data_set import (
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
    existing,
    optional_numbers,
)
from postmeal.training.datasets.macros import KCAL_PER_G

MEALS = {
    "PB": "bread with peanut butter",
    "Bar": "protein bar",
    "CF": "cornflakes with milk",
}
"""The three breakfasts, by their codes in the file."""

FIBER_G = {"PB": 12.0, "Bar": 6.0, "CF": 3.3}
"""Assumed fiber in grams, by the code of the breakfast. The file does not contain fiber."""

FASTED_H = 12.0
"""Assumed hours of fasting before each breakfast, for a night."""

MINUTES_BEFORE_MEAL = 30
_CONDITIONS = {"non-diabetic": "normal", "pre-diabetic": "prediabetes", "diabetic": "type_2"}
_CLINICAL = {
    "age": "Age",
    "height_cm": "Height",
    "weight_kg": "Weight",
    "hba1c_percent": "A1C",
    "fasting_glucose_mg_dl": "FBG",
}
_MACROS = {"CHO": "carbs_g", "PRO": "protein_g", "FAT": "fat_g"}


def load(folder: str | Path) -> DataSet:
    """Load the standard meals."""
    path = existing(Path(folder) / "hall_meals.csv", "Hall's table of standard meals")
    table = pd.read_csv(path).rename(columns={"userID": "person", "GlucoseValue": "glucose_mg_dl"})
    table["time"] = pd.to_datetime(table.time)
    table["sensor"] = "Dexcom G4"
    readings = table.groupby(["person", "sensor", "time"], as_index=False, sort=False)
    readings = readings.glucose_mg_dl.mean()
    entries = table.groupby(["person", "Meal"], as_index=False, sort=False).first()
    entries["time"] += pd.Timedelta(minutes=MINUTES_BEFORE_MEAL)
    entries = entries.rename(columns=_MACROS)
    entries["energy_kcal"] = sum(entries[key] * kcal for key, kcal in KCAL_PER_G.items())
    breakfast = entries.Meal.str.split().str[0]
    entries["foods"] = breakfast.map(MEALS)
    entries["fiber_g"] = breakfast.map(FIBER_G)
    return DataSet(
        name="hall2018",
        title="Glucotypes reveal new patterns of glucose dysregulation, standard meals",
        licence="CC BY 4.0",
        citation="Hall H, Perelman D, Breschi A, et al. PLOS Biology 2018;16(7):e2005143.",
        doi="10.1371/journal.pbio.2005143",
        people=_people(Path(folder), table.person.unique()),
        entries=entries.reindex(columns=list(ENTRY_COLUMNS)),
        readings=readings[list(READING_COLUMNS)],
        fasted_h=FASTED_H,
    )


def _people(folder: Path, persons: NDArray[np.object_]) -> pd.DataFrame:
    people = pd.DataFrame({"person": persons, "condition": "normal", "sex": None})
    path = folder / "hall_clinical.csv"
    if path.exists():
        clinical = pd.read_csv(path).set_index("userID").reindex(persons)
        people["condition"] = clinical.diagnosis.map(_CONDITIONS).fillna("normal").to_numpy()
        for column, name in _CLINICAL.items():
            people[column] = optional_numbers(clinical, name).to_numpy()
    return people.reindex(columns=list(PEOPLE_COLUMNS))
