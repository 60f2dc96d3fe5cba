"""Write synthetic people in the format of ShanghaiT2DM, with its irregularities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from openpyxl import Workbook

from postmeal.assets import asset
from postmeal.foods.table import read_table
from postmeal.training.datasets.data_set import CONTENT, ENTRY_COLUMNS
from postmeal.training.synthetic.data_sets.people import (
    Person,
    SyntheticSet,
    blood_glucose,
    make_up,
    people_table,
    reading_times,
    sensed,
)

_FOODS = {
    # name: NDB number of the corresponding food in USDA SR28, minimum and maximum grams
    "米饭": ("20045", 80, 200),
    "全麦面包": ("18075", 40, 90),
    "红薯": ("11510", 80, 180),
    "玉米粒": ("11168", 60, 150),
    "牛奶": ("01077", 150, 250),
    "豆腐": ("16126", 50, 120),
    "鸡胸肉": ("05064", 40, 100),
    "番茄": ("11529", 50, 150),
    "黄瓜": ("11205", 50, 150),
    "苹果": ("09003", 80, 150),
    "草莓": ("09316", 60, 120),
}
_STAPLES = ("米饭", "全麦面包", "红薯", "玉米粒")
_ENGLISH = "made up, see the Chinese"
_UNKNOWN = (("data not available", "未记录"), ("data not available", "data not available"))
_WITH_INSULIN, _TWICE, _OTHER_STYLE, _NO_HBA1C = "2003", "2001", "2005", "2007"
_PERSONS = tuple(str(2001 + n) for n in range(12))
_START, _N_DAYS = "2021-05-01", 7
_AGAIN, _N_DAYS_AGAIN = "2021-06-01", 2
_MMOL_L = 18.0  # the factor that the publishers use
_SUMMARY = (
    "Patient Number",
    "Gender (Female=1, Male=2)",
    "Age (years)",
    "Height (m)",
    "Weight (kg)",
    "BMI (kg/m2)",
    "Type of Diabetes",
    "Hypoglycemic Agents",
    "HbA1c (mmol/mol)",
    "Fasting Plasma Glucose (mg/dl)",
)
_COLUMNS = (
    "Date",
    "CGM (mg / dl)",
    "CBG (mg / dl)",
    "Blood Ketone (mmol / L)",
    "Dietary intake",
    "饮食",
    "Insulin dose - s.c.",
    "Non-insulin hypoglycemic agents",
    "CSII - bolus insulin (Novolin R, IU)",
    "CSII - basal insulin (Novolin R, IU / H)",
    "Insulin dose - i.v.",
)
_OTHER_COLUMNS = tuple(
    name.split("(")[0] if "(" in name else name.replace("饮食", "进食量") for name in _COLUMNS
)


@dataclass(frozen=True)
class _Recording:
    """Content of a workbook: readings and fingersticks in mg/dL (NaN if missing), and meals."""

    person: Person
    file: str
    table: pd.DataFrame
    entries: pd.DataFrame


def write(folder: Path, random: np.random.Generator) -> SyntheticSet:
    """Write ``Shanghai_T2DM_Summary.xlsx`` and a workbook per recording.

    One person has two recordings, and one person received insulin. One recording has alternative
    column names, an HbA1c value is missing, and some meals have unknown content. All workbooks are
    ``.xlsx`` files, although some of the published workbooks are ``.xls`` files.
    """
    people = make_up(dict.fromkeys(_PERSONS, "type_2"), random)
    recordings = []
    for person in people:
        file = f"{person.name}_0_{_START.replace('-', '')}"
        recordings.append(_record(person, file, _START, _N_DAYS, random))
        if person.name == _TWICE:
            file = f"{person.name}_1_{_AGAIN.replace('-', '')}"
            recordings.append(_record(person, file, _AGAIN, _N_DAYS_AGAIN, random))
    home = folder / "Shanghai_T2DM"
    home.mkdir(parents=True, exist_ok=True)
    for one in recordings:
        _write_workbook(home / f"{one.file}.xlsx", one)
    _write_summary(folder / "Shanghai_T2DM_Summary.xlsx", recordings)
    usable = [one for one in recordings if one.person.name != _WITH_INSULIN]
    known = [one for one in people if one.name != _WITH_INSULIN]
    hba1c = [np.nan if p.name == _NO_HBA1C else _ifcc(p) * 0.09148 + 2.152 for p in known]
    fasting = [float(round(one.level_mg_dl)) for one in known]
    height = [round(one.height_cm / 100, 2) * 100 for one in known]
    readings = [
        one.table.dropna(subset="glucose_mg_dl").assign(
            person=one.person.name, sensor="FreeStyle Libre H"
        )
        for one in usable
    ]
    table = people_table(
        known, hba1c_percent=hba1c, height_cm=height, fasting_glucose_mg_dl=fasting
    )
    return SyntheticSet.of(table, [one.entries for one in usable], readings)


def _ifcc(person: Person) -> float:
    """Return the HbA1c of a person in mmol/mol, rounded as in the published summary."""
    return round((person.hba1c_percent - 2.152) / 0.09148, 3)


def _record(
    person: Person, file: str, first_day: str, n_days: int, random: np.random.Generator
) -> _Recording:
    """Generate a recording in which each meal is in the same row as a reading."""
    times = reading_times(first_day, n_days, 15, random)
    entries = _diary(person, times, n_days, random)
    blood = blood_glucose(person, times, entries, random)
    read = np.round(sensed(blood, "Libre") / _MMOL_L, 1) * _MMOL_L
    finger = np.round(blood / _MMOL_L, 1) * _MMOL_L
    bites = np.isin(times, entries.time.to_numpy("datetime64[s]"))
    pricked = bites | np.roll(bites, 8)  # at meals, and about two hours later
    read[20:22] = np.nan  # the sensor was replaced
    table = pd.DataFrame(
        {
            "time": pd.DatetimeIndex(times),
            "glucose_mg_dl": np.round(read, 1),
            "blood_mg_dl": np.where(pricked, np.round(finger, 1), np.nan),
        }
    )
    unknown = entries.index % 10 == 9
    known = entries.copy()
    known.loc[unknown, list(CONTENT)] = np.nan
    known.loc[unknown, "foods"] = ""
    return _Recording(person, file, table, known)


def _diary(
    person: Person, times: np.ndarray[Any, Any], n_days: int, random: np.random.Generator
) -> pd.DataFrame:
    """Generate three meals a day, each with a staple and two other foods, in grams."""
    per_100_g = _per_100_g()
    first = times[0].astype("datetime64[D]")
    others = [name for name in _FOODS if name not in _STAPLES]
    rows = []
    for day in range(n_days):
        for hour in (7, 12, 18):
            wanted = first + np.timedelta64(60 * (24 * day + hour), "m")
            time = times[np.searchsorted(times, wanted)]
            names = [str(random.choice(_STAPLES)), *random.choice(others, 2, replace=False)]
            lines, content = [], np.zeros(len(CONTENT))
            for name in names:
                _, least, most = _FOODS[name]
                grams = int(random.integers(least, most)) // 10 * 10
                content += per_100_g[name] * grams / 100
                lines.append(_as_written(name, grams))
            text = "\n".join(lines)
            rows.append((person.name, pd.Timestamp(time), *content.tolist(), text))
    return pd.DataFrame(rows, columns=list(ENTRY_COLUMNS))


def _as_written(name: str, grams: int) -> str:
    """Format a line of a meal text in one of the styles of the published texts."""
    if name == "米饭" and grams % 50 == 0:
        return f"{name}{grams // 50}两"  # a liang is 50 g
    if name == "牛奶":
        return f"{name} {grams}ml"  # milliliters are treated as grams
    return f"{name}{grams}mg" if name == "豆腐" else f"{name}{grams}g"  # mg is a typo for g


@cache
def _per_100_g() -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Return the nutrients of each food per 100 g, in the order of `CONTENT`."""
    sr28 = {one.key: one for one in read_table(asset("data/foods.csv.xz")) if one.source == "sr28"}
    return {
        name: np.array([sr28[key].per_100_g.get(part, 0.0) for part in CONTENT])
        for name, (key, _, _) in _FOODS.items()
    }


def _write_workbook(path: Path, recording: _Recording) -> None:
    columns = _OTHER_COLUMNS if recording.person.name == _OTHER_STYLE else _COLUMNS
    texts = {entry.time: entry.foods for entry in recording.entries.itertuples()}
    lines = []
    for row, (time, read, finger) in enumerate(recording.table.itertuples(index=False)):
        english, chinese = None, texts.get(time)
        if chinese is not None:
            english, chinese = (_ENGLISH, chinese) if chinese else _UNKNOWN[row % 2]
        insulin = "Novolin R, 4 IU" if recording.person.name == _WITH_INSULIN and chinese else None
        pills = "metformin, 0.5 g" if chinese else None
        glucose = [None if np.isnan(value) else value for value in (read, finger)]
        lines.append([time.to_pydatetime(), *glucose, None, english, chinese, insulin, pills])
    _save(path, recording.file, [list(columns), *lines])


def _write_summary(path: Path, recordings: Iterable[_Recording]) -> None:
    lines: list[list[object]] = [list(_SUMMARY)]
    for one in recordings:
        person, height_m = one.person, round(one.person.height_cm / 100, 2)
        hba1c = "/" if person.name == _NO_HBA1C else _ifcc(person)
        sex = 1 if person.sex == "female" else 2
        bmi = round(person.weight_kg / height_m**2, 2)
        body = [sex, person.age, height_m, person.weight_kg, bmi]
        lines.append([one.file, *body, "T2DM", "metformin", hba1c, round(person.level_mg_dl)])
    _save(path, "summary", lines)


def _save(path: Path, title: str, lines: Iterable[list[object]]) -> None:
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    for line in lines:
        sheet.append(line)
    book.save(path)
