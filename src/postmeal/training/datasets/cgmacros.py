"""Loader for CGMacros: 45 people with two simultaneous sensors, and ten days of meals.

The meals are standard meals and freely chosen ("free") meals.

There is one file per person, in the folder of ``bio.csv`` (``CGMacros-001.csv``) or in a separate
folder (``CGMacros-001/CGMacros-001.csv``). Cleaning rules:

- The files have one row per minute. `native_readings` finds the sensors' readings among the
  linearly interpolated values.
- Height is in inches, and body weight is in pounds. The condition follows from HbA1c.
- For some people, the column "Fiber" contains another quantity (hundreds or thousands). Values
  above 60 g are treated as unknown, as is the fiber of all free meals of a person with such values.
- "Amount Consumed" mixes fractions, percentages and counts. The macronutrients are the amounts
  eaten, except for partly eaten lunches, which are logged with the content of the whole box. A
  lunch with an amount between 0 and 1 (exclusive), or from 10 to below 100, is scaled by this
  fraction or percentage. The column may be missing.
- Entries with an amount of 0 and no energy were not eaten.
- A macronutrient whose energy exceeds the stated energy ("508 g" of fat in 1,590 kcal, 382 g of
  carbohydrate in 470 kcal) is estimated from the energy (`estimate_from_energy`).
- The content of entries with more than 500 g of carbohydrate is treated as unknown.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import DataSetError
from postmeal.training.datasets.data_set import (
    CONTENT,
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
    condition_of_hba1c,
    existing,
    optional_numbers,
)
from postmeal.training.datasets.macros import estimate_from_energy
from postmeal.units import CM_PER_INCH, KG_PER_POUND

_SENSORS = {"Libre GL": ("Libre Pro", 15), "Dexcom GL": ("Dexcom G6 Pro", 5)}
_CONTENT = {
    "Calories": "energy_kcal",
    "Carbs": "carbs_g",
    "Protein": "protein_g",
    "Fat": "fat_g",
    "Fiber": "fiber_g",
}
_MAX_FIBER_G, _MAX_CARBS_G = 60.0, 500.0


def load(folder: str | Path) -> DataSet:
    """Load all people for whom there is a file."""
    folder = Path(folder)
    bio = pd.read_csv(existing(folder / "bio.csv", "CGMacros' table of people"))
    bio.columns = bio.columns.str.strip()
    paths = sorted(
        {path.stem: path for path in folder.glob("**/CGMacros-[0-9][0-9][0-9].csv")}.items()
    )
    if not paths:
        raise DataSetError(
            f"{folder} does not contain CGMacros: there is no file such as CGMacros-001.csv or"
            " CGMacros-001/CGMacros-001.csv"
        )
    entries, readings = [], []
    for stem, path in paths:
        person = stem.removeprefix("CGMacros-")
        table = pd.read_csv(path, low_memory=False)
        table.columns = table.columns.str.strip()
        missing = {"Timestamp", "Meal Type", *_CONTENT} - set(table.columns)
        if missing:
            columns = ", ".join(sorted(missing))
            raise DataSetError(f"{path.name} is missing required columns: {columns}")
        table["Timestamp"] = pd.to_datetime(table.Timestamp)
        entries.append(_entries(table, person))
        readings += [_readings(table, person, column) for column in _SENSORS if column in table]
    people = _people(bio)
    persons = [stem.removeprefix("CGMacros-") for stem, _ in paths]
    unknown = set(persons) - set(people.person)
    if unknown:
        raise DataSetError(
            f"bio.csv has no row for these participants: {', '.join(sorted(unknown))}; use the"
            " published bio.csv"
        )
    return DataSet(
        name="cgmacros",
        title="CGMacros: a scientific dataset for personalized nutrition and diet monitoring",
        licence="CC BY-NC-SA 4.0: for evaluation only",
        citation="Gutierrez-Osuna R, Kerr D, Mortazavi B, Das A. PhysioNet 2025.",
        doi="10.13026/3z8q-x658",
        people=people[people.person.isin(persons)].reset_index(drop=True),
        entries=pd.concat(entries, ignore_index=True),
        readings=pd.concat(readings, ignore_index=True),
    )


def native_readings(glucose_mg_dl: NDArray[np.float64], interval_min: int) -> NDArray[np.intp]:
    """Find the sensor's readings in a series that was interpolated to one value per minute.

    Between two readings, the series is a straight line, so values at which the line bends are
    readings. On a straight line, whole numbers are also readings if their distance from the last
    bend is a multiple of the sensor's interval.
    """
    known = ~np.isnan(glucose_mg_dl)
    straight = np.zeros(len(glucose_mg_dl), dtype=bool)
    straight[1:-1] = np.abs(np.diff(glucose_mg_dl, 2)) < 1e-6
    bends = known & ~straight
    position = np.arange(len(glucose_mg_dl))
    last_bend = np.maximum.accumulate(np.where(bends, position, -1))
    whole = np.abs(glucose_mg_dl - np.round(glucose_mg_dl)) < 1e-6
    on_grid = (position - last_bend) % interval_min == 0
    return np.flatnonzero(bends | (known & whole & on_grid))


def _readings(table: pd.DataFrame, person: str, column: str) -> pd.DataFrame:
    sensor, interval_min = _SENSORS[column]
    own = table.iloc[native_readings(table[column].to_numpy(float), interval_min)]
    readings = pd.DataFrame({"time": own.Timestamp, "glucose_mg_dl": own[column]})
    return readings.assign(person=person, sensor=sensor)[list(READING_COLUMNS)]


def _entries(table: pd.DataFrame, person: str) -> pd.DataFrame:
    log = table[table["Meal Type"].notna()].rename(columns=_CONTENT)
    amount = pd.Series(np.nan, log.index)
    if "Amount Consumed" in log:
        amount = pd.to_numeric(log["Amount Consumed"], errors="coerce")
    log = log[~((amount == 0) & (log.energy_kcal == 0))]
    amount = amount[log.index]
    kind = log["Meal Type"].str.strip().str.lower()
    log = log.assign(person=person, time=log.Timestamp, foods=kind, sugars_g=float("nan"))
    log = log.reindex(columns=list(ENTRY_COLUMNS)).reset_index(drop=True)
    standard = kind.isin(["breakfast", "lunch"]).to_numpy()
    if (log.fiber_g > _MAX_FIBER_G).any():
        log.loc[~standard | (log.fiber_g > _MAX_FIBER_G), "fiber_g"] = float("nan")
    part = amount.where(amount < 1, amount / 100).where(
        kind.eq("lunch") & (amount > 0) & ((amount < 1) | ((amount >= 10) & (amount < 100))), 1.0
    )
    log[list(CONTENT)] = log[list(CONTENT)].mul(part.to_numpy(), axis=0)
    log = estimate_from_energy(log)
    log.loc[log.carbs_g > _MAX_CARBS_G, list(CONTENT)] = float("nan")
    return log


def _people(bio: pd.DataFrame) -> pd.DataFrame:
    people = pd.DataFrame(
        {
            "person": bio.subject.map("{:03d}".format),
            "age": bio.Age.astype(float),
            "sex": bio.Gender.str.strip().map({"F": "female", "M": "male"}),
            "height_cm": bio.Height * CM_PER_INCH,
            "weight_kg": bio["Body weight"] * KG_PER_POUND,
            "hba1c_percent": bio["A1c PDL (Lab)"].astype(float),
            "fasting_glucose_mg_dl": optional_numbers(bio, "Fasting GLU - PDL (Lab)"),
        }
    )
    people["condition"] = people.hba1c_percent.map(condition_of_hba1c)
    return people[list(PEOPLE_COLUMNS)]
