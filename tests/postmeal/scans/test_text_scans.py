"""Scans of meal texts."""

from __future__ import annotations

import pytest

from postmeal import Catalog, InputError
from postmeal.scans import Scan, ScannedFood, scan_text

CATALOG = Catalog.open()


def test_a_stated_amount_of_a_surely_named_food_is_medium_and_all_else_low() -> None:
    scan = scan_text("200 g of white rice and some broccoli", CATALOG)
    assert [food.confidence for food in scan.foods] == ["medium", "low"]
    assert scan.foods[0].grams == 200
    assert scan.unread == ()
    assert not scan.may_hold_more


def test_words_that_name_no_food_are_unread() -> None:
    scan = scan_text("an apple and a xyzzyq", CATALOG)
    assert len(scan.foods) == 1
    assert scan.unread
    assert scan.may_hold_more


def test_a_text_without_foods_is_an_empty_scan() -> None:
    assert scan_text("hello", CATALOG).foods == ()


def test_the_totals_are_the_sum_of_the_foods() -> None:
    scan = scan_text("100 g of white rice and 100 g of banana", CATALOG)
    carbs = [food.nutrients["carbs_g"] for food in scan.foods]
    assert scan.nutrients["carbs_g"] == pytest.approx(sum(carbs))
    assert scan.grams == pytest.approx(200)


def test_nutrients_of_a_food_that_is_only_a_name_are_unknown() -> None:
    assert ScannedFood("white rice", 200.0).nutrients.known() == {}
    assert Scan((ScannedFood("white rice", 200.0),)).nutrients.known() == {}


@pytest.mark.parametrize(("name", "grams"), [(" ", 10.0), ("rice", 0.0), ("rice", float("nan"))])
def test_a_food_needs_a_name_and_an_amount(name: str, grams: float) -> None:
    with pytest.raises(InputError):
        ScannedFood(name, grams)


@pytest.mark.parametrize(
    "text",
    ["100 g of carbs", "30 g protein", "10 carbs of rice", "-3 slices of bread", "1e9 g of rice"],
)
def test_nutrients_and_impossible_amounts_are_no_foods(text: str) -> None:
    scan = scan_text(text, CATALOG)
    assert scan.foods == ()
    assert scan.unread


def test_when_the_meal_was_is_no_amount() -> None:
    for text in ("2 hours ago 1 apple", "1 apple 3 days ago", "an apple at 10:30"):
        [food] = scan_text(text, CATALOG).foods
        assert (food.name, food.grams) == ("Apple", 182)


def test_an_unknown_measure_and_a_second_alternative_are_unread() -> None:
    oatmeal = scan_text("3 cubits of oatmeal", CATALOG)
    assert (oatmeal.foods[0].confidence, oatmeal.unread) == ("low", ("3 cubits",))
    rice = scan_text("200 g rice or pasta", CATALOG)
    assert [food.name for food in rice.foods] == ["White rice, cooked"]
    assert (rice.foods[0].confidence, rice.unread) == ("low", ("or pasta",))


def test_emoji_name_foods() -> None:
    half, two = scan_text("½🍌", CATALOG).foods[0], scan_text("🍌🍌", CATALOG).foods[0]
    assert half.name == two.name == "Banana"
    assert two.grams == pytest.approx(4 * half.grams)


def test_an_amount_that_is_not_stated_has_a_range() -> None:
    rice, broccoli = scan_text("200 g of white rice and some broccoli", CATALOG).foods
    assert rice.serving_range_g is None
    assert broccoli.serving_range_g
    assert broccoli.serving_range_g[0] <= broccoli.grams <= broccoli.serving_range_g[1]
