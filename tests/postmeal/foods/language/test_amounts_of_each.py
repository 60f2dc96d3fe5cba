"""Amounts of each piece, amounts behind a food, and foods beside a dish."""

from __future__ import annotations

import pytest

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "weights_g"),
    [
        ("3 eggs (50 g each)", [150]),
        ("two rolls (60 gram each) with 20 g butter", [120, 20]),
        ("two rolls, 60 g each, with 20 g butter", [120, 20]),
        ("4 cookies at 15 g each", [60]),
        ("2 tortillas, 40g apiece", [80]),
        ("3 apples at 150 g per piece", [450]),
        ("2 x 60 g rolls", [120]),
        ("2x60g rolls", [120]),
        ("rolls 2x60g", [120]),
        ("rice and lentils, 100 g each", [100, 100]),
        ("2 eggs, bread and butter, 20 g each", [100, 20, 20]),
        ("10 g of butter and two slices of bread of 40 g each", [10, 80]),
    ],
)
def test_a_weight_of_each_is_multiplied_by_the_number(text: str, weights_g: list[int]) -> None:
    read = read_meal(text, Catalog.open())
    assert [round(one.selection.weight_g or 0) for one in read.detections] == weights_g
    assert not read.unread


@pytest.mark.parametrize(
    "text",
    ["2 cans of cola, 330 ml each", "two cans of cola (330ml each)", "2 x 330 ml cans of cola"],
)
def test_a_volume_of_each_is_multiplied_by_the_number(text: str) -> None:
    (cola,) = read_meal(text, Catalog.open()).detections
    assert cola.selection.weight_g == pytest.approx(660, rel=0.06)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("steak, 8 oz, and fries", ["steak", "fries"]),
        ("chicken, 150 g, and rice", ["chicken", "rice"]),
        ("salmon, 6 oz and salad", ["salmon", "salad"]),
    ],
)
def test_an_amount_behind_a_food_ends_this_food(text: str, names: list[str]) -> None:
    read = read_meal(text, Catalog.open())
    assert len(read.detections) == len(names)
    assert all(name in one.said for name, one in zip(names, read.detections, strict=True))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a bagel with cream cheese", ["Bagel, plain", "Cream cheese"]),
        ("bagel with cheese", ["Bagel, plain", "Cheese"]),
        ("pita with hummus", ["Pita", "Hummus"]),
        ("a bowl of soup with bread", ["Soup", "Bread"]),
        ("soup with crackers", ["Soup", "Cracker"]),
    ],
)
def test_bread_and_what_is_on_it_are_separate_foods(text: str, names: list[str]) -> None:
    read = read_meal(text, Catalog.open())
    assert [one.selection.food.name for one in read.detections] == names


def test_the_bread_of_a_sandwich_is_part_of_it() -> None:
    read = read_meal("ham sandwich with white bread", Catalog.open())
    assert len(read.detections) == 1
