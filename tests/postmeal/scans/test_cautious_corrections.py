"""Corrections that look like another change than they mean."""

from __future__ import annotations

import pytest

from postmeal import Catalog
from postmeal.scans import Scan, correct

CATALOG = Catalog.open()
PLATE = {"white rice": 200.0, "grilled chicken breast": 120.0, "broccoli": 80.0}
NAAN = {"naan": 90.0, "rice": 200.0, "chicken curry": 250.0}


def after(text: str, foods: dict[str, float]) -> dict[str, float]:
    scan = correct(Scan.of(list(foods.items())), text, CATALOG).scan
    return {food.name: round(food.grams, 1) for food in scan.foods}


@pytest.mark.parametrize(
    ("text", "food"),
    [
        ("no cheese", "cheeseburger"),
        ("I didn't eat the cheese", "cheeseburger"),
        ("no cheese", "mac and cheese"),
        ("no butter", "butternut squash"),
        ("no butter", "peanut butter"),
        ("remove the butter", "peanut butter"),
        ("no water", "watermelon"),
        ("half the water", "watermelon"),
        ("no ham", "ham sandwich"),
        ("I threw away the ham", "ham sandwich"),
        ("no milk", "milkshake"),
    ],
)
def test_an_ingredient_in_the_name_of_a_food_does_not_change_the_food(text: str, food: str) -> None:
    foods = {food: 200.0, "toast": 60.0}
    assert after(text, foods) == foods


def test_a_word_that_is_no_food_may_be_short_for_a_food_of_the_scan() -> None:
    assert after("half the guac", {"guacamole": 60, "toast": 30}) == {"guacamole": 30, "toast": 30}


def test_the_head_of_a_name_removes_the_food() -> None:
    assert after("no rice", PLATE) == {"grilled chicken breast": 120, "broccoli": 80}
    assert after("no chicken", PLATE) == {"white rice": 200, "broccoli": 80}


@pytest.mark.parametrize(
    ("text", "food"),
    [
        ("I drank half a glass of milk", "milk"),
        ("half a can of cola", "cola"),
        ("half a slice of pizza", "pizza"),
        ("half a handful of nuts", "nuts"),
    ],
)
def test_half_a_measure_of_a_food_does_not_change_the_rest_of_the_meal(
    text: str, food: str
) -> None:
    corrected = after(text, {food: 250.0, "toast": 60.0})
    assert corrected["toast"] == 60
    assert corrected[food] < 250


def test_half_that_is_left_does_not_change_other_foods() -> None:
    assert after("half the rice is left", PLATE) == PLATE
    assert after("I drank half a glass", PLATE) == PLATE
