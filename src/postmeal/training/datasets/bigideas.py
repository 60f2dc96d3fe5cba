"""Loader for the BIG IDEAs Lab data on glycemic variability: 16 people, Dexcom G6 and food logs.

Cleaning rules:

- 007, 013, 015 and 016 are excluded, because their food logs and readings are from different days.
- The log of 003 has no header row and no columns time_end, dietary_fiber and total_fat.
- Fat and fiber are missing for most items of 001, 002 and 003. Fat is estimated from the energy
  (`estimate_from_energy`); fiber remains unknown.
- If time_begin is empty, the columns date and time are used.
- Readings are the rows of type EGV with a number.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from postmeal.training.datasets.data_set import (
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
    condition_of_hba1c,
    existing,
)
from postmeal.training.datasets.macros import estimate_from_energy

LEFT_OUT = frozenset({"007", "013", "015", "016"})
"""People who are excluded because their published food logs and readings do not overlap."""

_LOG_003 = [
    "date",
    "time",
    "time_begin",
    "logged_food",
    "amount",
    "unit",
    "searched_food",
    "calorie",
    "total_carb",
    "sugar",
    "protein",
]
_CONTENT = {
    "calorie": "energy_kcal",
    "total_carb": "carbs_g",
    "protein": "protein_g",
    "total_fat": "fat_g",
    "dietary_fiber": "fiber_g",
    "sugar": "sugars_g",
    "logged_food": "foods",
}


def load(folder: str | Path) -> DataSet:
    """Load the people whose food logs and readings overlap."""
    folder = Path(folder)
    demographics = pd.read_csv(existing(folder / "Demographics.csv", "BIG IDEAs' table of people"))
    demographics = demographics.set_index(demographics.ID.map("{:03d}".format))
    persons = [p for p in demographics.index if p not in LEFT_OUT and (folder / p).is_dir()]
    if not persons:
        existing(folder / "001", "BIG IDEAs' folder of a person")
    people = pd.DataFrame({"person": persons})
    people["hba1c_percent"] = demographics.HbA1c[persons].to_numpy(float)
    people["sex"] = demographics.Gender[persons].str.strip().str.lower().to_numpy()
    people["condition"] = people.hba1c_percent.map(condition_of_hba1c)
    people[["age", "height_cm", "weight_kg", "fasting_glucose_mg_dl"]] = float("nan")
    return DataSet(
        name="bigideas",
        title="BIG IDEAs Lab Glycemic Variability and Wearable Device Data 1.1.2",
        licence="ODC-By 1.0",
        citation="Bent B, Cho PJ, Henriquez M, et al. npj Digital Medicine 2021;4:89.",
        doi="10.1038/s41746-021-00465-w",
        people=people[list(PEOPLE_COLUMNS)],
        entries=pd.concat([_entries(folder, person) for person in persons], ignore_index=True),
        readings=pd.concat([_readings(folder, person) for person in persons], ignore_index=True),
    )


def _entries(folder: Path, person: str) -> pd.DataFrame:
    path = existing(folder / person / f"Food_Log_{person}.csv", f"the food log of {person}")
    log = pd.read_csv(path)
    if "logged_food" not in log.columns:
        log = pd.read_csv(path, header=None, names=_LOG_003)
    log = log.rename(columns=_CONTENT)
    spoken = pd.to_datetime(log.date.astype(str) + " " + log.time.astype(str), errors="coerce")
    log["time"] = pd.to_datetime(log.time_begin, errors="coerce").fillna(spoken)
    log["person"] = person
    log["foods"] = log.foods.fillna("").astype(str).str.strip()
    log = log.reindex(columns=list(ENTRY_COLUMNS)).dropna(subset="time")
    return estimate_from_energy(log)


def _readings(folder: Path, person: str) -> pd.DataFrame:
    path = existing(folder / person / f"Dexcom_{person}.csv", f"the readings of {person}")
    columns = ["Timestamp (YYYY-MM-DDThh:mm:ss)", "Event Type", "Glucose Value (mg/dL)"]
    export = pd.read_csv(path, usecols=columns)[columns]
    export.columns = pd.Index(["time", "kind", "glucose_mg_dl"])
    export = export[export.kind == "EGV"]
    export["glucose_mg_dl"] = pd.to_numeric(export.glucose_mg_dl, errors="coerce")
    export["time"] = pd.to_datetime(export.time)
    export["person"], export["sensor"] = person, "Dexcom G6"
    return export.dropna(subset="glucose_mg_dl")[list(READING_COLUMNS)]
