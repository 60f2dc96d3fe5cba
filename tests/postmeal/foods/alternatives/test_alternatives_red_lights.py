"""No alternative has more of what the front-of-pack label of the United Kingdom marks red.

The label (Department of Health and Food Standards Agency, Guide to creating a front of pack
nutrition label, 2016) is red above 5 g saturated fat, 22.5 g sugars and 1.5 g salt in 100 g of a
food, and above half of that in 100 ml of a drink. Salt is 2.5 times its sodium.
"""

from itertools import count
from pathlib import Path

import pytest

from postmeal.foods.alternatives import alternatives
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import build_catalog_file
from postmeal.foods.table import Portion, TableFood

RED_ABOVE = {"saturated_fat_g": 5.0, "sugars_g": 22.5, "sodium_mg": 1.5 / 2.5 * 1000}
RED = pytest.mark.parametrize("nutrient", RED_ABOVE)
KINDS = pytest.mark.parametrize("kind", ["generic", "recipe", "branded"])
NUMBERS = count(1)

RICH = {"energy_kcal": 520.0, "protein_g": 5.0, "carbs_g": 55.0, "fat_g": 30.0, "fiber_g": 1.0,
        "saturated_fat_g": 4.0, "sugars_g": 20.0, "sodium_mg": 500.0}  # fmt: skip
"""A cookie without a red light, of 6 + 3 + 4 + 5 - 1 points of the nutrient profile."""
LEAN = {"energy_kcal": 300.0, "protein_g": 3.0, "carbs_g": 50.0, "fat_g": 8.0, "fiber_g": 2.0,
        "saturated_fat_g": 1.0, "sugars_g": 4.0, "sodium_mg": 80.0}  # fmt: skip
"""A cookie that saves points even when one of its three amounts is far higher."""


LEANER = {key: 0.8 * amount for key, amount in LEAN.items()}
"""Another one, so that the two are not taken for one food that is sold twice."""


def cookie(name: str, per_100_g: dict[str, float], kind="generic") -> TableFood:
    number = next(NUMBERS)
    grams = (Portion(1, 100.0, "g", 100.0),)
    brand = "Acme" if kind == "branded" else ""
    return TableFood("made", str(number), kind, "Cookies", f"{name} cookies", grams, per_100_g,
                     brand_name=brand, id=number)  # fmt: skip


def offered(folder: Path, own: dict[str, float], *others: TableFood) -> set[str]:
    """Return the names of the alternatives to a cookie in a catalog of it and a few others."""
    given = cookie("Given", own)
    order = {"generic": 0, "recipe": 1, "branded": 2}
    foods = sorted([given, *others], key=lambda food: order[food.kind])
    path = folder / f"{next(NUMBERS)}.sqlite3"
    build_catalog_file(foods, path)
    catalog = Catalog(path)
    found = alternatives(catalog.food(given.id), catalog, limit=100).best
    return {one.food.name.removesuffix(" cookies") for one in found}


@RED
@KINDS
def test_a_food_with_another_red_light_is_not_offered_however_many_points_it_saves(
    tmp_path, nutrient, kind
):
    limit = RED_ABOVE[nutrient]
    below = cookie("Ginger", LEAN | {nutrient: 0.99 * limit}, kind)
    above = cookie("Lemon", LEANER | {nutrient: 1.01 * limit}, kind)
    assert offered(tmp_path, RICH, below, above) == {"Ginger"}


@KINDS
def test_without_red_lights_both_are_offered(tmp_path, kind):
    """The red light is the only reason for which the other tests leave a food out."""
    both = cookie("Ginger", LEAN, kind), cookie("Lemon", LEANER, kind)
    assert offered(tmp_path, RICH, *both) == {"Ginger", "Lemon"}


@RED
@KINDS
def test_where_the_food_has_the_red_light_itself_others_may_have_it_but_no_more(
    tmp_path, nutrient, kind
):
    held = 1.4 * RED_ABOVE[nutrient]
    less = cookie("Ginger", LEAN | {nutrient: 0.99 * held}, kind)
    more = cookie("Lemon", LEANER | {nutrient: 1.01 * held}, kind)
    assert offered(tmp_path, RICH | {nutrient: held}, less, more) == {"Ginger"}


@RED
@KINDS
def test_less_of_two_red_lights_does_not_make_up_for_more_of_the_third(tmp_path, nutrient, kind):
    red = {key: 1.4 * limit for key, limit in RED_ABOVE.items()}
    less = {key: 0.95 * amount for key, amount in red.items()}
    better = cookie("Ginger", LEAN | less, kind)
    mixed = cookie("Lemon", LEANER | less | {nutrient: 1.02 * red[nutrient]}, kind)
    assert offered(tmp_path, RICH | red, better, mixed) == {"Ginger"}


@KINDS
@pytest.mark.parametrize(("nutrient", "whole"), [
    ("saturated_fat_g", "fat_g"), ("sugars_g", "carbs_g"),
])  # fmt: skip
def test_an_unknown_amount_counts_as_the_highest_that_is_possible(tmp_path, nutrient, whole, kind):
    """A cookie of unknown sugars may consist of sugars."""
    limit = RED_ABOVE[nutrient]
    lean = {key: amount for key, amount in LEAN.items() if key != nutrient} | {"protein_g": 9.0}
    below = cookie("Ginger", lean | {whole: 0.9 * limit}, kind)
    above = cookie("Lemon", lean | {whole: 1.1 * limit, "energy_kcal": 310.0}, kind)
    assert offered(tmp_path, RICH | {"sodium_mg": 1500.0}, below, above) == {"Ginger"}


@RED
def test_a_drink_is_red_above_half_as_much(tmp_path, nutrient):
    given = {"energy_kcal": 250.0, "protein_g": 0.0, "carbs_g": 60.0, "fat_g": 10.0, "fiber_g": 0.0,
             "saturated_fat_g": 2.0, "sugars_g": 11.0, "sodium_mg": 290.0}  # fmt: skip
    lean = {"energy_kcal": 40.0, "protein_g": 0.5, "carbs_g": 30.0, "fat_g": 5.0, "fiber_g": 0.5,
            "saturated_fat_g": 0.5, "sugars_g": 5.0, "sodium_mg": 20.0}  # fmt: skip
    leaner = {key: 0.8 * amount for key, amount in lean.items()}
    half = RED_ABOVE[nutrient] / 2
    grams = (Portion(1, 100.0, "g", 100.0),)
    foods = [
        TableFood("made", name, "generic", "Beverages", f"{name} soda", grams, amounts, id=number)
        for number, (name, amounts) in enumerate(
            [("Given", given), ("Lemon", lean | {nutrient: 0.99 * half}),
             ("Cherry", leaner | {nutrient: 1.01 * half})], 1)
    ]  # fmt: skip
    build_catalog_file(foods, tmp_path / "drinks.sqlite3")
    catalog = Catalog(tmp_path / "drinks.sqlite3")
    found = alternatives(catalog.food(1), catalog).best
    assert [one.food.name for one in found] == ["Lemon soda"]
