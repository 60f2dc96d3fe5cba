"""Foods of scans as amounts of servings."""

from __future__ import annotations

import pytest

from postmeal.errors import InputError
from postmeal.foods.food import Food, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.scans import ScannedFood
from postmeal_serve.resources.scans import selection_of


def bar(*weights_g: float | None) -> Food:
    """A food with a serving of each weight, the first of which is the default."""
    servings = tuple(
        Serving(number, 1, f"size {number}", number, weight_g, is_default=number == 1)
        for number, weight_g in enumerate(weights_g, start=1)
    )
    return Food(7, "Oat bar", "branded", "", Nutrients({"carbs_g": 20.0}), servings)


def test_an_amount_is_in_units_of_the_default_serving():
    """Row 255."""
    selection = selection_of(ScannedFood("Oat bar", 75.0, bar(50.0, 100.0)))
    assert (selection.serving.id, selection.quantity) == (1, 1.5)
    assert selection.nutrients["carbs_g"] == 30


def test_without_a_weight_of_the_default_serving_another_serving_is_taken():
    """Row 255: with the same nutrients per gram."""
    selection = selection_of(ScannedFood("Oat bar", 75.0, bar(None, 100.0)))
    assert (selection.serving.id, selection.quantity) == (2, 0.75)
    assert selection.nutrients["carbs_g"] == 30


def test_without_any_weight_an_amount_in_grams_is_refused():
    with pytest.raises(InputError, match="must have a serving with a known weight"):
        selection_of(ScannedFood("Oat bar", 75.0, bar(None, None)))
