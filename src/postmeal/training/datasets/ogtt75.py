"""Loader for Metwally et al. 2024: 75 g oral glucose tolerance tests in the clinic and at home.

Cleaning rules:

- 21 people wore a sensor. Their curves ``CTRU_CGM`` (in the clinic, with venous samples),
  ``Home_CGM_1`` and ``Home_CGM_2`` each follow a drink with 75 g of glucose.
- The file contains the minutes since the drink, but no dates or times of day. Because the test
  follows an overnight fast, the time is assumed to be 08:00. The dates of the three curves are
  assumed to be January 1, 2 and 3, 2000.
- Age is published in bands of ten years; the middle of the band is used. The body mass index is
  also published in bands. Height and weight are not published.
- People who took part twice have two rows. The row of the part with the sensor is used.
- The condition follows from HbA1c.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from postmeal.training.datasets.data_set import (
    ENTRY_COLUMNS,
    PEOPLE_COLUMNS,
    READING_COLUMNS,
    DataSet,
    condition_of_hba1c,
    existing,
    optional_numbers,
)

GLUCOSE_G = 75.0
SENSOR = "Dexcom G6"
CURVE_DATES = {"CTRU_CGM": "2000-01-01", "Home_CGM_1": "2000-01-02", "Home_CGM_2": "2000-01-03"}
"""Assumed date of each curve, since the file does not contain dates."""

FASTED_H = 12.0
"""Assumed hours of fasting before the test, whose protocol requires an overnight fast."""

_FASTED_UNTIL = pd.Timedelta(hours=8)


def load(folder: str | Path) -> DataSet:
    """Load the tolerance tests of the people with a sensor."""
    curves = _curves(Path(folder))
    curves = curves[curves.place.isin(list(CURVE_DATES))].reset_index(drop=True)
    drink = pd.to_datetime(curves.place.map(CURVE_DATES)) + _FASTED_UNTIL
    readings = curves.assign(time=drink + pd.to_timedelta(curves.minute, unit="min"), sensor=SENSOR)
    entries = curves.assign(time=drink).drop_duplicates(["person", "place"])
    entries = entries.assign(
        energy_kcal=4 * GLUCOSE_G,
        carbs_g=GLUCOSE_G,
        protein_g=0.0,
        fat_g=0.0,
        fiber_g=0.0,
        sugars_g=GLUCOSE_G,
        foods="glucose 75 g in water",
    )
    people = _people(Path(folder))
    people = people[people.person.isin(curves.person)]
    return DataSet(
        name="ogtt75",
        title="75 g oral glucose tolerance tests with CGM in the clinic and at home",
        licence="MIT",
        citation="Metwally AA, Perelman D, Park H, et al. Nature Biomedical Engineering 2024.",
        doi="10.1038/s41551-024-01311-6",
        people=people.reset_index(drop=True),
        entries=entries[list(ENTRY_COLUMNS)].reset_index(drop=True),
        readings=readings[list(READING_COLUMNS)],
        fasted_h=FASTED_H,
        is_glucose=True,
    )


def paired_blood_glucose(folder: str | Path) -> pd.DataFrame:
    """Pair each venous sample in the clinic with the sensor's reading in the same minute."""
    curves = _curves(Path(folder))
    clinic = curves[curves.with_sensor].pivot_table(
        index=["person", "minute"], columns="place", values="glucose_mg_dl"
    )
    paired = clinic[["CTRU_Venous", "CTRU_CGM"]].dropna().reset_index()
    paired.columns = pd.Index(["person", "minute", "blood_mg_dl", "sensor_mg_dl"])
    paired.insert(1, "sensor", SENSOR)
    return paired


def _curves(folder: Path) -> pd.DataFrame:
    found = sorted(folder.glob("filtered_ogtt_glucose_timeseries_*.csv"))
    path = found[-1] if found else folder / "filtered_ogtt_glucose_timeseries_*.csv"
    table = pd.read_csv(existing(path, "the table of tolerance tests"))
    table.columns = pd.Index(["person", "minute", "with_sensor", "place", "glucose_mg_dl"])
    table["with_sensor"] = table.with_sensor.str.startswith("venous_with_")
    table["glucose_mg_dl"] = table.glucose_mg_dl.astype(float)
    return table


def _people(folder: Path) -> pd.DataFrame:
    path = folder / "filtered_study_participants_characteristics.csv"
    table = pd.read_csv(existing(path, "the table of people"))
    table = table[table.ExperimentType.str.startswith("venous_with_")]
    bands = table.Age.str.split("-", expand=True).astype(float)
    people = pd.DataFrame(
        {
            "person": table.SubjectID,
            "condition": table.HbA1c.map(condition_of_hba1c),
            "age": (bands[0] + bands[1] + 1) / 2,
            "sex": table.Sex.map({"F": "female", "M": "male"}),
            "height_cm": float("nan"),
            "weight_kg": float("nan"),
            "hba1c_percent": table.HbA1c,
            "fasting_glucose_mg_dl": optional_numbers(table, "FPG"),
        }
    )
    return people[list(PEOPLE_COLUMNS)]
