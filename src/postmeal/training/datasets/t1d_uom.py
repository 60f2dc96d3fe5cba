"""Loader for T1D-UOM: people with type 1 diabetes at home, various sensors, and logged meals.

Cleaning rules:

- Glucose is in mmol/L. Values below 1.1 mmol/L (20 mg/dL), which no sensor measures, are excluded.
- Dates start with the day. Rows with unreadable dates are excluded. Meals with a wrong year
  (2204) are outside the period of the readings and are therefore not used.
- Sensors and their intervals differ between people, and the sensors are not named.
- Energy is computed from the macronutrients by Atwater's factors. Fiber above 60 g is treated as
  unknown, and sugars are not recorded.
- People without a food log (2303, 2310) are excluded. Age, sex, height and weight are not in the
  folders that are read.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from postmeal.errors import DataSetError
from postmeal.training.datasets.data_set import (
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
    existing,
)
from postmeal.training.datasets.macros import KCAL_PER_G
from postmeal.units import MG_DL_PER_MMOL_L

SENSOR = "unnamed CGM"
_LEAST_MMOL_L, _MAX_FIBER_G = 1.1, 60.0
_CONTENT = {
    "carbs_g": "carbs_g",
    "prot_g": "protein_g",
    "fat_g": "fat_g",
    "fibre_g": "fiber_g",
    "meal_tag": "foods",
}


def load(folder: str | Path) -> DataSet:
    """Load the people for whom there is a food log."""
    folder = Path(folder)
    logs = sorted(
        existing(folder / "Nutrition Data", "T1D-UOM's folder of meals").glob("UoMNutrition*.csv")
    )
    if not logs:
        raise DataSetError(
            f"{folder / 'Nutrition Data'} does not contain the meals of T1D-UOM: there is no file"
            " such as UoMNutrition2301.csv"
        )
    persons = [path.stem.removeprefix("UoMNutrition") for path in logs]
    people = pd.DataFrame({"person": persons, "condition": "type_1", "sex": None})
    pairs = list(zip(persons, logs, strict=True))
    return DataSet(
        name="t1d_uom",
        title="T1D-UOM: a longitudinal multimodal dataset of type 1 diabetes",
        licence="CC BY 4.0",
        citation="University of Manchester, Zenodo 2025.",
        doi="10.5281/zenodo.15169263",
        people=people.reindex(columns=list(PEOPLE_COLUMNS)),
        entries=pd.concat([_entries(path, person) for person, path in pairs], ignore_index=True),
        readings=pd.concat([_readings(folder, person) for person in persons], ignore_index=True),
    )


def _entries(path: Path, person: str) -> pd.DataFrame:
    log = pd.read_csv(path, encoding="utf-8-sig").rename(columns=_CONTENT)
    log["time"] = pd.to_datetime(log.meal_ts, dayfirst=True, errors="coerce")
    log["energy_kcal"] = sum(log[key] * kcal for key, kcal in KCAL_PER_G.items())
    log["fiber_g"] = log.fiber_g.where(log.fiber_g <= _MAX_FIBER_G)
    log["person"], log["sugars_g"] = person, float("nan")
    log["foods"] = log.foods.fillna("").astype(str)
    return log.dropna(subset="time")[list(ENTRY_COLUMNS)]


def _readings(folder: Path, person: str) -> pd.DataFrame:
    path = folder / "Glucose Data" / f"UoMGlucose{person}.csv"
    export = pd.read_csv(existing(path, f"the readings of {person}"), encoding="utf-8-sig")
    export = export[export.value >= _LEAST_MMOL_L]
    readings = pd.DataFrame(
        {
            "person": person,
            "sensor": SENSOR,
            "time": pd.to_datetime(export.bg_ts, dayfirst=True, errors="coerce"),
            "glucose_mg_dl": export.value * MG_DL_PER_MMOL_L,
        }
    )
    # The files state 15,881 moments twice. In 224 of these pairs, the readings differ, by 1.8 mg/dL
    # in the median. The released weights were fitted to the means.
    keys = ["person", "sensor", "time"]
    return (
        readings.dropna(subset="time").groupby(keys, as_index=False).mean()[list(READING_COLUMNS)]
    )
