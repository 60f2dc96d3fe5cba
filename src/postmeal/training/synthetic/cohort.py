"""Generate a cohort of synthetic people, meals and CGM readings for tests and notebooks.

The cohort does not contain real data: all numbers are generated from a random seed. It has the same
type as a loaded data set, so that all functions for data sets also accept it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.training.datasets.data_set import (
    CONTENT,
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
)

__all__ = ["SENSOR", "synthetic_cohort"]

SENSOR = "synthetic CGM"
_INTERVAL_MIN = 5
_START = np.datetime64("2024-01-01", "s")
_HABITS = ((7.5, 0.95), (12.5, 0.95), (16.0, 0.35), (19.0, 0.95))
_DISHES = {
    # name: energy_kcal, carbs_g, protein_g, fat_g, fiber_g, sugars_g
    "porridge with milk": (330, 54, 12, 7.5, 6, 14),
    "toast with eggs": (380, 30, 20, 20, 4, 3),
    "rice with chicken": (560, 72, 34, 14, 3, 2),
    "pasta with tomato": (480, 82, 16, 9, 6, 10),
    "salad with fish": (340, 14, 30, 18, 5, 6),
    "bean stew": (420, 52, 22, 12, 15, 7),
    "apple": (95, 25, 0.5, 0.3, 4.4, 19),
    "yogurt with berries": (180, 24, 9, 5, 3, 20),
}
_BY_CONDITION = {
    # baseline mg/dL, rise in mg/dL per 50 g carbohydrate, minutes to the peak, HbA1c in percent
    "normal": (92.0, 32.0, 40.0, 5.3),
    "prediabetes": (106.0, 48.0, 52.0, 6.0),
    "type_2": (138.0, 68.0, 65.0, 7.4),
}


def synthetic_cohort(n_people: int = 24, n_days: int = 10, seed: int = 0) -> DataSet:
    """Generate a cohort of synthetic people.

    A third of the people have normal glucose, a third have prediabetes, and a third have type 2
    diabetes. They eat three meals a day and sometimes a snack. Each meal raises glucose in
    proportion to its carbohydrate without fiber. The rise is smaller if the meal contains fat, and
    larger in the morning. The peak is 40 to 65 minutes after a meal without fat, and later after a
    meal with fat. The sensor adds slowly changing noise and loses one reading in a hundred.

    Parameters
    ----------
    n_people : int, default=24
        Number of people.
    n_days : int, default=10
        Number of days per person.
    seed : int, default=0
        Random seed. The same seed always generates the same cohort.

    Returns
    -------
    DataSet
        People, food log entries, and readings every five minutes.

    Raises
    ------
    InputError
        `n_people` or `n_days` is below 1.

    Examples
    --------
    >>> from postmeal.training.datasets.meals_table import meals_table
    >>> meals = meals_table(synthetic_cohort(n_people=3, n_days=2, seed=7))
    >>> sorted(meals.condition.unique())
    ['normal', 'prediabetes', 'type_2']
    """
    for field, number in (("n_people", n_people), ("n_days", n_days)):
        if number < 1:
            raise InputError(field, "must be 1 or more", number)
    random = np.random.default_rng(seed)
    conditions = list(_BY_CONDITION)
    people, entries, readings = [], [], []
    for number in range(n_people):
        condition = conditions[number % len(conditions)]
        person = _person(f"s{number:03d}", condition, random)
        meals = _meals(person["person"], n_days, random)
        people.append(person)
        entries.append(meals)
        readings.append(_readings(person, meals, n_days, random))
    return DataSet(
        name="synthetic",
        title="Synthetic cohort of postmeal",
        licence="MIT",
        citation=f"Generated from seed {seed}; contains no real people.",
        doi="none",
        people=pd.DataFrame(people)[list(PEOPLE_COLUMNS)],
        entries=pd.concat(entries, ignore_index=True),
        readings=pd.concat(readings, ignore_index=True),
    )


def _person(name: str, condition: str, random: np.random.Generator) -> dict[str, object]:
    height_cm = random.normal(170, 9)
    hba1c_percent = _BY_CONDITION[condition][3] + random.uniform(-0.25, 0.25)
    return {
        "person": name,
        "condition": condition,
        "age": float(random.integers(25, 70)),
        "sex": random.choice(["female", "male"]),
        "height_cm": round(height_cm, 1),
        "weight_kg": round(random.normal(26, 3) * (height_cm / 100) ** 2, 1),
        "hba1c_percent": round(hba1c_percent, 1),
        "fasting_glucose_mg_dl": float("nan"),
    }


def _meals(person: object, n_days: int, random: np.random.Generator) -> pd.DataFrame:
    rows = []
    for day in range(n_days):
        for hour, chance in _HABITS:
            if random.random() > chance:
                continue
            minute = round(60 * hour + random.normal(0, 20))
            dish = random.choice(list(_DISHES))
            portion = random.uniform(0.6, 1.5)
            content = np.round(np.array(_DISHES[dish]) * portion, 1)
            time = _START + np.timedelta64(1440 * day + minute, "m")
            rows.append((person, time, *content, dish))
    return pd.DataFrame(rows, columns=list(ENTRY_COLUMNS))


def _readings(
    person: dict[str, object], meals: pd.DataFrame, n_days: int, random: np.random.Generator
) -> pd.DataFrame:
    baseline, per_50_g, peak_min, _ = _BY_CONDITION[str(person["condition"])]
    baseline += random.normal(0, 6)
    sensitivity = float(np.exp(random.normal(0, 0.25)))
    minute = np.arange(0, 1440 * n_days, _INTERVAL_MIN)
    glucose = baseline + _slow_noise(len(minute), random)
    times = (meals.time.to_numpy("datetime64[s]") - _START).astype(np.int64) / 60
    content = meals[list(CONTENT)].to_numpy(float)
    for start, (_, carbs_g, _, fat_g, fiber_g, _) in zip(times, content, strict=True):
        since = np.clip(minute - start, 0, None) / (peak_min + 0.3 * fat_g)
        morning = 1.3 if (start / 60) % 24 < 10.5 else 1.0
        rise = per_50_g * sensitivity * morning * (carbs_g - fiber_g) / 50 / (1 + fat_g / 60)
        glucose = glucose + rise * (since * np.exp(1 - since)) ** 2
    kept = random.random(len(minute)) > 0.01
    readings = pd.DataFrame({"time": _START + minute[kept].astype("timedelta64[m]")})
    readings["glucose_mg_dl"] = np.round(np.clip(glucose[kept], 40, 400))
    readings["person"], readings["sensor"] = person["person"], SENSOR
    return readings[list(READING_COLUMNS)]


def _slow_noise(length: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Generate noise with a standard deviation of 6 mg/dL and a correlation time of an hour."""
    noise = np.zeros(length)
    steps = random.normal(0, 6 * np.sqrt(1 - 0.92**2), length)
    for position in range(1, length):
        noise[position] = 0.92 * noise[position - 1] + steps[position]
    return noise
