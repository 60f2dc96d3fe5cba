"""Write synthetic people in the format of the 75 g oral glucose tolerance tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from postmeal.training.datasets.data_set import ENTRY_COLUMNS
from postmeal.training.synthetic.data_sets.people import (
    Person,
    SyntheticSet,
    blood_glucose,
    make_up,
    people_table,
    sensed,
    write_lines,
)

_WITH_SENSOR = "venous_with_matching_cgm_and_with_planned_athome_cgm"
_WITHOUT = "venous_without_matching_cgm_and_without_planned_athome_cgm"
_GLUCOSE = "filtered_ogtt_glucose_timeseries_ctru_athome_venous_cgm_03222026.csv"
_GLUCOSE_HEADER = (
    '"SubjectID","Timepoint","ExperimentType","SampleLocation_ExtractionMethod","Glucose"'
)
_PARTICIPANTS = "filtered_study_participants_characteristics.csv"
_PARTICIPANTS_HEADER = (
    '"SubjectID","ExperimentType","Age","BMI","Sex","Ethnicity","OGTT_2h","HbA1c","FPG"'
)
_PLACES = {"CTRU_CGM": "2000-01-01", "Home_CGM_1": "2000-01-02", "Home_CGM_2": "2000-01-03"}
_SAMPLED_MIN = (-10, 0, 10, 15, 20, 30, 40, 50, 60, 75, 90, 105, 120, 150, 180)
_PEOPLE = {
    "S01": "normal",
    "S02": "prediabetes",
    "S04": "normal",
    "S05": "prediabetes",
    "S07": "normal",
    "S09": "normal",
    "S11": "prediabetes",
    "S12": "normal",
}
_NO_SENSOR = ("S01", "S02")
_TWICE = "S04"
_BMI_BAND = "25-29.9"


def write(folder: Path, random: np.random.Generator) -> SyntheticSet:
    """Write the table of glucose and the table of people.

    Two people have only venous samples, one person took part twice, and one person did only one
    test at home. The rows of a curve are in random order, and some are missing.
    """
    people = make_up(_PEOPLE, random)
    rows, entries, readings = [], [], []
    for person in people:
        if person.name in (*_NO_SENSOR, _TWICE):
            venous = _blood(person, "1999-12-01", np.array(_SAMPLED_MIN), random)
            rows += _rows(person, _WITHOUT, "CTRU_Venous", _SAMPLED_MIN, venous)
        if person.name in _NO_SENSOR:
            continue
        for place, day in _PLACES.items():
            if place == "Home_CGM_2" and person is people[-1]:
                continue
            minutes = np.arange(-10, 181, 5)
            blood = _blood(person, day, minutes, random)
            if place == "CTRU_CGM":
                venous = np.interp(_SAMPLED_MIN, minutes, blood)
                rows += _rows(person, _WITH_SENSOR, "CTRU_Venous", _SAMPLED_MIN, venous)
            n_lost = 1 if place == "CTRU_CGM" else 0
            there = random.permutation(len(minutes))[n_lost:]
            read = np.round(sensed(blood, "Dexcom"))
            rows += _rows(person, _WITH_SENSOR, place, minutes[there], read[there])
            drink = pd.Timestamp(day) + pd.Timedelta(hours=8)
            entries.append(_drink(person, day))
            times = drink + pd.to_timedelta(minutes[there], unit="min")
            reading = pd.DataFrame({"time": times, "glucose_mg_dl": read[there]})
            readings.append(reading.assign(person=person.name, sensor="Dexcom G6"))
    write_lines(folder / _GLUCOSE, [_GLUCOSE_HEADER, *rows])
    participants = [row for person in people for row in _about(person)]
    write_lines(folder / _PARTICIPANTS, [_PARTICIPANTS_HEADER, *participants])
    with_sensor = [one for one in people if one.name not in _NO_SENSOR]
    table = people_table(
        with_sensor,
        age=[one.age // 10 * 10 + 5.0 for one in with_sensor],
        height_cm=np.nan,
        weight_kg=np.nan,
        fasting_glucose_mg_dl=[round(person.level_mg_dl, 1) for person in with_sensor],
    )
    return SyntheticSet.of(table, entries, readings)


def _drink(person: Person, day: str) -> pd.DataFrame:
    time = pd.Timestamp(day) + pd.Timedelta(hours=8)
    row = (person.name, time, 300.0, 75.0, 0.0, 0.0, 0.0, 75.0, "glucose 75 g in water")
    return pd.DataFrame([row], columns=list(ENTRY_COLUMNS))


def _blood(
    person: Person, day: str, minutes: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    times = np.datetime64(f"{day}T08:00", "s") + minutes.astype("timedelta64[m]")
    return blood_glucose(person, times, _drink(person, day), random)


def _rows(
    person: Person, kind: str, place: str, minutes: Iterable[Any], glucose: Iterable[Any]
) -> list[str]:
    return [
        f'"{person.name}",{minute},"{kind}","{place}",{value:.0f}'
        for minute, value in zip(minutes, glucose, strict=True)
    ]


def _about(person: Person) -> list[str]:
    """Return a person's rows in the table of people: two rows if the person took part twice."""
    decade = person.age // 10 * 10
    two_hours = person.level_mg_dl + 40

    def row(kind: str, hba1c_percent: float) -> str:
        return (
            f'"{person.name}","{kind}","{decade}-{decade + 9}","{_BMI_BAND}",'
            f'"{person.sex[0].upper()}","Asian",{two_hours:.0f},{hba1c_percent},'
            f"{person.level_mg_dl:.1f}"
        )

    rows = [] if person.name in _NO_SENSOR else [row(_WITH_SENSOR, person.hba1c_percent)]
    if person.name in (*_NO_SENSOR, _TWICE):
        rows.insert(0, row(_WITHOUT, round(person.hba1c_percent - 0.1, 1)))
    return rows
