"""Foods, servings, selections and meals: what a quantity counts."""

import dataclasses
import math
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal import Food, InputError, Meal, Nutrients, Selection, Serving
from postmeal.errors import UnknownServing

CUP = Serving(1, 1.0, "cup", 1.0, 158.0, is_default=True)
GRAMS = Serving(2, 100.0, "g", 100 / 158, 100.0)
PACK = Serving(3, 2.0, "pack", 3.0, None)
RICE = Food(
    id=7,
    name="Rice, white, cooked",
    kind="generic",
    category="Cereal Grains and Pasta",
    nutrients=Nutrients({"carbs_g": 44.5, "fiber_g": 0.5, "energy_kcal": 205.0}),
    servings=(CUP, GRAMS, PACK),
    glycemic_index=73.0,
    gi_source="measured",
)
EIGHT = datetime(2026, 3, 1, 8, 0)

servings = st.sampled_from(RICE.servings)
quantities = st.floats(0.01, 5000)


def test_a_quantity_counts_in_the_unit_of_its_serving():
    """Rows 246 and D61: of "1 cup" 2 is two cups, of "100 g" 150 is 150 g."""
    assert Selection(RICE, CUP, 2).nutrients["carbs_g"] == pytest.approx(89.0)
    assert Selection(RICE, CUP, 2).weight_g == pytest.approx(316.0)
    assert Selection(RICE, GRAMS, 150).weight_g == pytest.approx(150.0)
    assert Selection(RICE, GRAMS, 150).nutrients["carbs_g"] == pytest.approx(44.5 * 150 / 158)


@given(servings, quantities)
def test_nutrients_are_per_default_serving_times_factor_times_quantity(serving, quantity):
    """Row 246: nutrients × scaling_factor × quantity ÷ the serving's own quantity."""
    selection = Selection(RICE, serving, quantity)
    expected = 44.5 * serving.scaling_factor * quantity / serving.quantity
    assert selection.nutrients["carbs_g"] == pytest.approx(expected, rel=1e-12)


@given(servings, quantities)
def test_echoing_a_servings_own_quantity_is_one_serving(serving, quantity):
    """Row D61: a client that echoes the serving's quantity logs exactly one serving."""
    one = Selection(RICE, serving, serving.quantity)
    assert one.factor == pytest.approx(serving.scaling_factor, rel=1e-12)
    many = Selection(RICE, serving, quantity).nutrients["carbs_g"]
    assert many == pytest.approx(one.nutrients["carbs_g"] * quantity / serving.quantity)


@given(st.lists(st.tuples(servings, quantities), min_size=1, max_size=5))
def test_a_meal_is_the_sum_of_its_selections(picks):
    """Row 461: additive over foods, linear in quantity."""
    meal = Meal(tuple(Selection(RICE, *pick) for pick in picks), EIGHT)
    doubled = Meal(tuple(Selection(RICE, s, 2 * q) for s, q in picks), EIGHT)
    parts = sum(selection.nutrients["energy_kcal"] for selection in meal.selections)
    assert meal.nutrients["energy_kcal"] == pytest.approx(parts, rel=1e-9)
    assert doubled.nutrients["energy_kcal"] == pytest.approx(2 * parts, rel=1e-9)


@pytest.mark.parametrize("quantity", [0, -1, 10_001, float("nan"), float("inf"), "2", None, True])
def test_a_quantity_that_cannot_be_is_refused(quantity):
    with pytest.raises(InputError, match="quantity"):
        Selection(RICE, CUP, quantity)


def test_a_serving_of_another_food_is_refused_and_its_own_are_listed():
    stranger = dataclasses.replace(CUP, id=9, unit="bowl")
    with pytest.raises(UnknownServing, match="1 cup, 100 g, 2 pack"):
        Selection(RICE, stranger, 1)
    with pytest.raises(UnknownServing, match="foods\\[0\\]"):
        RICE.serving(9, "foods[0].serving.id")


def test_a_food_is_selected_by_its_default_serving_or_by_unit():
    assert Selection.of(RICE).serving is CUP
    assert Selection.of(RICE, unit="g").quantity == 100
    assert Selection.of(RICE, 50, "g").weight_g == pytest.approx(50)
    with pytest.raises(InputError, match="cup, g, pack"):
        Selection.of(RICE, unit="bowl")


def test_the_mass_of_a_serving_without_grams_is_unknown():
    assert Selection(RICE, PACK, 2).weight_g is None


def test_glycemic_load_is_the_index_times_net_carbohydrate_over_100():
    assert RICE.glycemic_load == pytest.approx(73 * 44.0 / 100)
    without_index = dataclasses.replace(RICE, glycemic_index=None)
    assert without_index.glycemic_load is None
    without_fibre = dataclasses.replace(RICE, nutrients=Nutrients({"carbs_g": 44.5}))
    assert without_fibre.glycemic_load is None


@pytest.mark.parametrize("count", [0, 101])
def test_a_meal_holds_1_to_100_foods(count):
    with pytest.raises(InputError, match="1 to 100"):
        Meal((Selection.of(RICE),) * count, EIGHT)


def test_the_hour_of_a_meal_is_its_wall_clock():
    assert Meal((Selection.of(RICE),), datetime(2026, 3, 1, 18, 45)).hour == 18.75


def test_the_hour_of_a_meal_with_only_a_date_is_unknown():
    assert math.isnan(Meal((Selection.of(RICE),), date(2026, 3, 1)).hour)


def test_a_meal_wants_a_datetime_or_a_date():
    problem = "time must be a datetime, or a date without an hour, got '8:00'"
    with pytest.raises(InputError, match=problem):
        Meal((Selection.of(RICE),), "8:00")
