"""Hall et al. 2018 (glucotypes): three fixed breakfasts, each eaten up to twice, Dexcom G4.

The file is the published table of the standard meals with columns for carbohydrate, protein and
fat beside. Cleaning rules:

- A curve starts 30 minutes before the meal: the meal is the first reading plus 30 minutes.
- Some dates have day and month swapped; within a curve the minutes are right, and so is the time
  of day. Every curve is read by itself, so the date of a meal may be wrong, its minutes are not.
- Readings that fall on one rounded minute are averaged.
- The file says nothing of the people. The cohort had no diabetes by history; 14 of its 57 people
  met a criterion of prediabetes and 5 of diabetes. Which ones is not in the file: all count as
  ``normal``.
- Fibre and sugars are not in the file either: those of `FIBER_SUGARS_G` are assumed. With 2 kcal
  per gram of fibre they give the breakfasts 432, 378 and 276 kcal.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from postmeal.training.datasets.data_set import (
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
    existing,
)
from postmeal.training.datasets.macros import KCAL_PER_G

__all__ = ["FIBER_SUGARS_G", "MEALS", "MINUTES_BEFORE_MEAL", "load"]

MEALS = {
    "PB": "bread with peanut butter",
    "Bar": "protein bar",
    "CF": "cornflakes with milk",
}
"""The breakfasts by the code of the file."""

FIBER_SUGARS_G = {"PB": (12.0, 12.0), "Bar": (6.0, 19.0), "CF": (3.3, 35.2)}
"""Fibre and sugars in grams by the code of the breakfast: an assumption, not in the file."""

MINUTES_BEFORE_MEAL = 30
_MACROS = {"CHO": "carbs_g", "PRO": "protein_g", "FAT": "fat_g"}


def load(folder: str | Path) -> DataSet:
    """Load the standard meals from the folder that holds ``hall_meals.csv``.

    Parameters
    ----------
    folder : str or Path
        The data set's folder.

    Returns
    -------
    DataSet
        The people, their breakfasts and the readings around them.

    Raises
    ------
    DataSetError
        The file is missing.
    """
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
    for position, key in enumerate(("fiber_g", "sugars_g")):
        entries[key] = breakfast.map(lambda code, at=position: FIBER_SUGARS_G[code][at])
    people = pd.DataFrame({"person": table.person.unique(), "condition": "normal", "sex": None})
    return DataSet(
        name="hall2018",
        title="Glucotypes reveal new patterns of glucose dysregulation, standard meals",
        licence="CC BY 4.0",
        citation="Hall H, Perelman D, Breschi A, et al. PLOS Biology 2018;16(7):e2005143.",
        doi="10.1371/journal.pbio.2005143",
        people=people.reindex(columns=list(PEOPLE_COLUMNS)),
        entries=entries.reindex(columns=list(ENTRY_COLUMNS)),
        readings=readings[list(READING_COLUMNS)],
    )
