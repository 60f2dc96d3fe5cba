"""Whatever is known about a person, every way to ask gives the same prediction."""

import random
from dataclasses import astuple
from datetime import UTC, timedelta
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from recorded_days import NOON, ending, recorded

from postmeal import Meal, Predictor, Profile, fit_personal, predict_frame
from postmeal.assets import asset
from postmeal.glucose.population.features import MACRONUTRIENTS

KNOWING = Predictor.load(asset("models/population-4"))
N_STATES = 200
CONDITIONS = ("none", "prediabetes", "type_2_diabetes", "type_1_diabetes", "lada")


def known(number):
    """Return a random state of knowledge about a person, and a meal."""
    chance = random.Random(number)
    given = {
        "start_mg_dl": chance.uniform(60, 220),
        "start_age_min": chance.choice([0.0, 5.0, 14.0, 25.0, 50.0, 90.0]),
        "since_meal_h": chance.uniform(0.5, 14),
        "hba1c_percent": chance.uniform(4.9, 8.5),
        "fasting_glucose_mg_dl": chance.uniform(75, 170),
        "sensor": chance.choice(["Dexcom G6", "FreeStyle Libre 2"]),
    }
    given = {name: value for name, value in given.items() if chance.random() < 0.4}
    days = chance.choice([0.4, 0.7, 1.0, 1.6, 3.0, 5.0, 7.0])
    about = {"level_mg_dl": chance.uniform(90, 150), "rise": chance.uniform(0.4, 2.0)}
    if chance.random() < 0.6:
        trace, meals = recorded(number, days, **about)
        given["trace"] = ending(trace, chance.choice([0, 5, 15, 20, 45, 70, 300]))
        if chance.random() < 0.5:
            given["meals"] = meals
    time = NOON + timedelta(minutes=chance.randrange(-300, 300) if "trace" not in given else 0)
    grams = {name: chance.uniform(0, 60) for name in MACRONUTRIENTS}
    grams["fiber_g"] /= 10
    meal = Meal.of_macros(**grams, time=time.date() if chance.random() < 0.1 else time)
    return chance.choice(CONDITIONS), meal, grams, given


def same(one, other):
    """Compare two predictions, numbers to 1e-9."""
    for field in ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), abs=1e-9)
    assert astuple(one.chances) == pytest.approx(astuple(other.chances), abs=1e-9)
    for field in ("impact", "cgp_min", "cgp_max", "is_personal", "model_version"):
        assert getattr(one, field) == getattr(other, field)
    for field in ("notes", "inputs_used", "warnings"):
        assert getattr(one, field) == getattr(other, field)


@pytest.mark.sampled
@pytest.mark.parametrize("predictor", [KNOWING, Predictor.load()], ids=lambda one: one.version)
def test_one_prediction_many_and_a_table_agree_for_200_states_of_knowledge(predictor):
    states = [known(number) for number in range(N_STATES)]
    profiles = [Profile(health_conditions=(condition,)) for condition, *_ in states]
    meals = [meal for _, meal, _, _ in states]
    columns = {
        name: [given.get(name) for *_, given in states]
        for name in dict.fromkeys(key for *_, given in states for key in given)
    }
    of_people = {"traces": columns.pop("trace"), "meals": columns.pop("meals")}
    many = predictor.predict_many(
        profiles, meals, trace=of_people["traces"], earlier_meals=of_people["meals"], **columns
    )
    frame = pd.DataFrame([grams for _, _, grams, _ in states]).assign(
        time=[meal.time for meal in meals],
        health_conditions=[condition for condition, *_ in states],
        person=range(N_STATES),
        **columns,
    )
    keyed = {
        name: {person: one for person, one in enumerate(column) if one is not None}
        for name, column in of_people.items()
    }
    table = predict_frame(frame, predictor, **keyed)
    assert table["glucose_mg_dl"].to_numpy() == pytest.approx(
        many.table.glucose_mg_dl.ravel(), abs=1e-9
    )
    for name in ("lower_mg_dl", "upper_mg_dl"):
        assert table[name].to_numpy() == pytest.approx(getattr(many.table, name).ravel(), abs=1e-9)
    told = table.groupby("row", sort=False)[["notes", "inputs_used", "warnings"]].first()
    for number, (_, meal, _, given) in enumerate(states):
        one = predictor.predict(profiles[number], meal, **given)
        same(many[number], one)
        assert told.loc[number, "notes"] == " ".join(one.notes)
        assert told.loc[number, "inputs_used"] == ",".join(
            item.name for item in one.inputs_used if item.used
        )
        assert told.loc[number, "warnings"] == ",".join(item.code for item in one.warnings)


@pytest.mark.parametrize("predictor", [KNOWING, Predictor.load()], ids=lambda one: one.version)
@pytest.mark.parametrize("days", [6, 9])
def test_from_five_complete_days_a_model_fitted_before_gives_the_same_curve(predictor, days):
    profile = Profile(health_conditions=("prediabetes",))
    trace, meals = recorded(11, days, level_mg_dl=120, rise=1.5)
    meal = Meal.of_macros(carbs_g=70, fiber_g=6, protein_g=20, fat_g=9, time=NOON)
    own = fit_personal(predictor, profile, trace, meals, sensor="Libre")
    assert 5 <= own.n_days < days
    since_meal_h = meals.hours_since_meal(NOON.replace(tzinfo=UTC).timestamp())
    fitted = predictor.predict(profile, meal, personal=own, trace=trace, since_meal_h=since_meal_h)
    logged = predictor.predict(profile, meal, sensor="Libre", trace=trace, meals=meals)
    assert logged.is_personal
    assert logged.glucose_mg_dl == pytest.approx(fitted.glucose_mg_dl, abs=1e-9)
    assert logged.upper_mg_dl == pytest.approx(fitted.upper_mg_dl, abs=1e-9)


@pytest.mark.reliability
def test_a_day_more_of_meals_is_not_worse_on_the_whole():
    """On made-up people whose rises differ, the error of later curves falls from day to day."""
    errors = {days: [] for days in (0, 1, 2, 3, 4, 5, 6)}
    for seed in range(12):
        rise = 0.5 + 0.15 * seed
        trace, meals = recorded(seed, 8, level_mg_dl=105, rise=rise)
        for carbs_g in (30.0, 90.0):
            meal = Meal.of_macros(carbs_g=carbs_g, fiber_g=0, protein_g=10, fat_g=8, time=NOON)
            after = np.array([0, *range(15, 121, 15)]) / 50
            truth = rise * 0.7 * carbs_g * after * np.exp(1 - after)
            for days, found in errors.items():
                since_s = NOON.replace(tzinfo=UTC).timestamp() - 86400 * days
                eaten = meals.only(meals.utc_s >= since_s)
                known = {"sensor": "Libre", "trace": trace, "since_meal_h": 4.5}
                if len(eaten):
                    known["meals"] = eaten
                curve = np.array(KNOWING.predict(Profile(), meal, **known).glucose_mg_dl)
                found.append(np.sqrt(((curve - curve[0] - truth) ** 2).mean()))
    means = [float(np.mean(found)) for found in errors.values()]
    assert means[0] > means[1] > means[2] > means[4] > means[6]
    assert all(later < earlier + 0.2 for earlier, later in pairwise(means))
