"""Weights of carbohydrate by kind, and what they never break."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal import Meal, Nutrients, Predictor, Profile, Selection, Serving
from postmeal.foods.food import Food
from postmeal.glucose.population.carbohydrate_kind import (
    CARB_WEIGHTS,
    EQUAL_WEIGHTS,
    carb_weight,
    sugary_share,
    weighted_carbs,
)
from postmeal.glucose.population.features import Meals, fasting, food_macronutrients, meal_inputs

PREDICTOR = Predictor.load()
SERVING = Serving(1, 1.0, "serving", 1.0, None, is_default=True)
SOMEONE = Profile(age=45, sex="female", height_cm=168, weight_kg=68, health_conditions=[])
UNKNOWN = float("nan")

foods = st.builds(
    lambda carbs, fiber, sugars, protein, fat, index: Food(
        1,
        "food",
        "generic",
        "",
        Nutrients(
            {
                "carbs_g": carbs,
                "fiber_g": fiber * carbs,
                "protein_g": protein,
                "fat_g": fat,
                **({} if sugars is None else {"sugars_g": sugars * carbs}),
            }
        ),
        (SERVING,),
        glycemic_index=index,
    ),
    st.floats(0, 90),
    st.floats(0, 1),
    st.none() | st.floats(0, 1),
    st.floats(0, 40),
    st.floats(0, 40),
    st.none() | st.floats(10, 103),
)


def curve(*selections: Selection) -> np.ndarray:
    meal = Meal(selections, datetime(2026, 5, 1, 13))
    return np.array(PREDICTOR.predict(SOMEONE, meal).glucose_mg_dl)


@given(food=foods, factor=st.floats(1, 4))
def test_a_larger_portion_of_any_kind_lowers_no_point_of_the_curve(food, factor):
    one = Selection.of(food)
    more = replace(one, quantity=one.quantity * factor)
    assert (curve(more) >= curve(one) - 1e-9).all()


@given(food=foods, other=foods, grams=st.floats(0, 60))
def test_more_carbohydrate_of_any_kind_lowers_no_point_of_the_curve(food, other, grams):
    """Pure carbohydrate of the kind of `food` is added to a meal with another food."""
    known = food.nutrients
    share = known["sugars_g"] / known["carbs_g"] if known["carbs_g"] else UNKNOWN
    sugars = {} if np.isnan(share) else {"sugars_g": share * grams}
    amounts = {"carbs_g": grams, "fiber_g": 0.0, "protein_g": 0.0, "fat_g": 0.0, **sugars}
    added = replace(food, nutrients=Nutrients(amounts))
    without = curve(Selection.of(other))
    assert (curve(Selection.of(other), Selection.of(added)) >= without - 1e-9).all()


@given(food=foods)
def test_the_weights_are_positive_and_neutral_if_nothing_is_known(food):
    carbs_g = food.nutrients["carbs_g"]
    weight, kind = carb_weight(
        carbs_g, food.nutrients["sugars_g"], food.glycemic_index, CARB_WEIGHTS
    )
    assert 0.5 < weight <= CARB_WEIGHTS.glucose
    assert (weight == 1.0) or kind in ("sugars", "glucose")
    assert carb_weight(carbs_g, UNKNOWN, None, CARB_WEIGHTS) == (1.0, "other")


@given(food=foods)
def test_equal_weights_leave_the_carbohydrate_unchanged(food):
    selections = (Selection.of(food),)
    equal = food_macronutrients(selections, EQUAL_WEIGHTS)
    assert equal == pytest.approx(food_macronutrients(selections), abs=1e-12)
    assert meal_inputs(selections, EQUAL_WEIGHTS).kinds == ()


@given(first=foods, second=foods)
def test_a_meal_is_the_sum_of_its_foods(first, second):
    selections = (Selection.of(first), Selection.of(second, 2))
    found = meal_inputs(selections, CARB_WEIGHTS)
    expected = food_macronutrients(selections, CARB_WEIGHTS).sum(axis=0)
    assert found.macronutrients == pytest.approx(expected.tolist(), abs=1e-9)
    assert found.carbs_g == pytest.approx(food_macronutrients(selections)[:, 0].sum(), abs=1e-9)


def test_a_single_food_is_weighted_as_an_array_of_foods_is():
    carbs = np.full(7, 40.0)
    sugars = np.array([0.0, 16.0, 20.0, 24.0, 28.0, 40.0, np.nan])
    weights = 1 - (1 - CARB_WEIGHTS.sugary) * sugary_share(carbs, sugars)
    alone = [carb_weight(40.0, each, None, CARB_WEIGHTS)[0] for each in sugars.tolist()]
    assert weights.tolist() == pytest.approx(alone)
    assert weights[0] == weights[1] == weights[-1] == 1.0
    assert weights[-2] == CARB_WEIGHTS.sugary
    assert weighted_carbs(carbs, np.full(7, 4.0), weights).tolist() == pytest.approx(
        [2 + 38 * each for each in alone]
    )


def test_a_known_glycemic_index_raises_the_weight_of_sugars():
    low, high = (carb_weight(10.0, 10.0, index, CARB_WEIGHTS)[0] for index in (36.0, 90.0))
    assert low == CARB_WEIGHTS.sugary
    assert high == pytest.approx(90 / 103)
    assert carb_weight(75.0, 75.0, 103.0, CARB_WEIGHTS) == (CARB_WEIGHTS.glucose, "glucose")


def test_fasting_and_an_unknown_previous_meal():
    hours = np.array([0.0, 6.0, 14.0, 1000.0, np.nan])
    meals = Meals(np.zeros((5, 4)), np.full(5, 8.0), np.zeros(5, dtype=np.intp), hours)
    assert fasting(meals).round(3).tolist() == [0.002, 0.5, 1.0, 1.0, 0.5]
    assert fasting(meals._replace(since_meal_h=None)).tolist() == [0.5] * 5
