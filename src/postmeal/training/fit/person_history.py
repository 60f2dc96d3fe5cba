"""Readings and meals of one person in a data set, for fitting a personal model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory, Responses, responses
from postmeal.glucose.history.training_days import training_days
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.glucose.population.states import State
from postmeal.training.datasets.data_set import DataSet
from postmeal.training.datasets.meals_table import entry_carbs


@dataclass(frozen=True, eq=False)
class PersonHistory:
    """The meals of one person and the readings of one of their sensors."""

    data_set: str
    person: str
    sensor: str
    state: State
    trace: CgmTrace
    meal_history: MealHistory
    hba1c_percent: float | None = None
    fasting_glucose_mg_dl: float | None = None

    def laboratory(
        self, hba1c: bool = False, fasting: bool = False
    ) -> tuple[float | None, float | None]:
        """Return HbA1c in percent and fasting glucose in mg/dL, each only if it is asked for."""
        return (
            self.hba1c_percent if hba1c else None,
            self.fasting_glucose_mg_dl if fasting else None,
        )

    def valid_days(self) -> list[float]:
        """Return the valid training days in ascending order, as days since 1970-01-01."""
        epoch = np.datetime64("1970-01-01")
        return [
            float((np.datetime64(one.day) - epoch).astype(int))
            for one in training_days(self.trace, self.meal_history)
            if one.is_valid
        ]

    def meals(self) -> Responses:
        """Return all meals with a reading at the start."""
        return responses(self.trace, self.meal_history)


def histories(data_set: DataSet) -> Iterator[PersonHistory]:
    """Yield each person in a data set once for each of their sensors, in the order of the data."""
    people = data_set.people.set_index("person")
    condition = people["condition"]
    laboratory = people[["hba1c_percent", "fasting_glucose_mg_dl"]].astype(float)
    entries = dict(iter(data_set.entries.groupby("person", sort=False)))
    for (person, sensor), readings in data_set.readings.groupby(["person", "sensor"], sort=False):
        if person not in entries or person not in condition.index:
            continue
        foods = entries[person]
        carbs_g = entry_carbs(foods, is_glucose=data_set.is_glucose)
        macronutrients = foods.assign(carbs_g=carbs_g)[list(MACRONUTRIENTS)].to_numpy()
        yield PersonHistory(
            data_set=data_set.name,
            person=f"{data_set.name}/{person}",
            sensor=str(sensor),
            state=condition[person],
            trace=CgmTrace.of(_seconds(readings["time"]), 0.0, readings["glucose_mg_dl"]),
            meal_history=MealHistory.of(_seconds(foods["time"]), 0.0, macronutrients),
            **laboratory.loc[person].dropna().to_dict(),
        )


def _seconds(times: object) -> np.ndarray:
    return np.asarray(times, dtype="datetime64[s]").astype(np.float64)
