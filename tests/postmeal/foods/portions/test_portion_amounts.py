"""Grams of a unit of a food, of a food without an amount, and the most plausible."""

from dataclasses import replace

import pytest

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.language import read_meal
from postmeal.foods.portions import (
    is_surveyed,
    most_plausible_grams,
    portion_grams,
    stated_grams,
    usual_grams,
)

CATALOG = Catalog.open()


def named(name: str) -> Food:
    return next(food for food in CATALOG.search(name, limit=50) if food.description == name)


def test_a_serving_of_the_food_comes_first():
    banana = named("Bananas, raw")
    assert portion_grams(banana, "", "large").grams == pytest.approx(136)
    assert portion_grams(banana, "cup").source == "serving"


def test_an_exact_volume_follows_from_another_one():
    honey = named("Honey")
    cup, spoon = portion_grams(honey, "cup").grams, portion_grams(honey, "teaspoon").grams
    assert spoon == pytest.approx(cup / 48, rel=0.2)


def test_a_vessel_holds_more_than_a_small_one():
    rice = named("Rice, white, long-grain, regular, enriched, cooked")
    bowl, small = portion_grams(rice, "bowl"), portion_grams(rice, "bowl", "small")
    assert 150 < small.grams < bowl.grams < 300
    assert bowl.source == "model"


def test_half_of_a_food_is_half_of_a_whole_one():
    avocado = named("Avocados, raw, all commercial varieties")
    assert portion_grams(avocado, "half").grams < portion_grams(avocado, "").grams


def test_an_interval_contains_the_grams():
    for food in CATALOG.search("soup", limit=20):
        portion = portion_grams(food, "bowl")
        assert portion.low_g < portion.grams < portion.high_g


def test_a_unit_that_nobody_counts_in_has_no_grams():
    assert portion_grams(named("Honey"), "kilometer") is None


@pytest.mark.parametrize("name", ["Taco, fish", "Wine, red", "Coffee, Latte"])
def test_the_usual_amount_of_a_survey_food_is_the_surveys(name):
    assert usual_grams(named(name)).source == "food portion"


def test_the_usual_amount_of_a_product_is_its_serving():
    product = replace(named("Taco, fish"), id=10**9, kind="branded")
    usual = usual_grams(product)
    assert (usual.grams, usual.source) == (product.default_serving.weight_g, "serving")


def test_small_is_less_than_the_usual_amount():
    latte = named("Coffee, Latte")
    assert usual_grams(latte, "large").grams > usual_grams(latte).grams


def test_only_survey_foods_state_grams_exactly():
    assert stated_grams(named("Taco, fish"), "", "large").grams == 150
    assert stated_grams(named("Taco, fish"), "bowl") is None
    assert not is_surveyed(named("Bananas, raw"))
    assert stated_grams(named("Bananas, raw"), "", "large") is None


@pytest.mark.parametrize(("name", "most_g"), [("Taco, fish", 1500), ("Wine, red", 2000)])
def test_the_most_plausible_amount_is_above_the_usual_one(name, most_g):
    food = named(name)
    assert usual_grams(food).grams < most_plausible_grams(food) < most_g


def test_a_survey_food_with_a_serving_of_100_g_only_is_read_in_an_estimated_amount():
    known = [food for kind in ("generic", "recipe") for food in CATALOG.foods(kind)]
    bare = [food for food in known if is_surveyed(food) and food.default_serving.unit == "g"]
    assert 50 < len(bare) < 100
    estimates = [usual_grams(food) for food in bare]
    assert {estimate.source for estimate in estimates} <= {"food portion", "model"}
    assert sum(estimate.grams == 100 for estimate in estimates) < 3


def test_five_dumplings_are_not_five_meals():
    reading = read_meal("5 dumplings", CATALOG)
    assert 80 <= sum(one.selection.weight_g or 0 for one in reading.detections) <= 250
