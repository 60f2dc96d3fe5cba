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


def test_what_follows_a_removal_is_not_subtracted() -> None:
    assert after("no broccoli, 100 g chicken, 150 g rice", PLATE) == {
        "white rice": 150,
        "grilled chicken breast": 100,
    }
    assert after("no naan, a third of the rice", NAAN) == {"rice": 66.7, "chicken curry": 250}
    assert after("remove 50 g rice and 20 g chicken", PLATE) == {
        "white rice": 150,
        "grilled chicken breast": 100,
        "broccoli": 80,
    }


@pytest.mark.parametrize(
    ("text", "foods"),
    [
        ("the meal was 500 g", PLATE),
        ("everything weighed 300 g", PLATE),
        ("all of it was 300 g in total", PLATE),
        ("the rice and the chicken were 100 g", PLATE),
        ("2 naan, 80 g each", NAAN),
    ],
)
def test_a_weight_of_several_foods_is_not_that_of_each(text: str, foods: dict[str, float]) -> None:
    assert after(text, foods) == foods


@pytest.mark.parametrize(
    "text",
    [
        "I didn't eat the rice cold",
        "I didn't eat the rice alone",
        "I left the rice until last",
        "I can't say I skipped the rice",
        "I didn't have 200 g of rice",
        "I didn't eat 100 g of rice",
        "I never finish my rice",
        "no salt on rice",
        "the rice had no milk",
        "rice had no butter",
        "I should have had 400 g of rice",
        "I could have eaten 400 g of rice",
        "I would have had 400 g of rice",
        "remove the rice, just kidding",
        "double the rice and then add 50 g",
    ],
)
def test_what_was_not_done_changes_nothing(text: str) -> None:
    assert after(text, PLATE) == PLATE


@pytest.mark.parametrize(
    ("text", "grams"),
    [
        ("5/4 of the rice", 250),
        (".5 rice", 100),
        ("rice +20%", 240),
        ("20% off the rice", 160),
        ("1.500 g rice", 1500),
        ("double the rice, no wait, halve it", 100),
        ("only the rice was 100 g", 100),
    ],
)
def test_an_amount_of_one_food_leaves_the_others(text: str, grams: float) -> None:
    assert after(text, PLATE) == {**PLATE, "white rice": grams}


def test_a_number_of_a_plural_counts_its_pieces() -> None:
    assert after("2.5 of the bananas", {"bananas": 240, "toast": 60}) == {
        "bananas": 300,
        "toast": 60,
    }


@pytest.mark.parametrize(
    "text",
    [
        "rice 3",
        "the rice was bigger, 150 g",
        "less rice, 250 g",
        "did not finish the rice, double the chicken",
        "everything but the rice was great",
        "no rice, no chicken, no broccoli",
        "replace the rice",
        "quinoa no rice",
        "a cup",
        "%",
    ],
)
def test_what_may_mean_something_else_changes_nothing(text: str) -> None:
    assert after(text, PLATE) == PLATE


def test_an_apple_is_not_in_a_pineapple() -> None:
    assert after("no apple", {"apple": 150, "pineapple": 100}) == {"pineapple": 100}
    assert after("no apple", {"pineapple": 100, "yogurt": 150}) == {"pineapple": 100, "yogurt": 150}


def test_a_food_in_full_is_an_exception_to_everything_half() -> None:
    assert after("everything half, coffee full", {"toast": 60, "coffee": 240}) == {
        "toast": 30,
        "coffee": 240,
    }


def test_a_black_coffee_without_toast_is_no_renamed_toast() -> None:
    foods = {"eggs": 110, "white toast": 60, "coffee": 240}
    names = list(after("black coffee no toast", foods))
    assert len(names) == 2
    assert "white toast" not in names


def test_a_number_after_a_food_without_pieces_counts_grams() -> None:
    assert after("set butter to 5", {"butter": 10, "toast": 60}) == {"butter": 5, "toast": 60}
    assert after("pasta 180 bread 30", {"pasta": 250, "bread": 60}) == {"pasta": 180, "bread": 30}
