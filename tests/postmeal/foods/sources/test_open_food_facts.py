"""Open Food Facts: units, languages, servings, declarations, and what cannot be."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported_foods import packed_foods, take

from postmeal.foods.nutrients import NUTRIENTS, UNITS
from postmeal.foods.sources.labels.label_text import household_measure
from postmeal.foods.sources.labels.plausible_amounts import plausible
from postmeal.foods.table import TableFood

CODE = "3017620422003"
NUTRIMENTS = {
    "energy-kcal_100g": 539, "fat_100g": 30.9, "saturated-fat_100g": 10.6,
    "carbohydrates_100g": 57.5, "sugars_100g": 56.3, "proteins_100g": 6.3, "fiber_100g": 0,
    "sodium_100g": 0.0428, "salt_100g": 0.107, "vitamin-c_100g": 0.012, "vitamin-d_100g": 5e-6,
    "vitamin-a_100g": 3e-4, "calcium_100g": 0.12, "caffeine_100g": 0.01, "cholesterol_100g": 0.002,
}  # fmt: skip
EXPECTED = {
    "energy_kcal": 539, "fat_g": 30.9, "saturated_fat_g": 10.6, "carbs_g": 57.5, "sugars_g": 56.3,
    "protein_g": 6.3, "fiber_g": 0, "sodium_mg": 42.8, "vitamin_c_mg": 12, "vitamin_d_iu": 200,
    "vitamin_a_iu": 1000, "calcium_mg": 120, "caffeine_mg": 10, "cholesterol_mg": 2,
}  # fmt: skip


def jsonl(path: Path, *products: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in products), encoding="utf-8")
    return path


def imported(tmp_path: Path, product: dict[str, Any], **how: Any) -> TableFood:
    file = jsonl(tmp_path / "dump.jsonl", {"code": CODE, "product_name": "Spread"} | product)
    (tmp_path / "foods.collection").unlink(missing_ok=True)
    take(file, tmp_path / "foods.collection", **how)
    (food,) = packed_foods(tmp_path / "foods.collection").values()
    return food


def test_amounts_come_in_the_units_of_their_names(tmp_path: Path):
    food = imported(tmp_path, {"nutriments": NUTRIMENTS})
    assert food.per_100_g == pytest.approx(EXPECTED)


def test_newer_dumps_tell_the_same_amounts_in_another_place(tmp_path: Path):
    to_unit = {"sodium": (1000, "mg"), "energy-kcal": (1, "kcal"), "vitamin-d": (1e6, "µg")}
    nutrients = {}
    for name, amount in NUTRIMENTS.items():
        name = name.removesuffix("_100g")
        factor, unit = to_unit.get(name, (1, "g"))
        nutrients[name] = {"value": amount * factor, "unit": unit, "source": "packaging"}
    nutrition = {"aggregated_set": {"per": "100g", "nutrients": nutrients}}
    assert imported(tmp_path, {"nutrition": nutrition}).per_100_g == pytest.approx(EXPECTED)


def test_energy_may_be_in_kilojoules_and_sodium_in_salt(tmp_path: Path):
    food = imported(tmp_path, {"nutriments": {"energy-kj_100g": 418.4, "salt_100g": "2.5"}})
    assert food.per_100_g == pytest.approx({"energy_kcal": 100, "sodium_mg": 1000})


BISCUIT = {"energy-kcal": 462, "proteins": 5, "carbohydrates": 62.6, "fat": 21, "fiber": 1.5}
LENTILS = {"energy-kcal": 126, "proteins": 5, "carbohydrates": 10, "fat": 6, "fiber": 6}
CRACKER = {"energy-kcal": 389, "proteins": 11.1, "carbohydrates": 55.6, "fat": 13.9, "fiber": 5.6}


@pytest.mark.parametrize(
    ("nutriments", "countries", "carbs_g"),
    [
        (BISCUIT, ["en:france"], 64.1),  # 4 × 5 + 4 × 62.6 + 9 × 21 + 2 × 1.5 = 462.4 kcal
        (LENTILS, ["en:germany", "en:switzerland"], 16),  # 4 × 5 + 4 × 10 + 9 × 6 + 2 × 6 = 126
        (LENTILS | {"energy-kcal": 114}, ["en:germany"], 16),  # energy without that of fibre
        (LENTILS | {"energy-kcal": 103}, ["en:germany"], 10),  # 4 × 5 + 4 × 4 + 9 × 6 + 2 × 6 = 102
        (LENTILS | {"energy-kcal": ""}, ["en:australia"], 16),
        (CRACKER, ["en:united-states"], 55.6),  # 4 × 11.1 + 4 × 50 + 9 × 13.9 + 2 × 5.6 = 381 kcal
        (BISCUIT, ["en:france", "en:united-states"], 62.6),  # which of the two labels is not known
        (BISCUIT, [], 62.6),
        (BISCUIT | {"fiber": ""}, ["en:france"], 62.6),
        (BISCUIT | {"fiber": 12}, ["en:france"], 62.6),  # 100.6 g in 100 g
        (BISCUIT | {"carbohydrates-total": 64}, ["en:france"], 64),
    ],
)
def test_fibre_is_a_part_of_carbohydrate_whatever_the_label_calls_it(
    tmp_path: Path, nutriments: dict[str, Any], countries: list[str], carbs_g: float
):
    given = {f"{name}_100g": amount for name, amount in nutriments.items()}
    food = imported(tmp_path, {"nutriments": given, "countries_tags": countries})
    assert food.per_100_g["carbs_g"] == pytest.approx(carbs_g)
    assert food.per_100_g.get("fiber_g", "") == nutriments["fiber"]


@pytest.mark.parametrize(
    ("nutriments", "known", "problem"),
    [
        (
            {"energy-kcal": 2255, "carbohydrates": 57}, {"carbs_g": 57},
            "energy_kcal is above 930 kcal",
        ),
        ({"fat": 130, "energy-kcal": 500}, {"energy_kcal": 500}, "fat_g is above 100 g"),
        ({"fat": -1, "energy-kcal": 500}, {"energy_kcal": 500}, "fat_g is below zero"),
        ({"sugars": 70, "carbohydrates": 50}, {"carbs_g": 50}, "sugars_g is above carbs_g"),
        ({"sodium": 45, "energy-kcal": 5}, {"energy_kcal": 5}, "sodium_mg is above 40000 mg"),
        (
            {"fat": 90, "carbohydrates": 80, "proteins": 20, "energy-kcal": 800},
            {"energy_kcal": 800}, "protein_g, carbs_g, fat_g together are above 120 g",
        ),
        ({"fat": "1e999", "energy-kcal": 9}, {"energy_kcal": 9}, "fat_100g is not a number"),
        ({"fat": "much", "energy-kcal": 9}, {"energy_kcal": 9}, "fat_100g is not a number"),
    ],
)  # fmt: skip
def test_an_impossible_amount_is_unknown_and_told_and_the_food_is_kept(
    tmp_path: Path, nutriments: dict[str, Any], known: dict[str, float], problem: str
):
    given = {f"{name}_100g": amount for name, amount in nutriments.items()}
    assert imported(tmp_path, {"nutriments": given}).per_100_g == known
    file = jsonl(tmp_path / "again", {"code": CODE, "product_name": "x", "nutriments": given})
    assert take(file, tmp_path / "other.collection").report.count(problem) == 1


@given(
    amounts=st.dictionaries(st.sampled_from(NUTRIENTS), st.floats() | st.floats(0, 200)),
    basis=st.sampled_from(("g", "ml")),
)
def test_what_is_kept_is_possible_and_what_is_not_is_told(amounts: dict[str, float], basis: Any):
    kept, problems = plausible(amounts, basis)
    again, no_more = plausible(kept, basis)
    assert no_more == []
    assert {key: again[key] for key in kept} == kept
    assert all(0 <= kept[key] <= 150 for key in kept if UNITS[key] == "g")
    assert kept.get("energy_kcal", 0) <= 930
    for key in amounts.keys() - kept.keys():
        assert any(key in problem for problem in problems)


def test_names_are_in_the_wanted_language_else_in_that_of_the_product(tmp_path: Path):
    names = {"product_name": "Pâte", "product_name_en": "Spread", "product_name_de": "Aufstrich"}
    assert imported(tmp_path, names).name == "Spread"
    assert imported(tmp_path, names, languages=("pl", "de")).name == "Aufstrich"
    assert imported(tmp_path, names, languages=("pl",)).name == "Pâte"
    assert imported(tmp_path, {"product_name": " ", "generic_name": "Jam"}).name == "Jam"
    assert imported(tmp_path, {"product_name": "", "categories_tags": ["en:hot-teas"]}).name == (
        "Hot teas"
    )
    assert imported(tmp_path, {"product_name": ""}).name == f"Product {CODE}"


@pytest.mark.parametrize(
    ("size", "quantity", "package", "expected"),
    [
        ("15 g", 15, "", [(1, "serving", 15), (100, "g", 100)]),
        ("3 BALLS (36 g)", "36", "", [(3, "balls", 36), (100, "g", 100)]),
        ("1.61 ONZ (45 g)", 45, "", [(1.61, "oz", 45), (100, "g", 100)]),
        ("8 OZA (240 ml)", 240, "", [(8, "fl oz", 240), (100, "ml", 100)]),
        ("30 g (makes 200 ml)", 30, "", [(1, "serving", 30), (100, "g", 100)]),
        ("0.5 cup (125 ml)", 125, "", [(0.5, "cup", 125), (100, "ml", 100)]),
        ("25cl", None, "", [(1, "serving", 250), (100, "ml", 100)]),
        ("", None, "33 cl", [(100, "ml", 100)]),
        ("", None, "", [(100, "g", 100)]),
        ("much", "abc", "", [(100, "g", 100)]),
        ("0 g", 0, "", [(100, "g", 100)]),
    ],
)
def test_the_serving_is_that_of_the_label(
    tmp_path: Path, size: str, quantity: Any, package: str, expected: list[tuple[float, str, float]]
):
    product = {"serving_size": size, "serving_quantity": quantity, "quantity": package}
    food = imported(tmp_path, product)
    assert [(p.quantity, p.unit, p.weight_g) for p in food.portions] == expected


@given(text=st.text(max_size=60))
def test_no_text_of_a_serving_is_too_strange(text: str):
    measure = household_measure(text)
    assert measure is None or (0 < measure[0] <= 1000 and measure[1])


def test_declarations_brands_and_the_rest_are_taken_along(tmp_path: Path):
    food = imported(
        tmp_path,
        {
            "brands": "Crumb, Sons ,Crumb", "allergens_tags": ["en:milk", "de:molke"],
            "traces_tags": ["en:nuts"], "labels_tags": ["en:vegan", "en:organic"],
            "ingredients_analysis_tags": ["en:non-vegan", "en:vegetarian-status-unknown"],
            "ingredients_text": "Sugar,\n palm &amp; oil", "unique_scans_n": 17,
            "image_url": "https://images.example/1.jpg",
            "categories_tags": ["en:spreads", "en:cocoa-spreads", "fr:pates"],
        },
    )  # fmt: skip
    assert food.declared == (
        "contains:milk", "contains:de:molke", "traces:nuts", "label:vegan", "label:organic",
        "analysis:non-vegan",
    )  # fmt: skip
    assert (food.brand_name, food.category) == ("Crumb, Sons", "Cocoa spreads")
    assert food.ingredients == "Sugar, palm & oil"
    assert (food.popularity, food.image_url) == (17, "https://images.example/1.jpg")
    assert (food.key, food.barcode, food.source) == (f"0{CODE}", f"0{CODE}", "off")


def test_the_dump_tells_the_same_as_the_export(tmp_path: Path, shared_data: Path):
    """Every product of the real export, rewritten as a dump, packed and plain."""
    export = shared_data / "food" / "off_products_sample_dev.csv"
    lines = []
    tags = {"categories_tags": "categories_tags", "labels_tags": "labels_tags",
            "countries_tags": "countries_tags", "allergens": "allergens_tags",
            "traces_tags": "traces_tags",
            "ingredients_analysis_tags": "ingredients_analysis_tags"}  # fmt: skip
    with export.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            product: dict[str, Any] = {"nutriments": {}}
            for field, text in row.items():
                if field.endswith("_100g") and text:
                    product["nutriments"][field] = float(text)
                elif field in tags:
                    product[tags[field]] = text.split(",") if text else []
                else:
                    product[field] = text
            lines.append(json.dumps(product))
    packed = tmp_path / "dump.jsonl.gz"
    packed.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    collection = tmp_path / "foods.collection"
    assert take(export, collection).put == (507, 0, 0)
    again = tmp_path / "export.csv.gz"
    again.write_bytes(gzip.compress(export.read_bytes()))
    assert take(packed, collection).put == (0, 0, 507)
    assert take(again, collection).put == (0, 0, 507)
