"""Meal histories, and the meals used for training."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal import Meal, parse_meal
from postmeal.errors import InputError
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory, responses
from postmeal.glucose.population.carbohydrate_kind import CARB_WEIGHTS
from postmeal.glucose.population.features import MACRONUTRIENTS, food_macronutrients
from postmeal.training.datasets.meals_table import GLUCOSE_COLUMNS, meals_table
from postmeal.training.synthetic.cohort import synthetic_cohort

NAN = float("nan")
STEADY = CgmTrace.of(300 * np.arange(500.0), 0, 100 + np.arange(500) % 9)


def meal_history(*rows: tuple[float, ...]) -> MealHistory:
    """Minutes and grams of carbohydrate, fibre, protein and fat."""
    return MealHistory.of([60 * row[0] for row in rows], 0, [row[1:] for row in rows])


def test_entries_within_15_minutes_are_one_meal_at_the_time_of_the_first():
    found = responses(STEADY, meal_history((10, 20, 1, 2, 3), (0, 30, 1, 2, 3), (25, 5, 1, 2, 3)))
    assert found.utc_s.tolist() == [0]
    assert found.macronutrients.tolist() == [[55, 3, 6, 9]]


def test_a_curve_ends_with_the_first_bites_of_the_next_meal():
    found = responses(STEADY, meal_history((0, 30, 1, 2, 3), (56, 30, 1, 2, 3), (171, 30, 1, 2, 3)))
    assert found.utc_s.tolist() == [0, 56 * 60, 171 * 60]
    assert np.isfinite(found.glucose_mg_dl).sum(axis=1).tolist() == [5, 9, 9]
    assert found.is_complete.tolist() == [False, True, True]
    assert found.since_meal_h.tolist() == [np.inf, 56 / 60, 115 / 60]
    assert found.only(found.is_complete).utc_s.tolist() == [56 * 60, 171 * 60]


def test_water_is_no_food():
    found = responses(STEADY, meal_history((0, 30, 1, 2, 3), (60, 0, 0, 0, 0), (90, 1, 0, 0, 0)))
    assert found.utc_s.tolist() == [0]
    assert found.macronutrients.tolist() == [[30, 1, 2, 3]]


def test_food_has_at_least_5_kcal():
    """A gram of carbohydrate or protein has 4 kcal, and a gram of fat 9."""
    least = ((0, 1.25, 0, 0, 0), (200, 0, 0, 1.25, 0), (400, 0, 0, 0, 5 / 9))
    assert len(responses(STEADY, meal_history(*least)).utc_s) == 3
    less = ((0, 1.24, 0, 0, 0), (200, 0, 0, 1.24, 0), (400, 0, 0, 0, 0.55))
    assert len(responses(STEADY, meal_history(*less)).utc_s) == 0


def test_the_previous_meal_is_the_last_that_began_before_and_is_not_the_same():
    """Minutes 0 and 10 are one meal; 116 belongs to the meal at 120, as within 15 minutes."""
    eaten = meal_history((116, 9, 1, 2, 3), (10, 9, 1, 2, 3), (0, 30, 1, 2, 3), (200, 9, 1, 2, 3))
    assert eaten.hours_since_meal(120 * 60) == 2
    assert eaten.hours_since_meal(140 * 60) == 24 / 60
    assert eaten.hours_since_meal(200 * 60) == 84 / 60
    assert eaten.hours_since_meal(260 * 60) == 1


def test_there_is_no_previous_meal_before_the_first_nor_within_it():
    eaten = meal_history((0, 30, 1, 2, 3), (60, 0, 0, 0, 0))
    assert [eaten.hours_since_meal(60 * minute) for minute in (-5, 0, 15)] == [None] * 3
    assert eaten.hours_since_meal(90 * 60) == 1.5  # not since the water
    assert meal_history().hours_since_meal(0) is None


def test_a_meal_of_unknown_carbohydrate_is_left_out_but_ends_the_one_before():
    found = responses(
        STEADY, meal_history((0, 30, 1, 2, 3), (60, NAN, 0, 0, 0), (300, 40, 1, 2, 3))
    )
    assert found.utc_s.tolist() == [0, 300 * 60]
    assert found.is_complete.tolist() == [False, True]


def test_what_else_is_unknown_is_filled_as_for_a_food():
    found = responses(STEADY, meal_history((0, 50, NAN, NAN, NAN)))
    assert found.macronutrients.tolist() == [[50, 4.5, 0, 0]]


def test_what_the_sensor_missed_stays_unknown_and_a_meal_needs_its_first_reading():
    missed = (STEADY.utc_s > 30 * 60) & (STEADY.utc_s < 90 * 60)
    holed = CgmTrace.of(STEADY.utc_s[~missed], 0, STEADY.glucose_mg_dl[~missed])
    known = responses(holed, meal_history((0, 30, 1, 2, 3))).glucose_mg_dl
    assert np.isfinite(known).tolist() == [[True] * 3 + [False] * 3 + [True] * 3]
    assert len(responses(holed, meal_history((60, 30, 1, 2, 3))).utc_s) == 0


def test_no_meals_or_no_readings_give_no_responses():
    for found in (
        responses(STEADY, meal_history()),
        responses(CgmTrace.of([], 0, []), meal_history((0, 30, 1, 2, 3))),
    ):
        assert found.glucose_mg_dl.shape == (0, 9)
        assert found.macronutrients.shape == (0, 4)


@given(
    st.lists(st.tuples(st.integers(0, 2000), *[st.floats(0, 90)] * 4), min_size=1, max_size=25),
    st.randoms(),
)
def test_meals_are_the_same_to_the_last_bit_for_any_order(rows, random):
    """Row 467."""
    expected = [column.tobytes() for column in responses(STEADY, meal_history(*rows))]
    random.shuffle(rows)
    assert [column.tobytes() for column in responses(STEADY, meal_history(*rows))] == expected


def test_hour_and_day_are_those_of_the_eaters_clock():
    late = datetime(2026, 5, 1, 22, 30, tzinfo=UTC)
    start = late.timestamp()
    steady = CgmTrace.of(start + STEADY.utc_s, 0, STEADY.glucose_mg_dl)
    meals = MealHistory.of([start], 0, [[30, 1, 2, 3]]).in_zone(ZoneInfo("Europe/Berlin"))
    found = responses(steady, meals)
    assert found.hour.tolist() == [0.5]
    assert found.day.tolist() == [(datetime(2026, 5, 2) - datetime(1970, 1, 1)).days]


def test_meals_become_entries_with_the_macronutrients_of_their_foods(catalog):
    breakfast = tuple(parse_meal("1 cup oatmeal, 1 banana", catalog))
    times = [datetime(2026, 5, 1, 8), datetime(2026, 5, 1, 8, tzinfo=ZoneInfo("Asia/Tokyo"))]
    made = MealHistory.from_meals(Meal(breakfast, time) for time in times)
    assert made.utc_s[0] - made.utc_s[1] == 9 * 3600
    assert made.utc_offset_s.tolist() == [0, 9 * 3600]
    expected = food_macronutrients(breakfast, CARB_WEIGHTS).sum(axis=0)
    assert made.macronutrients.tolist() == [expected.tolist()] * 2
    there = MealHistory.from_meals([Meal(breakfast, times[0])], zone=ZoneInfo("Asia/Tokyo"))
    named = MealHistory.from_meals([Meal(breakfast, times[0])], zone="Asia/Tokyo")
    assert there.utc_s.tolist() == named.utc_s.tolist() == [made.utc_s[1]]
    assert len(MealHistory.from_meals([])) == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (([0], 0, [[-1, 0, 0, 0]]), r"meals\[0\].carbs_g must be 0 g or more, got -1"),
        (([0], 0, [[1, 0, float("inf"), 0]]), r"meals\[0\].protein_g must be"),
        (
            ([0, 1], 0, [[1, 0, 0, 0]]),
            r"meals must have the shape \(2, 4\) with the columns carbs_g",
        ),
        (([0], 0, [["a", 0, 0, 0]]), "meals must be rows of numbers"),
        (([0, 1], 0, [[1, 0, 0, 0], [1]]), "meals must be rows of numbers"),
        (([NAN], 0, [[1, 0, 0, 0]]), r"meals\[0\].time must be"),
    ],
)
def test_impossible_entries_are_refused_by_name(arguments, problem):
    with pytest.raises(InputError, match=problem):
        MealHistory.of(*arguments)


@pytest.mark.reliability
def test_one_person_has_the_meals_that_training_finds():
    """What the released model learned from and what a person's own does are cut alike."""
    cohort = synthetic_cohort(n_people=3, n_days=6, seed=5)
    table = meals_table(cohort)
    for person in cohort.people.person:
        log = cohort.entries[cohort.entries.person == person]
        read = cohort.readings[cohort.readings.person == person]
        trace = CgmTrace.from_readings(zip(read.time, read.glucose_mg_dl, strict=True))
        times = [(time - datetime(1970, 1, 1)) / timedelta(seconds=1) for time in log.time]
        found = responses(
            trace, MealHistory.of(times, 0, log[list(MACRONUTRIENTS)].to_numpy(float))
        )
        own = table[table.person == person]
        starts = [(time - datetime(1970, 1, 1)) / timedelta(seconds=1) for time in own.meal_time]
        assert len(starts) > 10
        assert found.is_complete.sum() >= len(starts)
        found = found.only(np.isin(found.utc_s, starts))
        assert found.glucose_mg_dl.tolist() == own[list(GLUCOSE_COLUMNS)].to_numpy(float).tolist()
        assert found.macronutrients == pytest.approx(own[list(MACRONUTRIENTS)].to_numpy(float))
