"""Write synthetic people in the format of the standard meals of Hall et al. 2018."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from postmeal.training.datasets.data_set import ENTRY_COLUMNS, READING_COLUMNS
from postmeal.training.synthetic.data_sets.people import (
    SyntheticSet,
    blood_glucose,
    make_up,
    people_table,
    sensed,
    write_lines,
)

_N_PEOPLE = 10
_BREAKFASTS = {
    # code: carbs_g, protein_g, fat_g, fiber_g, name
    "PB": (51.0, 18.0, 20.0, 12.0, "bread with peanut butter"),
    "Bar": (48.0, 9.0, 18.0, 6.0, "protein bar"),
    "CF": (54.0, 11.0, 2.5, 3.3, "cornflakes with milk"),
}
_BEFORE_MIN, _AFTER_MIN = 30, 150


def write(folder: Path, random: np.random.Generator) -> SyntheticSet:
    """Write ``hall_meals.csv``.

    Each person eats each breakfast twice, except for the last person, who eats each breakfast once.
    As in the published table, each curve starts 30 minutes before the meal, day and month are
    swapped in some dates, and some curves have two readings in one minute.
    """
    names = [f"2133-{number:03d}" for number in range(1, _N_PEOPLE + 1)]
    people = make_up(dict.fromkeys(names, "normal"), random)
    lines, entries, readings = ["Meal,userID,time,GlucoseValue,CHO,PRO,FAT"], [], []
    for number, person in enumerate(people):
        for meal, (code, again) in enumerate((c, n) for c in _BREAKFASTS for n in (1, 2)):
            if again == 2 and person is people[-1]:
                continue
            carbs, protein, fat, fiber, name = _BREAKFASTS[code]
            day = pd.Timestamp(2016, 4, 2 + meal) + pd.Timedelta(days=number % 5)
            if meal == 3:  # day and month swapped
                day = pd.Timestamp(2016, day.day, day.month)
            start = day + pd.Timedelta(minutes=int(random.integers(420, 500)))
            energy = 4 * carbs + 4 * protein + 9 * fat
            bite = start + pd.Timedelta(minutes=_BEFORE_MIN)
            sugars = float("nan")
            entry = (person.name, bite, energy, carbs, protein, fat, fiber, sugars, name)
            eaten = pd.DataFrame([entry], columns=list(ENTRY_COLUMNS))
            minutes = np.arange(0, _BEFORE_MIN + _AFTER_MIN + 1, 5)
            times = start.to_datetime64().astype("datetime64[s]") + minutes.astype("timedelta64[m]")
            glucose = np.round(sensed(blood_glucose(person, times, eaten, random), "Dexcom"))
            for at, value in zip(times, glucose, strict=True):
                is_twice = again == 2 and at == times[12]
                for shown in (value, value + 6)[: 1 + is_twice]:
                    time = str(at).replace("T", " ")
                    lines.append(
                        f"{code} {again},{person.name},{time},{shown:.0f},"
                        f"{carbs:.0f},{protein:.0f},{fat}"
                    )
                value = value + 3 if is_twice else value
                readings.append((person.name, "Dexcom G4", pd.Timestamp(at), value))
            entries.append(eaten)
    write_lines(folder / "hall_meals.csv", lines)
    unknown = dict.fromkeys(("age", "height_cm", "weight_kg", "hba1c_percent"), np.nan)
    read = pd.DataFrame(readings, columns=list(READING_COLUMNS))
    return SyntheticSet.of(people_table(people, sex=None, **unknown), entries, [read])
