"""Write synthetic people in the format of T1D-UOM, with its irregularities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from postmeal.training.synthetic.data_sets.people import (
    Person,
    SyntheticSet,
    blood_glucose,
    diary,
    make_up,
    people_table,
    reading_times,
    write_lines,
)
from postmeal.units import MG_DL_PER_MMOL_L

_FIRST_DAY, _N_DAYS = "2023-10-01", 7
_INTERVAL_MIN = {"2301": 5, "2302": 15, "2305": 5, "2403": 15}
_NO_LOG = "2303"
_MEAL_TYPES = {7: "Breakfast", 12: "Lunch", 16: "Snack", 19: "Dinner"}
_UNREADABLE = (
    "22/10/2204 10:00,Lunch,,10,,,",  # a typo in the year
    "later,Snack,,10,,,",
)
_SENTINEL_MMOL_L = 0.1


def write(folder: Path, random: np.random.Generator) -> SyntheticSet:
    """Write the folders ``Glucose Data`` and ``Nutrition Data``.

    Dates start with the day, and glucose is in mmol/L. The intervals between readings differ. One
    person has no food log, and one reading is 0.1 mmol/L. One meal has only carbohydrate, another
    meal has 205 g of fiber, and two rows have unusable times.
    """
    people = make_up(dict.fromkeys((*_INTERVAL_MIN, _NO_LOG), "type_1"), random)
    entries, readings = [], []
    for person in people:
        eaten = diary(person, _FIRST_DAY, _N_DAYS, random)
        read = _write_glucose(folder, person, eaten, random)
        if person.name != _NO_LOG:
            readings.append(read)
            entries.append(_write_meals(folder, person, eaten))
    unknown = dict.fromkeys(("age", "height_cm", "weight_kg", "hba1c_percent"), np.nan)
    with_log = [person for person in people if person.name != _NO_LOG]
    return SyntheticSet.of(people_table(with_log, sex=None, **unknown), entries, readings)


def _write_meals(folder: Path, person: Person, eaten: pd.DataFrame) -> pd.DataFrame:
    """Write a food log, and return the entries that the loader is expected to return."""
    lines = ["\ufeffmeal_ts,meal_type,meal_tag,carbs_g,prot_g,fat_g,fibre_g"]
    for number, meal in enumerate(eaten.itertuples()):
        fiber = 205.0 if number == 1 else meal.fiber_g
        grams = (meal.carbs_g, meal.protein_g, meal.fat_g, fiber)
        shown = [f"{meal.carbs_g:g}", "", "", ""] if number == 0 else [f"{g:g}" for g in grams]
        time = f"{meal.time:%d/%m/%Y %H:%M}"
        hour = min(_MEAL_TYPES, key=lambda one: abs(one - meal.time.hour))
        lines.append(",".join([time, _MEAL_TYPES[hour], meal.foods.replace(",", "+"), *shown]))
    lines += _UNREADABLE if person.name == "2301" else ()
    write_lines(folder / "Nutrition Data" / f"UoMNutrition{person.name}.csv", lines, "\r\n")
    energy = 4 * eaten.carbs_g + 4 * eaten.protein_g + 9 * eaten.fat_g
    known = eaten.assign(
        sugars_g=np.nan, energy_kcal=energy, foods=eaten.foods.str.replace(",", "+")
    )
    known.loc[0, ["energy_kcal", "protein_g", "fat_g", "fiber_g"]] = np.nan
    known.loc[1, "fiber_g"] = np.nan
    if person.name == "2301":
        slip = {"person": person.name, "time": pd.Timestamp(2204, 10, 22, 10), "carbs_g": 10.0}
        known = pd.concat([known, pd.DataFrame([{**slip, "foods": ""}])], ignore_index=True)
    return known


def _write_glucose(
    folder: Path, person: Person, eaten: pd.DataFrame, random: np.random.Generator
) -> pd.DataFrame:
    """Write the readings, and return those that the loader is expected to return."""
    times = reading_times(_FIRST_DAY, _N_DAYS, _INTERVAL_MIN.get(person.name, 5), random)
    blood = np.clip(blood_glucose(person, times, eaten, random), 40.0, 400.0)
    mmol_l = np.round(blood / MG_DL_PER_MMOL_L, 1)
    mmol_l[10] = _SENTINEL_MMOL_L
    moments = pd.DatetimeIndex(times)
    rows = [f"{time:%d/%m/%Y %H:%M},{value:g}" for time, value in zip(moments, mmol_l, strict=True)]
    file = folder / "Glucose Data" / f"UoMGlucose{person.name}.csv"
    write_lines(file, ["bg_ts,value", *rows], "\r\n")
    readings = pd.DataFrame({"time": moments, "glucose_mg_dl": mmol_l * MG_DL_PER_MMOL_L})
    readings = readings.assign(person=person.name, sensor="unnamed CGM")
    return readings.drop(index=10)
