"""Household measures and masses weigh what their legal definitions say, for every spelling.

The gallon of the United States is 231 cubic inches, of 2.54 cm the inch, and parts into 4 quarts,
8 pints, 16 cups, 128 fluid ounces, 256 tablespoons and 768 teaspoons (NIST Handbook 44, appendix
C). The pound is 0.45359237 kg, of 16 ounces (International Yard and Pound Agreement, 1959).
"""

from pathlib import Path

import pytest

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import build_catalog_file
from postmeal.foods.language import parse_meal, read_meal
from postmeal.foods.table import Portion, TableFood

GALLON_ML = 231 * 2.54**3
POUND_G = 453.59237
GRAMS_PER_ML = 1.3

VOLUMES_ML = {
    "gallon": GALLON_ML, "quart": GALLON_ML / 4, "pint": GALLON_ML / 8, "cup": GALLON_ML / 16,
    "fl oz": GALLON_ML / 128, "fluid ounce": GALLON_ML / 128, "tbsp": GALLON_ML / 256,
    "tablespoon": GALLON_ML / 256, "tsp": GALLON_ML / 768, "teaspoon": GALLON_ML / 768,
    "ml": 1, "milliliter": 1, "millilitre": 1, "cl": 10, "dl": 100, "l": 1000, "liter": 1000,
    "litre": 1000,
}  # fmt: skip
MASSES_G = {
    "g": 1, "gram": 1, "gramme": 1, "gr": 1, "gm": 1, "mg": 1e-3, "milligram": 1e-3, "kg": 1000,
    "kilo": 1000, "kilogram": 1000, "lb": POUND_G, "pound": POUND_G, "oz": POUND_G / 16,
    "ounce": POUND_G / 16,
}  # fmt: skip
SERVINGS = {
    "millilitres": (100.0, "ml", 100.0),
    "cups": (1.0, "cup", GALLON_ML / 16),
    "tablespoons": (2.0, "tbsp", GALLON_ML / 128),
    "teaspoons": (1.0, "tsp", GALLON_ML / 768),
    "fluid ounces": (8.0, "fl oz", GALLON_ML / 16),
    "quarts": (1.0, "quart", GALLON_ML / 4),
}


@pytest.fixture(scope="module", params=SERVINGS)
def pantry(request, tmp_path_factory) -> Catalog:
    """A catalog of a food of unknown kind with the mass of one measure."""
    quantity, unit, volume_ml = SERVINGS[request.param]
    measured = Portion(1, quantity, unit, GRAMS_PER_ML * volume_ml)
    return of_one_food("Xyzzy", tmp_path_factory.mktemp("pantry"), measured)


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Catalog:
    """A catalog of a food of unknown kind with no measure but grams."""
    return of_one_food("Xyzzy", tmp_path_factory.mktemp("plain"))


def of_one_food(name: str, folder: Path, *portions: Portion) -> Catalog:
    food = TableFood(
        "made", "1", "generic", "Made up", name, (*portions, Portion(2, 100.0, "g", 100.0)),
        {"carbs_g": 67.0}, id=1,
    )  # fmt: skip
    build_catalog_file([food], folder / "foods.sqlite3")
    return Catalog(folder / "foods.sqlite3")


@pytest.mark.parametrize("unit", VOLUMES_ML)
def test_a_volume_is_converted_from_the_measure_that_the_food_has(pantry, unit):
    (one,) = parse_meal(f"1 {unit} xyzzy", pantry)
    assert one.weight_g == pytest.approx(GRAMS_PER_ML * VOLUMES_ML[unit], rel=1e-4)
    (half,) = parse_meal(f"0.5 {unit} xyzzy", pantry)
    assert half.weight_g == pytest.approx(one.weight_g / 2, rel=1e-9)


@pytest.mark.parametrize("unit", MASSES_G)
def test_a_mass_is_that_of_its_definition(plain, unit):
    number = 2000 if MASSES_G[unit] < 1 else 2
    (strict,) = parse_meal(f"{number} {unit} xyzzy", plain)
    (read,) = read_meal(f"{number} {unit} of xyzzy", plain).detections
    for selection in (strict, read.selection):
        assert selection.weight_g == pytest.approx(number * MASSES_G[unit], rel=1e-7)


@pytest.mark.parametrize("unit", [unit for unit in VOLUMES_ML if len(unit) > 1])
def test_a_volume_in_a_sentence_is_of_water_where_nothing_else_is_known(plain, unit):
    (one,) = read_meal(f"For lunch I had 2 {unit} of xyzzy.", plain).detections
    assert one.selection.weight_g == pytest.approx(2 * VOLUMES_ML[unit], rel=1e-3)


@pytest.mark.parametrize(
    ("said", "volume_ml"),
    [
        ("1 spoon xyzzy", GALLON_ML / 256),
        ("1 spoonful xyzzy", GALLON_ML / 256),
        ("1 shot xyzzy", GALLON_ML / 128 * 1.5),
        ("1 glass xyzzy", GALLON_ML / 16),
        ("1 mug xyzzy", GALLON_ML / 16),
    ],
)
def test_a_vessel_holds_what_is_sold_or_poured_in_it(pantry, said, volume_ml):
    (one,) = parse_meal(said, pantry)
    assert one.weight_g == pytest.approx(GRAMS_PER_ML * volume_ml, rel=0.015)


@pytest.mark.parametrize(("said", "weight_g"), [
    ("a tablespoon of peanut butter", 16), ("a tablespoon of sugar", 12.5),
    ("a tablespoon of butter", 14.2), ("a teaspoon of sugar", 4.2), ("a cup of milk", 244),
    ("a fluid ounce of milk", 30.5), ("8 oz of milk", 244), ("12 ounces of milk", 366),
])  # fmt: skip
def test_spoons_and_cups_of_everyday_foods_weigh_what_usda_measured(catalog, said, weight_g):
    """FoodData Central, SR Legacy: grams of the portions; of sugar, 1/16 of its cup of 200 g."""
    (one,) = read_meal(said, catalog).detections
    assert one.selection.weight_g == pytest.approx(weight_g, rel=0.02)


@pytest.mark.parametrize(
    ("said", "most"), [("50 kg rice", "10000 g"), ("5000 liters of milk", "10000 ml")]
)
def test_an_amount_that_is_too_large_is_refused_with_its_unit(catalog, said, most):
    with pytest.raises(
        InputError, match=f"^meal contains '{said}'; the quantity .* at most {most}$"
    ):
        parse_meal(said, catalog)
