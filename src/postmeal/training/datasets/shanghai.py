"""Loader for ShanghaiT2DM: people with type 2 diabetes, FreeStyle Libre H, and foods as text.

Cleaning rules:

- Recordings with insulin of any kind (subcutaneous, pump, intravenous) are excluded, because their
  meals do not show the effect of food alone. Several recordings of a person (``2001_0``,
  ``2001_1``) are merged. The data about the person is taken from the first recording.
- Files are ``.xls`` or ``.xlsx``. Column names vary and are recognized by their beginnings.
- "data not available" (未记录) marks a meal with unknown content, which is still read as a meal.
- Energy, macronutrients, fiber and sugars are computed from the grams and the food catalog
  (`postmeal.training.datasets.shanghai_foods`). If a line of a meal cannot be read, the content of
  the meal is unknown.
- HbA1c is in mmol/mol, height is in meters, and glucose is in mg/dL.
- Fingerstick values (CBG) are in the rows of the sensor's readings; see `paired_blood_glucose`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from postmeal.assets import asset
from postmeal.errors import DataSetError
from postmeal.foods.table import read_table
from postmeal.training.datasets.data_set import (
    CONTENT,
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
    existing,
    hba1c_percent_of_mmol_mol,
    optional_numbers,
)
from postmeal.training.datasets.shanghai_foods import parse_lines, served_grams

SENSOR = "FreeStyle Libre H"
NOT_RECORDED = ("未记录", "data not available")
_NO_CARBS_G = 2.0


def load(folder: str | Path) -> DataSet:
    """Load the insulin-free recordings of people with type 2 diabetes."""
    folder = Path(folder)
    summary = existing(folder / "Shanghai_T2DM_Summary.xlsx", "Shanghai's table of people")
    entries, readings = [], []
    for person, recording in recordings(folder):
        eaten = recording[recording.foods.notna()]
        entries += [
            food_contents(text).assign(person=person, time=time)
            for time, text in zip(eaten.time, eaten.foods, strict=True)
        ]
        reading = recording.dropna(subset="glucose_mg_dl").assign(person=person, sensor=SENSOR)
        readings.append(reading[list(READING_COLUMNS)])
    every_entry = pd.concat(entries, ignore_index=True)[list(ENTRY_COLUMNS)]
    people = _people(summary)
    return DataSet(
        name="shanghai",
        title="Chinese diabetes datasets: ShanghaiT2DM, recordings without insulin",
        licence="CC BY 4.0",
        citation="Zhao Q, Zhu J, Shen X, et al. Scientific Data 2023;10:35.",
        doi="10.1038/s41597-023-01940-7",
        people=people[people.person.isin(every_entry.person)].reset_index(drop=True),
        entries=every_entry,
        readings=pd.concat(readings, ignore_index=True),
    )


def food_contents(text: str) -> pd.DataFrame:
    """Compute the nutrients of each food in a meal text from its grams and the food catalog."""
    text = text.strip()
    stated = "" if text in NOT_RECORDED else text
    unknown = pd.DataFrame([dict.fromkeys(CONTENT, float("nan")) | {"foods": stated}])
    if not stated:
        return unknown
    rows = []
    for line in parse_lines(stated):
        served = served_grams(line)
        if served is None:
            return unknown
        amounts = np.zeros(len(CONTENT))
        for key, grams in served.items():
            amounts += _per_gram()[key] * grams
        rows.append(dict(zip(CONTENT, amounts.tolist(), strict=True)) | {"foods": line.name})
    return pd.DataFrame(rows) if rows else unknown


def paired_blood_glucose(folder: str | Path) -> pd.DataFrame:
    """Pair each fingerstick value with the sensor's reading in the same row.

    Recordings with insulin are included, because the relation between a sensor and blood glucose
    does not depend on insulin.
    """
    pairs = [
        recording.assign(person=person, sensor=SENSOR)
        for person, recording in recordings(Path(folder), with_insulin=True)
    ]
    paired = pd.concat(pairs, ignore_index=True).rename(columns={"glucose_mg_dl": "sensor_mg_dl"})
    paired = paired.dropna(subset=["blood_mg_dl", "sensor_mg_dl"])
    columns = ["person", "sensor", "time", "blood_mg_dl", "sensor_mg_dl"]
    return paired[columns].reset_index(drop=True)


def recordings(folder: Path, *, with_insulin: bool = False) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the person and the table of each recording.

    The columns of a table are ``time``, ``glucose_mg_dl``, ``blood_mg_dl`` and ``foods``.
    Recordings with insulin are skipped unless `with_insulin` is True.
    """
    recordings = existing(folder / "Shanghai_T2DM", "Shanghai's folder of recordings")
    paths = sorted(path for path in recordings.iterdir() if path.suffix in {".xls", ".xlsx"})
    existing(paths[0] if paths else recordings / "*.xls", "Shanghai's recordings")
    for path in paths:
        sheet = pd.read_excel(path, engine="calamine")
        names = {str(column): column for column in sheet.columns}
        insulin = [
            column
            for name, column in names.items()
            if ("insulin" in name.lower() and "non-insulin" not in name.lower()) or "胰岛素" in name
        ]
        if not with_insulin and sheet[insulin].notna().any(axis=None):
            continue
        chosen = {
            "time": _column(path, names, "Date"),
            "glucose_mg_dl": _column(path, names, "CGM"),
            "blood_mg_dl": _column(path, names, "CBG"),
            "foods": _column(path, names, "饮食", "进食量"),
        }
        recording = pd.DataFrame({key: sheet[column] for key, column in chosen.items()})
        recording["time"] = pd.to_datetime(recording.time)
        for key in ("glucose_mg_dl", "blood_mg_dl"):
            recording[key] = pd.to_numeric(recording[key], errors="coerce")
        yield path.name.split("_")[0], recording.dropna(subset="time").sort_values("time")


def _column(path: Path, names: dict[str, Any], *starts: str) -> Any:
    found = (column for name, column in names.items() if name.strip().startswith(starts))
    column = next(found, None)
    if column is None:
        raise DataSetError(
            f"{path.name} must have a column whose name starts with {' or '.join(starts)};"
            f" its columns are {', '.join(names)}"
        )
    return column


def _people(summary: Path) -> pd.DataFrame:
    table = pd.read_excel(summary, engine="calamine")
    table.columns = table.columns.str.strip()
    mmol_mol = pd.to_numeric(table["HbA1c (mmol/mol)"], errors="coerce")
    people = pd.DataFrame(
        {
            "person": table["Patient Number"].astype(str).str.split("_").str[0],
            "condition": "type_2",
            "age": pd.to_numeric(table["Age (years)"], errors="coerce").astype(float),
            "sex": table["Gender (Female=1, Male=2)"].map({1: "female", 2: "male"}),
            "height_cm": pd.to_numeric(table["Height (m)"], errors="coerce") * 100,
            "weight_kg": pd.to_numeric(table["Weight (kg)"], errors="coerce").astype(float),
            "hba1c_percent": hba1c_percent_of_mmol_mol(mmol_mol),
            "fasting_glucose_mg_dl": optional_numbers(table, "Fasting Plasma Glucose (mg/dl)"),
        }
    )
    return people.drop_duplicates("person")[list(PEOPLE_COLUMNS)]


@cache
def _per_gram() -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Return the amounts per gram of SR28 foods: 0 if unknown and low in carbohydrate."""
    amounts = {}
    for food in read_table(asset("data/foods.csv.xz")):
        if food.source == "sr28":
            known = [food.per_100_g.get(key, float("nan")) / 100 for key in CONTENT]
            values = np.array(known)
            if values[CONTENT.index("carbs_g")] * 100 <= _NO_CARBS_G:
                values = np.nan_to_num(values)
            amounts[food.key] = values
    return amounts
