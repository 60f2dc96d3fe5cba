"""The formula: what physiology demands of it, at any minute."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postmeal.glucose.population.curve import GRID_MIN, iauc_mg_dl_min, peak_min, peak_rise_mg_dl
from postmeal.glucose.population.features import Meals, fill_unknown
from postmeal.glucose.population.formula import PopulationModel, time_of_day
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor

FINE = np.arange(0, 241.0)
MODEL = Predictor.load().population

grams = st.floats(0, 300)
meals = st.tuples(grams, st.floats(0, 60), grams, grams)
hours = st.floats(0, 23.99)
states = st.integers(0, len(STATES) - 1)


def rise(macronutrients, hour=12.0, state=0, minutes=FINE, model=MODEL):
    table = np.atleast_2d(np.array(macronutrients, dtype=float))
    n = len(table)
    return model.rise(Meals(table, np.full(n, hour), np.full(n, state)), minutes)


@settings(max_examples=1000)
@given(meals, st.floats(0, 300), hours, states)
def test_more_carbohydrate_never_lowers_the_peak_nor_any_minute(meal, more, hour, state):
    """Row 463, row 293: 1,000 meals, every minute of four hours."""
    carbs, *rest = meal
    less, greater = rise([[carbs, *rest], [carbs + more, *rest]], hour, state)
    assert (greater >= less - 1e-9).all()


@settings(max_examples=1000)
@given(meals, st.floats(1, 10), hours, states)
def test_a_bigger_portion_never_lowers_any_minute(meal, factor, hour, state):
    """Row 293 for whole portions: protein, fat and fibre grow with the carbohydrate."""
    single, bigger = rise([meal, [factor * amount for amount in meal]], hour, state)
    assert (bigger >= single - 1e-9).all()


@settings(max_examples=200)
@given(meals, hours, states)
def test_a_curve_is_finite_and_starts_at_its_level(meal, hour, state):
    """Row 464."""
    curve = rise(meal, hour, state)[0]
    assert np.isfinite(curve).all()
    assert curve[0] == 0


@settings(max_examples=200)
@given(grams, grams, hours, states)
def test_a_meal_without_carbohydrate_stays_within_15_mg_dl(protein, fat, hour, state):
    """Row 462."""
    curve = rise([0, 0, protein, fat], hour, state, np.array(GRID_MIN))[0]
    assert np.abs(curve).max() <= 15


def test_protein_fat_and_fiber_lower_the_peak():
    plain, *others = rise([[60, 0, 0, 0], [60, 0, 30, 0], [60, 0, 0, 30], [60, 10, 0, 0]])
    for other in others:
        assert other.max() < plain.max()


def test_the_graver_state_rises_higher_and_later():
    table = [60, 5, 20, 20]
    normal, prediabetes, type_2 = (rise(table, 13, state)[0] for state in range(3))
    assert normal.max() < prediabetes.max() < type_2.max()
    assert normal.argmax() <= prediabetes.argmax() <= type_2.argmax()


def test_breakfast_raises_glucose_most_in_type_2_and_hardly_more_in_health():
    table = [60, 5, 20, 20]
    assert rise(table, 8, 2).max() > 1.2 * rise(table, 13, 2).max()
    assert rise(table, 8, 0).max() < 1.1 * rise(table, 13, 0).max()


def test_protein_and_fat_stretch_the_fall_after_the_peak():
    lean, rich = rise([[60, 0, 0, 0], [60, 0, 30, 30]])
    assert rich[180] / rich.max() > lean[180] / lean.max()


@settings(max_examples=100)
@given(st.lists(st.integers(0, 240), min_size=1, max_size=20, unique=True).map(sorted))
def test_any_minute_grid_shows_the_same_curve(minutes):
    everywhere = rise([60, 5, 20, 20])[0]
    assert rise([60, 5, 20, 20], minutes=np.array(minutes, float))[0] == pytest.approx(
        everywhere[minutes], abs=1e-9
    )


def test_the_model_survives_a_trip_through_plain_values():
    assert PopulationModel.from_dict(MODEL.to_dict()) == MODEL


@given(hours)
def test_no_hour_is_morning_and_evening_at_once(hour):
    day = time_of_day(np.array([hour]))
    assert 0 <= day.morning[0] + day.evening[0] <= 1.0001


def test_unknown_fiber_is_typical_and_other_unknowns_are_none():
    filled = fill_unknown(np.array([[100.0, np.nan, np.nan, np.nan], [np.nan] * 4]))
    assert filled.tolist() == [[100.0, 9.0, 0.0, 0.0], [0.0] * 4]


@settings(max_examples=200)
@given(st.lists(st.floats(40, 400), min_size=9, max_size=9))
def test_the_incremental_area_equals_a_sum_over_seconds(points):
    curve = np.array([points])
    fine = np.interp(np.linspace(0, 120, 7201), GRID_MIN, points)
    above = np.maximum(fine - points[0], 0)
    expected = ((above[1:] + above[:-1]) / 2).sum() * 120 / 7200
    assert iauc_mg_dl_min(curve)[0] == pytest.approx(expected, rel=1e-3, abs=1)


def test_peak_and_its_minute_are_read_off_the_first_highest_point():
    curve = np.array([[90.0, 120.0, 150.0, 150.0, 140.0, 130.0, 120.0, 110.0, 100.0]])
    assert peak_rise_mg_dl(curve)[0] == 60
    assert peak_min(curve)[0] == 30
