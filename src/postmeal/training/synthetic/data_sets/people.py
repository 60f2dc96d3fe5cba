"""Generate synthetic people with their characteristics, meals and blood glucose.

Glucose is the sum of a level, a daily wave, slowly changing noise and, after each meal, a straight
rise to a peak and a straight fall. The curves of the model have a different shape, so a model that
is fitted to these people cannot match their glucose exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.training.datasets.data_set import ENTRY_COLUMNS, PEOPLE_COLUMNS, READING_COLUMNS

Array = NDArray[np.float64]
Times = NDArray[np.datetime64]

SENSORS = {"Dexcom": (6.0, 1.0), "Libre": (-4.0, 0.9)}
"""Offset in mg/dL and gain of each synthetic sensor family relative to blood glucose."""

_NOISE_MG_DL, _KEPT_AN_HOUR = 5.0, 0.4
_WAVE_MG_DL = 4.0
_FALL_MIN = 90.0
_LOST = 0.01
_TYPICAL = {
    # level in mg/dL, rise in mg/dL per gram of carbohydrate, minutes to the peak, HbA1c in percent
    "normal": (90.0, 0.7, 40.0, 5.3),
    "prediabetes": (104.0, 1.0, 50.0, 6.0),
    "type_2": (135.0, 1.4, 65.0, 7.4),
    "type_1": (150.0, 1.7, 60.0, 7.6),
}
_HABITS = ((7.5, 1.0), (12.5, 1.0), (16.0, 0.3), (19.0, 1.0))
_DISHES = {
    # name: carbs_g, protein_g, fat_g, fiber_g, sugars_g
    "Oatmeal with Milk": (52.0, 13.0, 8.0, 6.0, 14.0),
    "Scrambled Eggs, Toast": (28.0, 22.0, 19.0, 3.0, 3.0),
    "Chicken and Rice": (70.0, 35.0, 13.0, 3.0, 2.0),
    "Spaghetti": (80.0, 16.0, 9.0, 6.0, 10.0),
    "Fish Salad": (14.0, 30.0, 18.0, 5.0, 6.0),
    "Bean Stew": (50.0, 22.0, 12.0, 14.0, 7.0),
    "Yogurt, Berries": (24.0, 9.0, 5.0, 3.0, 19.0),
}


@dataclass(frozen=True)
class Person:
    """A synthetic person."""

    name: str
    condition: str
    sex: str
    age: int
    height_cm: float
    weight_kg: float
    hba1c_percent: float
    level_mg_dl: float
    mg_dl_per_g: float
    peak_min: float


class SyntheticSet(NamedTuple):
    """Expected result of a loader for the files of a synthetic data set."""

    people: pd.DataFrame
    entries: pd.DataFrame
    readings: pd.DataFrame

    @classmethod
    def of(
        cls, people: pd.DataFrame, entries: list[pd.DataFrame], readings: list[pd.DataFrame]
    ) -> SyntheticSet:
        """Join the food log entries and the readings of all people."""
        read = pd.concat(readings, ignore_index=True)[list(READING_COLUMNS)]
        return cls(people, pd.concat(entries, ignore_index=True)[list(ENTRY_COLUMNS)], read)


def write_lines(path: Path, lines: Iterable[str], end: str = "\n") -> None:
    """Write a text file with the given line end, creating its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(end.join([*lines, ""]).encode())


def make_up(conditions: Mapping[str, str], random: np.random.Generator) -> list[Person]:
    """Generate people with the given conditions."""
    people = []
    for name, condition in conditions.items():
        level, per_g, peak_min, hba1c = _TYPICAL[condition]
        height_cm = round(random.normal(169, 8), 1)
        people.append(
            Person(
                name=name,
                condition=condition,
                sex=str(random.choice(["female", "male"])),
                age=int(random.integers(30, 68)),
                height_cm=height_cm,
                weight_kg=round(random.normal(26, 3) * (height_cm / 100) ** 2, 1),
                hba1c_percent=round(hba1c + random.uniform(-0.25, 0.25), 1),
                level_mg_dl=level + random.normal(0, 6),
                mg_dl_per_g=per_g * float(np.exp(random.normal(0, 0.2))),
                peak_min=peak_min + random.normal(0, 5),
            )
        )
    return people


def people_table(people: Iterable[Person], **replaced: object) -> pd.DataFrame:
    """Build a table of people, with columns that the publishers omit or round replaced."""
    rows = [
        (p.name, p.condition, p.age, p.sex, p.height_cm, p.weight_kg, p.hba1c_percent, np.nan)
        for p in people
    ]
    return pd.DataFrame(rows, columns=list(PEOPLE_COLUMNS)).assign(**replaced)


def diary(person: Person, first_day: str, n_days: int, random: np.random.Generator) -> pd.DataFrame:
    """Generate the meals of a person: breakfast, lunch, dinner and, on some days, a snack."""
    rows = []
    for day in range(n_days):
        for hour, chance in _HABITS:
            minute = round(60 * hour + random.uniform(-20, 20))
            dish = str(random.choice(list(_DISHES)))
            carbs, protein, fat, fiber, sugars = np.round(
                np.array(_DISHES[dish]) * random.uniform(0.6, 1.4), 1
            ).tolist()
            energy = round(
                sum(g * k for g, k in zip((carbs, protein, fat), (4, 4, 9), strict=True))
            )
            if random.random() < chance:
                time = pd.Timestamp(first_day) + pd.Timedelta(days=day, minutes=minute)
                content = (float(energy), carbs, protein, fat, fiber, sugars)
                rows.append((person.name, time, *content, dish))
    return pd.DataFrame(rows, columns=list(ENTRY_COLUMNS))


def reading_times(
    first_day: str, n_days: int, interval_min: int, random: np.random.Generator
) -> Times:
    """Generate times of readings; 1% and two hours of the second night are missing."""
    start = np.datetime64(first_day, "s") + np.timedelta64(int(random.integers(interval_min)), "m")
    minute = np.arange(0, 1440 * n_days, interval_min)
    night = (minute >= 1440 + 120) & (minute < 1440 + 240)
    kept = (random.random(len(minute)) >= _LOST) & ~night
    return np.asarray(start + minute[kept].astype("timedelta64[m]"))


def blood_glucose(
    person: Person, times: Times, entries: pd.DataFrame, random: np.random.Generator
) -> Array:
    """Compute the blood glucose of a person."""
    minute = times.astype("datetime64[s]").astype(np.int64) / 60
    glucose = person.level_mg_dl + _WAVE_MG_DL * np.sin(2 * np.pi * minute / 1440)
    glucose += _noise(minute, random)
    bites = entries.time.to_numpy("datetime64[s]").astype(np.int64) / 60
    content = entries[["carbs_g", "protein_g", "fat_g", "fiber_g"]].to_numpy(float)
    for bite, (carbs, protein, fat, fiber) in zip(bites, content, strict=True):
        height = person.mg_dl_per_g * (carbs - fiber) * (1 - min(protein, 60.0) / 200)
        end = person.peak_min + _FALL_MIN + fat
        glucose += height * np.interp(minute - bite, [0, person.peak_min, end], [0.0, 1.0, 0.0])
    return np.asarray(glucose)


def _noise(minute: Array, random: np.random.Generator) -> Array:
    """Generate noise with a standard deviation of 5 mg/dL and a correlation of 0.4 over an hour."""
    steps = random.normal(0, _NOISE_MG_DL, len(minute))
    kept = _KEPT_AN_HOUR ** (np.diff(minute) / 60)
    for at, share in enumerate(kept.tolist(), start=1):
        steps[at] = share * steps[at - 1] + np.sqrt(1 - share**2) * steps[at]
    return np.asarray(steps)


def sensed(blood_mg_dl: Array, family: str) -> Array:
    """Convert blood glucose to readings of a sensor family, limited to 40 to 400 mg/dL."""
    offset, gain = SENSORS[family]
    return np.clip(offset + gain * blood_mg_dl, 40.0, 400.0)
