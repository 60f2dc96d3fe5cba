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
