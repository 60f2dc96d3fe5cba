"""Write synthetic people in the format of CGMacros, with its irregularities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from postmeal.training.datasets.data_set import CONTENT
from postmeal.training.synthetic.data_sets.people import (
    Person,
    SyntheticSet,
    blood_glucose,
    diary,
    make_up,
    people_table,
    sensed,
    write_lines,
)
from postmeal.units import CM_PER_INCH, KG_PER_POUND

_FIRST_DAY, _N_DAYS = "2023-09-11", 9
_PEOPLE = {
    "001": "normal",
    "004": "prediabetes",
    "005": "type_2",
    "006": "normal",
    "008": "prediabetes",
    "010": "type_2",
}
_FIBER_IS_SODIUM, _NO_AMOUNTS = "005", "008"
_BIO = (
    "subject,Age,Gender,BMI,Body weight,Height,Self-identity,A1c PDL (Lab),"
    "Fasting GLU - PDL (Lab),Insulin "
)
_LOG = {
    "Calories": "energy_kcal",
    "Carbs": "carbs_g",
    "Protein": "protein_g",
    "Fat": "fat_g",
    "Fiber": "fiber_g",
}
_SENSORS = {"Libre GL": ("Libre", "Libre Pro", 15), "Dexcom GL": ("Dexcom", "Dexcom G6 Pro", 5)}
_KINDS = {7: "Breakfast", 12: "Lunch", 16: "snack", 19: "Dinner"}
_LEFT_PERCENT = 75.0


def write(folder: Path, random: np.random.Generator) -> SyntheticSet:
    """Write ``bio.csv`` and a file per person, with one row per minute.

    Readings are interpolated to minutes. Partly eaten lunches are logged with the content of the
    whole box. The column "Fiber" of one person contains sodium, one file does not have the column
    of amounts, and the order of columns varies. In the log of the first person, one amount of
    carbohydrate is ten times too high, one meal is impossibly large, and one meal was not eaten.
    """
    people = make_up(_PEOPLE, random)
    bio, bodies, entries, readings = [_BIO], [], [], []
    for person in people:
        inches = round(person.height_cm / CM_PER_INCH * 4) / 4
        pounds = round(person.weight_kg / KG_PER_POUND, 1)
        bodies.append((inches * CM_PER_INCH, pounds * KG_PER_POUND))
        bio.append(
            f"{int(person.name)},{person.age},{person.sex[0].upper()},"
            f"{703 * pounds / inches**2:.6f},{pounds},{inches},White,{person.hba1c_percent},"
            f"{person.level_mg_dl:.0f},9.5"
        )
        log = diary(person, _FIRST_DAY, _N_DAYS, random)
        log["kind"] = [_KINDS[min(_KINDS, key=lambda k: abs(k - t.hour))] for t in log.time]
        minutes = pd.date_range(_FIRST_DAY, periods=1440 * _N_DAYS, freq="min")
        table = pd.DataFrame({"Timestamp": minutes})
        for column in _SENSORS:
            table[column], read = _readings(person, table.Timestamp, log, column, random)
            readings.append(read)
        table["HR"], table["Calories (Activity)"], table["METs"] = 72.0, 1.5, 12
        written, known = _log(person, log)
        folder.mkdir(parents=True, exist_ok=True)
        table = table.merge(written, how="left", on="Timestamp", validate="1:1")
        entries.append(known)
        _write_person(folder / f"CGMacros-{person.name}.csv", person, table)
    write_lines(folder / "bio.csv", bio)
    height, weight = (list(column) for column in zip(*bodies, strict=True))
    fasting = [float(round(person.level_mg_dl)) for person in people]
    table = people_table(people, height_cm=height, weight_kg=weight, fasting_glucose_mg_dl=fasting)
    return SyntheticSet.of(table, entries, readings)


def _log(person: Person, log: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the log to write, and the entries that the loader is expected to return."""
    known = log.assign(sugars_g=np.nan, foods=log.kind.str.lower())
    written = log[["time", "kind", *_LOG.values()]].assign(amount=100.0)
    if person.name == _FIBER_IS_SODIUM:
        free = ~known.foods.isin(["breakfast", "lunch"])
        known.loc[free, "fiber_g"] = np.nan
        written.loc[free, "fiber_g"] = 800.0
    if person.name != _NO_AMOUNTS:
        part = list(_LOG.values())
        lunch = log.kind == "Lunch"
        # The log states the content of the whole box.
        written.loc[lunch, part] = log.loc[lunch, part] / (_LEFT_PERCENT / 100)
        written.loc[lunch, "amount"] = [
            _LEFT_PERCENT / 100 if row % 2 else _LEFT_PERCENT for row in range(lunch.sum())
        ]
        written.loc[log.kind == "snack", "amount"] = 2.0  # the amount is a count
    if person.name == next(iter(_PEOPLE)):
        written, known = _with_slips(written, known)
    written = written.rename(columns={value: key for key, value in _LOG.items()})
    names = {"time": "Timestamp", "kind": "Meal Type", "amount": "Amount Consumed"}
    return written.rename(columns=names), known


def _with_slips(written: pd.DataFrame, known: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Add typical recording errors to a log, and return it with its expected entries."""
    first, last = known.index[0], known.index[-1]
    eaten = known.loc[first]
    carbs = (eaten.energy_kcal - 4 * eaten.protein_g - 9 * eaten.fat_g) / 4
    written.loc[first, "carbs_g"] = 10 * eaten.carbs_g
    known.loc[first, "carbs_g"] = carbs
    written.loc[last, ["energy_kcal", "carbs_g"]] = 3200.0, 761.0
    known.loc[last, list(CONTENT)] = np.nan
    skipped = written.loc[[last]].assign(**dict.fromkeys((*_LOG.values(), "amount"), 0.0))
    skipped["time"] += pd.Timedelta(minutes=30)
    return pd.concat([written, skipped]), known


def _readings(
    person: Person, minutes: pd.Series, log: pd.DataFrame, column: str, random: np.random.Generator
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], pd.DataFrame]:
    """Return one value per minute (NaN if the sensor was not worn), and the sensor's readings."""
    family, sensor, interval = _SENSORS[column]
    at = np.arange(int(random.integers(1, interval)), len(minutes), interval)
    times = minutes.to_numpy("datetime64[s]")
    own = np.round(sensed(blood_glucose(person, times[at], log, random), family))
    every = np.interp(np.arange(len(minutes)), at, own, left=np.nan, right=np.nan)
    readings = pd.DataFrame({"time": minutes.to_numpy()[at], "glucose_mg_dl": own})
    return np.round(every, 10), readings.assign(person=person.name, sensor=sensor)


def _write_person(path: Path, person: Person, table: pd.DataFrame) -> None:
    body = ["HR", "Calories (Activity)", "METs"]
    sensors = list(_SENSORS) if person.condition != "type_2" else list(_SENSORS)[::-1]
    columns = ["Timestamp", *sensors, *body, "Meal Type", *_LOG, "Amount Consumed"]
    table = table[columns].assign(**{"Image path": ""})
    if person.name == _NO_AMOUNTS:
        table = table.drop(columns="Amount Consumed")
    if person.condition == "prediabetes":
        table.insert(0, "Unnamed: 0", np.arange(len(table)))
    table.to_csv(path, index=False, lineterminator="\n")
