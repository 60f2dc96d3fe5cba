"""Just below and just above each threshold of what is known, the curves differ by < 3 mg/dL."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_days import NOON, ending, recorded

from postmeal import CgmTrace, Meal, Predictor, Profile, fit_personal
from postmeal.assets import asset
from postmeal.glucose.notes import OLD_HISTORY

KNOWING = Predictor.load(asset("models/population-4"))
MOST_MG_DL = 3.0
MEAL = Meal.of_macros(carbs_g=80, fiber_g=5, protein_g=15, fat_g=10, time=NOON)
LEVELS = {"none": 100.0, "prediabetes": 115.0, "type_2_diabetes": 150.0, "type_1_diabetes": 165.0}


def difference(one, other):
    """Return the greatest difference between two curves."""
    return float(np.abs(np.subtract(one.glucose_mg_dl, other.glucose_mg_dl)).max())


def last(trace, hours):
    """Return the last hours of a trace."""
    rows = slice(-round(12 * hours) - 1, None)
    return CgmTrace.of(trace.utc_s[rows], 0, trace.glucose_mg_dl[rows])


@st.composite
def people(draw):
    """Draw a person, and the readings and meals of the sixteen days before a meal."""
    condition = draw(st.sampled_from(list(LEVELS)))
    apart, rise = draw(st.floats(-20, 45)), draw(st.floats(0.3, 2.5))
    days = recorded(draw(st.integers(0, 99)), 16, level_mg_dl=LEVELS[condition] + apart, rise=rise)
    return Profile(health_conditions=(condition,)), days


@pytest.mark.parametrize("ending_min", [5, 180])
@pytest.mark.parametrize("hours", [12, 24, 72, 120])
@settings(max_examples=20)
@given(people())
def test_ten_minutes_more_of_a_trace_do_not_change_the_curve_much(hours, ending_min, person):
    profile, days = person
    trace = ending(days.trace, ending_min)
    shorter, longer = (
        KNOWING.predict(profile, MEAL, sensor="Libre", trace=last(trace, hours + more))
        for more in (-1 / 12, 1 / 12)
    )
    assert difference(shorter, longer) < MOST_MG_DL


@pytest.mark.parametrize("age_min", [15, 60])
@settings(max_examples=20)
@given(people(), st.floats(50, 350))
def test_half_a_minute_does_not_decide_about_a_reading(age_min, person, start_mg_dl):
    profile, days = person
    for given_ in (
        lambda age: {"trace": ending(days.trace, age)},
        lambda age: {"start_mg_dl": start_mg_dl, "start_age_min": age},
    ):
        younger, older = (
            KNOWING.predict(profile, MEAL, sensor="Dexcom", **given_(age_min + more))
            for more in (-0.25, 0.25)
        )
        assert difference(younger, older) < MOST_MG_DL


@pytest.fixture(scope="module")
def wearers():
    """Return people with a personal model from sixteen days."""
    return [
        (profile, fit_personal(KNOWING, profile, *days, sensor="Libre"))
        for seed, (condition, level_mg_dl) in enumerate(LEVELS.items())
        for apart, rise in ((-15.0, 0.5), (30.0, 1.8))
        if (profile := Profile(health_conditions=(condition,)))
        and (days := recorded(seed, 16, level_mg_dl=level_mg_dl + apart, rise=rise))
    ]


@pytest.mark.parametrize("start_mg_dl", [None, 150.0])
@pytest.mark.parametrize("age_days", [13, 14, 15, 26, 27, 28, 40])
def test_a_history_that_is_a_day_older_does_not_change_the_curve_much(
    wearers, age_days, start_mg_dl
):
    for profile, own in wearers:
        one, other = (
            KNOWING.predict(
                profile,
                replace(MEAL, time=NOON + timedelta(days=own.last_day - _NOON_DAY + age)),
                personal=own,
                start_mg_dl=start_mg_dl,
            )
            for age in (age_days, age_days + 1)
        )
        assert difference(one, other) < MOST_MG_DL


def test_the_note_of_an_old_history_comes_when_nothing_of_the_level_is_left(wearers):
    profile, own = wearers[1]
    for age_days, is_old in ((14, False), (27, False), (28, True)):
        time = NOON + timedelta(days=own.last_day - _NOON_DAY + age_days)
        found = KNOWING.predict(profile, replace(MEAL, time=time), personal=own)
        assert (OLD_HISTORY in found.notes) == is_old


@pytest.mark.parametrize("edge", [1.0, 1.2])
def test_a_slightly_better_model_is_not_used_much_more(wearers, edge):
    for profile, own in wearers:
        base = own.population_rmse_mg_dl
        models = [
            replace(own, personal_rmse_mg_dl=base * each, response_rmse_mg_dl=base * each)
            for each in (edge - 0.001, edge + 0.001)
        ]
        assert [model.share_on(own.last_day, KNOWING.personal_prior) for model in models] == (
            pytest.approx([1 if edge == 1 else 0] * 2, abs=0.01)
        )
        one, other = (KNOWING.predict(profile, MEAL, personal=model) for model in models)
        assert difference(one, other) < MOST_MG_DL


def test_the_first_logged_meal_moves_the_curve_only_a_little():
    profile, days = Profile(), recorded(8, 3)
    alone = {"sensor": "Libre", "trace": days.trace, "since_meal_h": 4.5}
    before = KNOWING.predict(profile, MEAL, **alone)
    first = days.meals.only(np.arange(len(days.meals.utc_s)) < 1)
    used = KNOWING.predict(profile, MEAL, **alone, meals=first)
    assert used.is_personal
    assert 0 < difference(before, used) < MOST_MG_DL


_NOON_DAY = NOON.toordinal() - 719_163
