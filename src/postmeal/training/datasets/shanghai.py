"""ShanghaiT2DM: people with type 2 diabetes, FreeStyle Libre H, foods with grams as text.

Cleaning rules:

- A recording with insulin of any kind (subcutaneous, pump, intravenous) in its columns is left
  out: its meals say little of what food alone does. Recordings of one person (``2001_0``,
  ``2001_1``) are one person, described by the first of them.
- Files are ``.xls`` or ``.xlsx``; names of columns vary and are recognized by their parts.
- "data not available" (未记录) marks a meal of unknown content: it still was a meal.
- Energy, macronutrients, fibre and sugars come from the grams and the food catalogue
  (`postmeal.training.datasets.shanghai_foods`); a meal with a line that cannot be read is of
  unknown content.
- HbA1c is in mmol/mol, height in metres. Glucose is in mg/dL.
- Finger-stick values (CBG) lie in the rows of the sensor's readings: `paired_blood_glucose`.
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
)
from postmeal.training.datasets.shanghai_foods import parse_lines, served_grams

__all__ = ["SENSOR", "load", "meal_content", "paired_blood_glucose"]

SENSOR = "FreeStyle Libre H"
_UNKNOWN = ("未记录", "data not available")
_NO_CARBS_G = 2.0


def load(folder: str | Path) -> DataSet:
    """Load the insulin-free recordings of people with type 2 diabetes.

    Parameters
    ----------
    folder : str or Path
        The folder of ``Shanghai_T2DM`` and ``Shanghai_T2DM_Summary.xlsx``.

    Returns
    -------
    DataSet
        The people, their meals and their readings.

    Raises
    ------
    DataSetError
        A file or folder is missing.
    """
    folder = Path(folder)
    summary = existing(folder / "Shanghai_T2DM_Summary.xlsx", "Shanghai's table of people")
    entries, readings = [], []
    for person, recording in _recordings(folder):
        eaten = recording[recording.foods.notna()]
        content = pd.DataFrame([meal_content(text) for text in eaten.foods], columns=list(CONTENT))
        foods = eaten.foods.str.strip().where(~eaten.foods.str.strip().isin(_UNKNOWN), "")
        entry = content.assign(person=person, time=eaten.time.to_numpy(), foods=foods.to_numpy())
        entries.append(entry[list(ENTRY_COLUMNS)])
        reading = recording.dropna(subset="glucose_mg_dl").assign(person=person, sensor=SENSOR)
        readings.append(reading[list(READING_COLUMNS)])
    every_entry = pd.concat(entries, ignore_index=True)
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


def meal_content(text: str) -> dict[str, float]:
    """Compute what a meal text holds, from its grams and the food catalogue.

    Parameters
    ----------
    text : str
        The Chinese text, one food and amount a line.

    Returns
    -------
    dict of str to float
        Energy in kcal and grams of carbohydrate, protein, fat, fibre and sugars; all NaN when
        the text says nothing or a line cannot be read.
    """
    unknown = dict.fromkeys(CONTENT, float("nan"))
    if text.strip() in _UNKNOWN:
        return unknown
    total = np.zeros(len(CONTENT))
    for line in parse_lines(text):
        served = served_grams(line)
        if served is None:
            return unknown
        for key, grams in served.items():
            total += _per_gram()[key] * grams
    return dict(zip(CONTENT, total.tolist(), strict=True))


def paired_blood_glucose(folder: str | Path) -> pd.DataFrame:
    """Pair each finger-stick value with the sensor's reading of the same row.

    Parameters
    ----------
    folder : str or Path
        The data set's folder.

    Returns
    -------
    DataFrame
        Columns ``person, sensor, time, blood_mg_dl, sensor_mg_dl``, from every recording: what a
        sensor reads of blood glucose does not depend on insulin.

    Raises
    ------
    DataSetError
        A file or folder is missing.
    """
    pairs = [
        recording.assign(person=person, sensor=SENSOR)
        for person, recording in _recordings(Path(folder), with_insulin=True)
    ]
    paired = pd.concat(pairs, ignore_index=True).rename(columns={"glucose_mg_dl": "sensor_mg_dl"})
    paired = paired.dropna(subset=["blood_mg_dl", "sensor_mg_dl"])
    columns = ["person", "sensor", "time", "blood_mg_dl", "sensor_mg_dl"]
    return paired[columns].reset_index(drop=True)


def _recordings(folder: Path, *, with_insulin: bool = False) -> Iterator[tuple[str, pd.DataFrame]]:
    """Answer each recording with its person, those in which insulin was given only when asked for.

    The columns are time, glucose_mg_dl, blood_mg_dl and foods.
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
            "time": _column(names, "Date"),
            "glucose_mg_dl": _column(names, "CGM"),
            "blood_mg_dl": _column(names, "CBG"),
            "foods": _column(names, "饮食", "进食量"),
        }
        recording = pd.DataFrame({key: sheet[column] for key, column in chosen.items()})
        recording["time"] = pd.to_datetime(recording.time)
        for key in ("glucose_mg_dl", "blood_mg_dl"):
            recording[key] = pd.to_numeric(recording[key], errors="coerce")
        yield path.name.split("_")[0], recording.dropna(subset="time").sort_values("time")


def _column(names: dict[str, Any], *starts: str) -> Any:
    found = (column for name, column in names.items() if name.strip().startswith(starts))
    column = next(found, None)
    if column is None:
        raise DataSetError(f"a recording lacks the column {' or '.join(starts)}: has {list(names)}")
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
        }
    )
    return people.drop_duplicates("person")[list(PEOPLE_COLUMNS)]


@cache
def _per_gram() -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Amounts per gram of each SR28 food of the catalogue, in the order of `CONTENT`.

    Where SR28 leaves fibre or sugars of a food with next to no carbohydrate open, they are zero.
    """
    amounts = {}
    for food in read_table(asset("data/foods.csv.xz")):
        if food.source == "sr28":
            known = [food.per_100_g.get(key, float("nan")) / 100 for key in CONTENT]
            values = np.array(known)
            if values[CONTENT.index("carbs_g")] * 100 <= _NO_CARBS_G:
                values = np.nan_to_num(values)
            amounts[food.key] = values
    return amounts
