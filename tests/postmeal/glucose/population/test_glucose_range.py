"""The range holds 95% of readings after meals, in the units of the sensor."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from postmeal import CgmTrace, Meal, Predictor, Profile
from postmeal.assets import asset
from postmeal.glucose.population.glucose_range import are_artefacts, ends_of_readings

KNOWING = Predictor.load(asset("models/population-4"))
NOON = datetime(2026, 5, 4, 12, 0)
SNACK = Meal.of_macros(carbs_g=10, fiber_g=1, protein_g=2, fat_g=1, time=NOON)
STATES = {"none": "normal", "prediabetes": "prediabetes", "type_2_diabetes": "type_2"}


def someone(condition="none"):
    return Profile(age=40, health_conditions=[] if condition == "none" else [condition])


def trace(hours, level_mg_dl=100.0, night_mg_dl=None):
    """Return readings every 15 minutes that end at noon, with a wave of 20 mg/dL."""
    minutes = np.arange(hours * 60, 0, -15)
    times = [NOON - timedelta(minutes=int(minute)) for minute in minutes]
    glucose = level_mg_dl + 20 * np.sin(minutes / 37)
    if night_mg_dl is not None:
        glucose = np.where([time.hour < 6 for time in times], night_mg_dl, glucose)
    epoch = datetime(1970, 1, 1)
    return CgmTrace.of([(time - epoch).total_seconds() for time in times], 0, glucose)


@pytest.mark.parametrize("condition", STATES)
@pytest.mark.parametrize(
    ("sensor", "lowest", "highest"), [(None, 60, 85), ("Libre", 60, 85), ("Dexcom G6", 70, 95)]
)
def test_the_low_end_is_neither_alarming_nor_high(condition, sensor, lowest, highest):
    """Row 466: no healthy person is told that 40 mg/dL, a severe hypoglycemia, is usual."""
    found = KNOWING.predict(someone(condition), SNACK, sensor=sensor)
    assert lowest <= found.cgp_min <= highest


@pytest.mark.parametrize("sensor", [None, "Libre", "Dexcom G6"])
def test_worse_regulation_reaches_higher(sensor):
    highs = [KNOWING.predict(someone(each), SNACK, sensor=sensor).cgp_max for each in STATES]
    assert highs == sorted(set(highs))


def test_the_range_of_a_trace_is_mostly_that_of_its_own_waking_readings():
    found = KNOWING.predict(someone(), SNACK, trace=trace(72), sensor="Dexcom G6")
    usual = KNOWING.predict(someone(), SNACK, sensor="Dexcom G6")
    assert usual.cgp_min < found.cgp_min < 85
    assert 120 < found.cgp_max < usual.cgp_max
    at_night = KNOWING.predict(someone(), SNACK, trace=trace(72, night_mg_dl=52), sensor="Dexcom")
    assert at_night.cgp_min == found.cgp_min


def test_a_trace_that_is_too_short_leaves_the_range_of_the_condition():
    short = KNOWING.predict(someone(), SNACK, trace=trace(11), sensor="Dexcom G6")
    plain = KNOWING.predict(someone(), SNACK, sensor="Dexcom G6")
    assert (short.cgp_min, short.cgp_max) == (plain.cgp_min, plain.cgp_max)


def test_the_range_is_the_same_for_every_meal_unless_a_curve_leaves_it():
    """Row 274."""
    large = Meal.of_macros(carbs_g=120, fiber_g=2, protein_g=5, fat_g=2, time=NOON)
    narrow = {state: replace(each, high_mg_dl=130.0) for state, each in KNOWING.ranges.items()}
    predictor = replace(KNOWING, ranges=narrow)
    snack, meal = (predictor.predict(someone(), each) for each in (SNACK, large))
    assert snack.cgp_max == 130
    assert meal.cgp_max == np.ceil(meal.peak_mg_dl) > 130
    assert snack.cgp_min == meal.cgp_min


def test_a_dip_is_an_artefact_only_if_glucose_was_and_is_again_higher():
    curves = np.array([[90.0, 60, 90, 90], [90, 60, 75, 60], [60, 90, 90, 60], [90, 75, 90, 90]])
    assert are_artefacts(curves).sum(axis=1).tolist() == [1, 0, 0, 0]


def test_the_ends_are_quantiles_of_the_readings():
    readings = np.arange(100.0, 201.0)[None]
    assert ends_of_readings(readings) == pytest.approx((102.5, 197.5))
