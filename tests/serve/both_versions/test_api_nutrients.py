"""The nutrient vocabulary on the wire of both versions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.foods.nutrients import NUTRIENTS, Nutrients
from postmeal.rounding import rounded
from postmeal_serve.v1_1.nutrients import DETECTION_KEYS, LOG_KEYS, nutrient_object, read_nutrients
from postmeal_serve.v1_2.nutrients import nutrient_table

EVERYTHING = Nutrients(dict.fromkeys(NUTRIENTS, 2.0))
KNOWN = Nutrients({"energy_kcal": 1, "protein_g": 2, "carbs_g": 30, "fat_g": 4, "trans_fat_g": 5,
                   "saturated_fat_g": 6, "fiber_g": 7, "sugars_g": 8, "added_sugars_g": 9,
                   "cholesterol_mg": 10, "calcium_mg": 11, "iron_mg": 12, "potassium_mg": 13,
                   "sodium_mg": 14, "vitamin_d_iu": 15, "vitamin_a_iu": 16, "water_g": 17,
                   "monounsaturated_fat_g": 18, "caffeine_mg": 19})  # fmt: skip
GRAMS = {"protein", "carbohydrates", "netCarbohydrates", "totalFat", "saturatedFat", "fiber",
         "totalSugars", "addedSugars"}  # fmt: skip


def pairs(written: dict) -> dict:
    assert all(set(amount) == {"value", "unit"} for amount in written.values())
    return {name: (amount["value"], amount["unit"]) for name, amount in written.items()}


def test_detections_have_ten_names_each_with_value_and_unit():
    """Rows 311, 312, 313."""
    written = nutrient_object(Nutrients({**EVERYTHING, "fiber_g": 1.0}))
    assert set(written) == set(DETECTION_KEYS) == GRAMS | {"calories", "sodium"}
    assert all(set(amount) == {"value", "unit"} for amount in written.values())
    assert {written[name]["unit"] for name in GRAMS} == {"g"}
    assert written["calories"]["unit"] == "calories"
    assert written["sodium"]["unit"] == "mg"


def test_food_logs_add_six_names():
    """Rows 312, 313, 317, 318: iron in mcg, vitamin D in IU."""
    added = set(LOG_KEYS) - set(DETECTION_KEYS)
    assert added == {"transFat", "cholesterol", "calcium", "iron", "potassium", "vitaminD"}
    assert pairs(nutrient_object(KNOWN, LOG_KEYS)) == {
        "calories": (1, "calories"), "protein": (2, "g"), "carbohydrates": (30, "g"),
        "totalFat": (4, "g"), "transFat": (5, "g"), "saturatedFat": (6, "g"), "fiber": (7, "g"),
        "totalSugars": (8, "g"), "addedSugars": (9, "g"), "cholesterol": (10, "mg"),
        "calcium": (11, "mg"), "iron": (12_000, "mcg"), "potassium": (13, "mg"),
        "sodium": (14, "mg"), "vitaminD": (15, "IU"), "netCarbohydrates": (23, "g"),
    }  # fmt: skip


def test_zero_and_unknown_are_left_out_and_a_little_is_kept():
    """Rows 314, 315, 316."""
    written = nutrient_object(Nutrients({"protein_g": 0.0, "fat_g": 0.04}))
    assert written == {"totalFat": {"value": 0.04, "unit": "g"}}


@given(st.floats(0.1, 500), st.floats(0, 500))
def test_net_carbohydrates_are_carbohydrate_less_fiber_and_never_negative(carbs, fiber):
    """Row 318."""
    written = nutrient_object(Nutrients({"carbs_g": carbs, "fiber_g": fiber}))
    expected = max(carbs - fiber, 0)
    assert written.get("netCarbohydrates", {"value": 0})["value"] == rounded(expected, "g")


def test_version_1_2_keeps_zero_and_names_the_same_amounts_in_its_own_way():
    """Row 163."""
    table = nutrient_table(Nutrients({"protein_g": 0.0, "iron_mg": 2.0}))
    assert table == {"protein": {"value": 0.0, "unit": "g"}, "iron": {"value": 2.0, "unit": "mg"}}
    assert pairs(nutrient_table(KNOWN)) == {
        "calories": (1, "kcal"), "protein": (2, "g"), "carbohydrates": (30, "g"),
        "total_fat": (4, "g"), "trans_fat": (5, "g"), "saturated_fat": (6, "g"), "fiber": (7, "g"),
        "total_sugars": (8, "g"), "added_sugars": (9, "g"), "cholesterol": (10, "mg"),
        "calcium": (11, "mg"), "iron": (12, "mg"), "potassium": (13, "mg"), "sodium": (14, "mg"),
        "vitamin_d": (15, "IU"), "net_carbohydrates": (23, "g"),
    }  # fmt: skip


def test_the_nutrients_of_a_request_are_grams_but_for_four():
    """Row 437: nineteen names, sodium in mg, minerals in grams."""
    names = ["water", "energy", "protein", "fat_total_lipid", "carbohydrate", "fiber", "sugars",
             "calcium", "iron", "potassium", "sodium", "vit_c", "vit_a_iu", "fat_total_saturated",
             "fat_total_monounsaturated", "fat_total_polyunsaturated", "fat_total_trans",
             "cholesterol", "caffeine"]  # fmt: skip
    read = read_nutrients(dict.fromkeys(names, 1) | {"unknown": "passed over"})
    assert len(read) == len(names) == 19
    in_mg = {key for key, amount in read.items() if amount == 1000}
    assert in_mg == {
        "calcium_mg", "iron_mg", "potassium_mg", "vitamin_c_mg", "cholesterol_mg", "caffeine_mg"
    }  # fmt: skip
    assert read["sodium_mg"] == read["carbs_g"] == read["energy_kcal"] == 1


@pytest.mark.parametrize(
    "bad",
    [{}, {"other": 1}, {"carbohydrate": "30"}, {"protein": -1}, {"fiber": True}, {"fiber": None},
     {"fiber": float("nan")}],
)  # fmt: skip
def test_wrong_nutrients_of_a_request_are_refused_by_name(bad):
    """Row 439."""
    with pytest.raises(InputError, match="nutrients"):
        read_nutrients(bad)
