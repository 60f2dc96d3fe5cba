"""Meals that nobody eats are refused, in one prediction, in a table and in a history."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from postmeal import (
    Food,
    InputError,
    Meal,
    MealHistory,
    Nutrients,
    Predictor,
    Profile,
    Selection,
    Serving,
)
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import responses
from postmeal.glucose.history.training_days import training_days
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.glucose.population.meal_limits import check_meal
from postmeal.training.evaluation.released_model import predict_table

PREDICTOR = Predictor.load()
SOMEONE = Profile(age=40, sex="female", height_cm=170, weight_kg=70)
NOON = datetime(2026, 5, 1, 12)
FOOD = "must be at most 5000 g of one food"
MEAL = "must weigh at most 10000 g in total"
CARBS = "must contain at most 1000 g of carbohydrate in total"


def food(name: str, carbs: float, weight_g: float | None = 100.0, fat: float = 0.0) -> Food:
    """Make a food with figures for one serving of 100 g, or of unknown mass."""
    serving = Serving(1, 1.0, "serving", 1.0, weight_g, is_default=True)
    known = {"carbs_g": carbs, "fiber_g": 0.0, "protein_g": 0.0, "fat_g": fat}
    return Food(1, name, "generic", "", Nutrients(known), (serving,))


BANANA, WATER, SUGAR = food("Banana", 20.0), food("Water", 0.0), food("Sugar", 100.0)
UNWEIGHED = food("Cake of unknown mass", 1.0, None, fat=60.0)


def meal(*parts: tuple[Food, float]) -> Meal:
    return Meal(tuple(Selection.of(what, servings) for what, servings in parts), NOON)


@pytest.mark.parametrize("call", ["predict", "contributions"])
@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([(BANANA, 10_000)], f"foods[0] {FOOD}, got 1000000 g of Banana"),
        ([(WATER, 3), (BANANA, 51)], f"foods[1] {FOOD}, got 5100 g of Banana"),
        ([(WATER, 50), (BANANA, 30), (WATER, 21)], f"foods {MEAL}, got 10100 g"),
        ([(SUGAR, 11)], f"foods {CARBS}, got 1100 g"),
        ([(UNWEIGHED, 90)], f"foods[0] {FOOD}, got 5490 g of Cake of unknown mass"),
    ],
)
def test_an_impossible_amount_names_the_food_the_amount_and_the_limit(call, parts, message):
    with pytest.raises(InputError) as caught:
        getattr(PREDICTOR, call)(SOMEONE, meal(*parts))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "parts", [[(WATER, 50), (WATER, 50)], [(SUGAR, 10)], [(BANANA, 49.9)], [(UNWEIGHED, 80)]]
)
def test_the_largest_meal_of_each_kind_is_predicted(parts):
    assert PREDICTOR.predict(SOMEONE, meal(*parts)).peak_mg_dl < 400
    assert PREDICTOR.contributions(SOMEONE, meal(*parts)).peak_mg_dl < 400


def table(**columns: float) -> pd.DataFrame:
    row = {"carbs_g": 50.0, "fiber_g": 4.0, "protein_g": 10.0, "fat_g": 8.0} | columns
    ordinary = {"carbs_g": 30.0, "fiber_g": np.nan, "protein_g": np.nan, "fat_g": 2.0}
    made = pd.DataFrame([ordinary, row])
    return made.assign(meal_time=pd.Timestamp(NOON), condition="normal", sensor="Libre")


@pytest.mark.parametrize(
    ("name", "value", "most"),
    [
        ("carbs_g", np.nan, 1000),
        ("carbs_g", -50.0, 1000),
        ("carbs_g", 1000.5, 1000),
        ("fiber_g", -1.0, 10000),
        ("protein_g", np.inf, 10000),
        ("fat_g", 1e6, 10000),
    ],
)
def test_a_table_with_an_impossible_row_is_refused_by_row_and_column(name, value, most):
    with pytest.raises(InputError) as caught:
        predict_table(PREDICTOR, table(**{name: value}))
    assert str(caught.value) == f"table, row 1: {name} must be 0 to {most} g, got {value}"


def test_a_table_may_leave_all_but_carbohydrate_unknown():
    unknown = dict.fromkeys(MACRONUTRIENTS[1:], np.nan)
    assert len(predict_table(PREDICTOR, table(**unknown)).glucose_mg_dl) == 2


def day_of(*meals: Meal) -> tuple[CgmTrace, MealHistory]:
    quarters = (
        np.arange(0.0, 86400.0, 900.0) + datetime.fromisoformat("2026-05-01T00:00Z").timestamp()
    )
    return CgmTrace.of(quarters, 0, 100 + quarters % 7), MealHistory.from_meals(meals, zone="UTC")


def at(hour: int, *parts: tuple[Food, float]) -> Meal:
    return Meal(meal(*parts).selections, datetime(2026, 5, 1, hour))


def test_an_impossible_meal_does_not_complete_a_day_and_the_reason_says_so():
    trace, meals = day_of(at(8, (BANANA, 2)), at(12, (BANANA, 10_000)))
    (day,) = training_days(trace, meals)
    assert not day.is_valid
    assert day.problems == (
        "meals at 1 time, 2 needed",
        "1 implausibly large meal not counted",
    )
    trace, meals = day_of(at(8, (BANANA, 2)), at(12, (BANANA, 10_000)), at(19, (BANANA, 1)))
    (day,) = training_days(trace, meals)
    assert day.is_valid
    assert (day.meal_times, day.impossible_meals) == (2, 1)


def test_nothing_is_learned_from_an_impossible_meal_but_it_ends_the_one_before():
    trace, meals = day_of(at(8, (BANANA, 2)), at(9, (BANANA, 10_000)), at(19, (BANANA, 1)))
    found = responses(trace, meals)
    assert found.hour.tolist() == [8.0, 19.0]
    assert found.is_complete.tolist() == [False, True]


def test_carbohydrate_of_foods_that_are_entered_apart_is_added():
    parts = [at(12, (SUGAR, 6)), at(12, (SUGAR, 4))]
    assert MealHistory.from_meals(parts, zone="UTC").is_credible.all()
    parts.append(at(12, (BANANA, 1)))
    assert not MealHistory.from_meals(parts, zone="UTC").is_credible.any()


def test_a_long_name_of_a_food_is_shortened_to_sixty_characters():
    for name, shown in (("x" * 60, "x" * 60), ("x" * 61, "x" * 57 + "...")):
        with pytest.raises(InputError) as caught:
            check_meal(meal((food(name, 1.0), 60)).selections, 60.0, "meal.foods")
        assert str(caught.value) == f"meal.foods[0] {FOOD}, got 6000 g of {shown}"


def test_foods_that_are_entered_apart_are_one_meal_within_fifteen_minutes():
    parts = [at(12, (WATER, 40)), at(12, (WATER, 40)), at(12, (WATER, 40))]
    assert not MealHistory.from_meals(parts, zone="UTC").is_credible.any()
    assert MealHistory.from_meals(parts[:2], zone="UTC").is_credible.all()
    assert not MealHistory.of([0.0], 0, [[1500.0, 0, 0, 0]]).is_credible.any()
