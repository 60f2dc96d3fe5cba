"""Foods on starchy foods, amounts behind and inside phrases, and the weights they get."""

from __future__ import annotations

import re

import pytest

from postmeal import read_meal

TEXTS = [
    ("vegemite on toast", [("^Yeast extract", None), ("toasted", None)]),
    ("goulash over egg noodles", [("^Goulash", None), ("^Noodles, egg", None)]),
    ("beans on toast", [("^Beans on toast", None)]),
    ("2 eggs with toast", [("^Egg.*boiled", 100), ("toasted", None)]),
    ("2 tacos with meat", [("^Taco", None)]),
    ("dos huevos con pan", [("^Egg", 100), ("^Bread, white", None)]),
    ("pan con tomate", [("^Pan con tomate", None)]),
    ("chili con carne", [("^Chili con carne", None)]),
    ("a cheese sandwich on white bread", [("[Ss]andwich", None)]),
    ("macaroni and cheese 2 cups", [("^Macaroni and cheese", 460)]),
    ("natto 1 pack, rice 150 g", [("^Natto$", None), ("^Rice, white", 150)]),
    ("white rice, black beans 1 ladle", [("^Rice, white", None), ("^Beans, black", 91)]),
    ("chips and salsa, maybe 15 chips", [("salsa", None), ("potato chips", 30)]),
    ("eggs 2 boiled", [("^Egg.*boiled", 100)]),
    ("khichdi 1 medium bowl", [("^Khichdi", 300)]),
    ("2 spoons peanut sauce", [("^Peanut sauce", 32)]),
    ("sugar 2 spoon in tea", [("^Sugars", 8.4)]),
    ("2 rashers", [("bacon", 16)]),
    ("chicken nuggets 10 pcs mcdonalds", [("(?i)chicken|nugget", None)]),
    ("a small bag of ready salted crisps", [("potato chips", 28)]),
    ("15 skittles", [("Skittles", 16)]),
    ("3 medjool dates", [("^Dates, medjool", 72)]),
    ("black coffee", [("coffee", 240)]),
    ("pad thai", [("^Pad Thai", 317)]),
    ("a ham and cheese toastie", [("sandwich", 117)]),
]


@pytest.mark.parametrize(("text", "foods"), TEXTS)
def test_a_text_has_these_foods_with_these_weights(catalog, text, foods):
    read = read_meal(text, catalog).detections
    found = [(one.selection.food.description, one.selection.weight_g) for one in read]
    assert len(found) == len(foods), found
    for (name, weight_g), (pattern, grams) in zip(found, foods, strict=True):
        assert re.search(pattern, name), name
        assert grams is None or weight_g == pytest.approx(grams, rel=0.15)


def test_a_misspelling_of_another_food_is_not_invented(catalog):
    assert read_meal("panda express", catalog).detections == ()
