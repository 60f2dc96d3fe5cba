"""Write synthetic people in the format of BIG IDEAs, with its irregularities."""

from __future__ import annotations

from pathlib import Path

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
    reading_times,
    sensed,
    write_lines,
)

_FIRST_DAY, _N_DAYS = "2020-02-13", 7
_PREDIABETES = ("003", "005", "009", "012")
_USED = tuple(f"{n:03d}" for n in (*range(1, 7), *range(8, 13), 14))
_NOT_OVERLAPPING = ("007", "013", "015", "016")
_HEADER = (
    "Index,Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,Event Subtype,Patient Info,Device Info,"
    "Source Device ID,Glucose Value (mg/dL),Insulin Value (u),Carb Value (grams),"
    "Duration (hh:mm:ss),Glucose Rate of Change (mg/dL/min),Transmitter Time (Long Integer)"
)
_BEFORE_THE_READINGS = (
    "FirstName,,2019,,,,,,,,",
    "LastName,,{person},,,,,,,,",
    "DateOfBirth,,1990-01-01,,,,,,,,",
    "Device,,,Dexcom G6 Mobile App,iPhone G6,,,,,,",
    "Alert,High,,,iPhone G6,200.0,,,,,",
    "Alert,Low,,,iPhone G6,70.0,,,,,",
    "Alert,Rise,,,iPhone G6,,,,,3.0,",
)
_BITE_AFTER_MIN = 70
_STYLE = {"date": "%Y-%m-%d", "time": "%H:%M:%S"}
_OTHER_STYLE = {"date": "%m/%d/%Y", "time_of_day": "%H:%M"}
_AMOUNTS = {
    "calorie": "energy_kcal",
    "total_carb": "carbs_g",
    "dietary_fiber": "fiber_g",
    "sugar": "sugars_g",
    "protein": "protein_g",
    "total_fat": "fat_g",
}


def write(folder: Path, random: np.random.Generator) -> SyntheticSet:
    """Write ``Demographics.csv`` and a folder per person.

    The files have all irregularities that the loader documents. The logs and readings of four
    people do not overlap, the log of 003 does not have a header row, and fat and fiber are missing
    for 001 to 003. ``time_begin`` is missing for one item, and another item has as many grams of
    fat as kcal. Some readings are "Low".
    """
    conditions = {
        name: "prediabetes" if name in _PREDIABETES else "normal"
        for name in sorted((*_USED, *_NOT_OVERLAPPING))
    }
    people = make_up(conditions, random)
    lines = [f"{int(p.name)},{p.sex.upper()},{p.hba1c_percent}" for p in people]
    write_lines(folder / "Demographics.csv", ["\ufeffID,Gender,HbA1c", *lines])
    entries, readings = [], []
    for person in people:
        home = folder / person.name
        home.mkdir(exist_ok=True)
        eaten = diary(person, _FIRST_DAY, _N_DAYS, random)
        read = _write_readings(home, person, eaten, random)
        if person.name in _NOT_OVERLAPPING:
            _write_log_elsewhere(home, person, eaten)
            continue
        readings.append(read)
        entries.append(_write_log(home, person, _with_second_bites(eaten)))
    used = [person for person in people if person.name in _USED]
    table = people_table(used, age=np.nan, height_cm=np.nan, weight_kg=np.nan)
    return SyntheticSet.of(table, entries, readings)


def _with_second_bites(eaten: pd.DataFrame) -> pd.DataFrame:
    """Add an apple to every third meal, and a coffee and leftovers after two other meals.

    The apple is eaten ten minutes after the start of the meal. The coffee has too little energy to
    count as another meal within the two hours after the previous meal. The leftovers do count.
    """
    contents = {
        "Apple": (95.0, 25.0, 0.5, 0.3, 4.4, 18.9),
        "Black Coffee": (2.0, 0.0, 0.3, 0.0, 0.0, 0.0),
    }
    apple, coffee = (
        eaten.iloc[rows].assign(foods=food, **dict(zip(CONTENT, contents[food], strict=True)))
        for rows, food in ((slice(None, None, 3), "Apple"), ([1], "Black Coffee"))
    )
    apple["time"] += pd.Timedelta(minutes=10)
    coffee["time"] += pd.Timedelta(minutes=_BITE_AFTER_MIN)
    second = eaten.iloc[[7]].assign(foods="Leftovers")
    second["time"] += pd.Timedelta(minutes=_BITE_AFTER_MIN)
    return pd.concat([eaten, apple, coffee, second]).sort_values("time", kind="stable")


def _write_log(home: Path, person: Person, eaten: pd.DataFrame) -> pd.DataFrame:
    """Write a food log, and return the entries that the loader is expected to return."""
    eaten = eaten.reset_index(drop=True)
    left_for_fat = (eaten.energy_kcal - 4 * eaten.carbs_g - 4 * eaten.protein_g).clip(lower=0) / 9
    log = _log(eaten, eaten.time, _STYLE).assign(
        amount=1.0, searched_food=eaten.foods.map("(Made Up) {}".format)
    )
    known = eaten.copy()
    if person.name in ("001", "002", "003"):
        log[["dietary_fiber", "total_fat"]] = np.nan
        known["fiber_g"], known["fat_g"] = np.nan, left_for_fat
    elif person.name == "004":
        log.loc[0, "total_fat"] = log.calorie[0]
        known.loc[0, "fat_g"] = left_for_fat[0]
    elif person.name == "005":
        log.loc[0, "time_begin"] = ""
    headless = person.name == "003"
    if headless:
        log = log.drop(columns=["time_end", "dietary_fiber", "total_fat"])
    path = home / f"Food_Log_{person.name}.csv"
    log.to_csv(path, index=False, header=not headless, lineterminator="\n")
    return known


def _write_log_elsewhere(home: Path, person: Person, eaten: pd.DataFrame) -> None:
    """Write a food log dated one year earlier, in the alternative style of the published files."""
    then = eaten.time - pd.DateOffset(years=1)
    text = _log(eaten, then, _OTHER_STYLE).to_csv(index=False, lineterminator="\n")
    (home / f"Food_Log_{person.name}.csv").write_bytes(("\ufeff" + text).encode())


def _log(eaten: pd.DataFrame, times: pd.Series, style: dict[str, str]) -> pd.DataFrame:
    """Build a food log; the style has the formats of the columns of the date and the time."""
    return pd.DataFrame(
        {
            **{column: times.dt.strftime(form) for column, form in style.items()},
            "time_begin": times.dt.strftime(" ".join(style.values())),
            "time_end": "",
            "logged_food": eaten.foods,
            "amount": 1,
            "unit": "serving",
            "searched_food": eaten.foods,
            **{column: eaten[amount] for column, amount in _AMOUNTS.items()},
        }
    )


def _write_readings(
    home: Path, person: Person, eaten: pd.DataFrame, random: np.random.Generator
) -> pd.DataFrame:
    """Write the export of a Dexcom G6, and return the readings that the loader should return."""
    times = reading_times(_FIRST_DAY, _N_DAYS, 5, random)
    times += random.integers(60) * np.timedelta64(1, "s")
    glucose = np.round(sensed(blood_glucose(person, times, eaten, random), "Dexcom"))
    shown = [f"{value:.1f}" for value in glucose]
    is_low = np.zeros(len(times), dtype=bool)
    if person.name == "006":
        is_low[40:43] = True  # at night
        shown[40:43] = ["Low"] * 3
    since_s = (times - times[0]).astype(int)
    rows = [
        f"{time}".replace("T", " ") + f",EGV,,,,iPhone G6,{value},,,,,{11101 + second}.0"
        for time, value, second in zip(times, shown, since_s, strict=True)
    ]
    rows = [f",{row.format(person=person.name)}" for row in _BEFORE_THE_READINGS] + rows
    lines = [_HEADER, *(f"{number},{row}" for number, row in enumerate(rows, start=1))]
    write_lines(home / f"Dexcom_{person.name}.csv", lines)
    readings = pd.DataFrame({"time": times, "glucose_mg_dl": glucose})[~is_low]
    return readings.assign(person=person.name, sensor="Dexcom G6")
