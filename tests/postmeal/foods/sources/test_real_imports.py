"""Samples of FoodData Central and Open Food Facts: every row, beside the raw files read anew."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from barcode_digits import upc_e, with_check_digit
from imported_foods import Taken, compiled, packed_foods, take

from postmeal.errors import UnknownBarcode
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.table import TableFood

FDC_AMOUNTS = {
    "energy_kcal": ("1008", "2048", "2047"), "protein_g": ("1003",),
    "carbs_g": ("1005", "1050"), "fat_g": ("1004", "1085"),
    "fiber_g": ("1079", "2033"), "sugars_g": ("2000", "1063"), "added_sugars_g": ("1235",),
    "saturated_fat_g": ("1258",), "monounsaturated_fat_g": ("1292",),
    "polyunsaturated_fat_g": ("1293",), "trans_fat_g": ("1257",), "cholesterol_mg": ("1253",),
    "sodium_mg": ("1093",), "potassium_mg": ("1092",), "calcium_mg": ("1087",),
    "iron_mg": ("1089",), "vitamin_a_iu": ("1104",), "vitamin_c_mg": ("1162",),
    "vitamin_d_iu": ("1110",), "water_g": ("1051",), "caffeine_mg": ("1057",),
}  # fmt: skip
OFF_AMOUNTS = {
    "energy_kcal": ("energy-kcal", 1), "protein_g": ("proteins", 1),
    "carbs_g": ("carbohydrates", 1), "fat_g": ("fat", 1), "fiber_g": ("fiber", 1),
    "sugars_g": ("sugars", 1),
    "added_sugars_g": ("added-sugars", 1), "saturated_fat_g": ("saturated-fat", 1),
    "trans_fat_g": ("trans-fat", 1), "cholesterol_mg": ("cholesterol", 1000),
    "sodium_mg": ("sodium", 1000), "potassium_mg": ("potassium", 1000),
    "calcium_mg": ("calcium", 1000), "iron_mg": ("iron", 1000), "vitamin_c_mg": ("vitamin-c", 1000),
    "vitamin_d_iu": ("vitamin-d", 40_000_000), "water_g": ("water", 1),
}  # fmt: skip


class Samples:
    """Both samples, raw and as a catalogue."""

    def __init__(self, folder: Path, work: Path, shipped: list[TableFood]) -> None:
        fdc, off = folder / "fdc_branded_dev", folder / "off_products_sample_dev.csv"
        self.branded = raw_rows(fdc / "branded_food.csv")
        self.foods = raw_rows(fdc / "food.csv")
        self.amounts: dict[str, dict[str, float]] = defaultdict(dict)
        for row in raw_rows(fdc / "food_nutrient.csv"):
            if row["amount"]:
                self.amounts[row["fdc_id"]][row["nutrient_id"]] = float(row["amount"])
        lines = off.read_text(encoding="utf-8").split("\n")
        header = lines[0].split("\t")
        self.products = [
            dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:] if line
        ]
        collection = work / "foods.collection"
        self.imports: dict[str, Taken] = {
            "fdc": take(fdc, collection, shipped), "off": take(off, collection, shipped)
        }  # fmt: skip
        self.catalog: Catalog = compiled(collection, shipped, work / "foods.sqlite3")
        self.shipped = shipped
        self.ids = {key: food.id for key, food in packed_foods(collection).items()}


@pytest.fixture(scope="module")
def samples(
    shared_data: Path, tmp_path_factory: pytest.TempPathFactory, foods: list[TableFood]
) -> Samples:
    return Samples(shared_data / "food", tmp_path_factory.mktemp("samples"), foods)


def raw_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def gtin_of(printed: str) -> str | None:
    """The GTIN of 14 digits whose check digit is right, else None: written anew for this test."""
    number = printed.lstrip("0").zfill(14)
    if len(number) > 14 or not number.isdigit() or number < "00000000010000":
        return None
    return number if with_check_digit(number[:-1]) == number else None


def forms_of(gtin: str) -> list[str]:
    bare = gtin.lstrip("0")
    forms = [gtin[14 - length :] for length in (8, 12, 13, 14) if len(bare) <= length]
    if gtin.startswith("00") and (short := upc_e(gtin[2:])):
        forms.append(short)
    return forms


def found_by(catalog: Catalog, code: str) -> Food | None:
    try:
        return catalog.barcode(code)
    except UnknownBarcode:
        return None


def test_every_right_barcode_is_found_in_every_form(samples: Samples):
    """Rows 201, 205, 206 and 208."""
    printed = [row["gtin_upc"] for row in samples.branded] + [
        row["code"] for row in samples.products
    ]
    gtins = {gtin for code in printed if (gtin := gtin_of(code))}
    assert len(gtins) > 5000
    short = 0
    for gtin in sorted(gtins):
        for form in forms_of(gtin):
            food = samples.catalog.barcode(form)
            if len(form) == 8 and not gtin.startswith("000000"):
                short += 1  # UPC-E, which may be an EAN-8 of another product, too
                if food.barcode and food.barcode.zfill(14) != gtin:
                    assert gtin_of(form) in gtins
                    continue
            assert food.barcode is not None
            assert food.barcode.zfill(14) == gtin, form
    assert short > 20


def test_no_barcode_with_a_wrong_check_digit_is_found(samples: Samples):
    """Row 207."""
    wrong = [row["gtin_upc"] for row in samples.branded if gtin_of(row["gtin_upc"]) is None]
    wrong = [code for code in wrong if len(code) > 8]
    assert len(wrong) > 50
    assert [code for code in wrong if found_by(samples.catalog, code)] == []


def test_the_serving_of_every_branded_food_is_that_of_its_label(samples: Samples):
    """Of several labels of one product the last one counts."""
    latest: dict[str, dict[str, str]] = {}
    for row in sorted(samples.branded, key=lambda row: int(row["fdc_id"])):
        if gtin := gtin_of(row["gtin_upc"]):
            latest[gtin] = row
    household = 0
    for gtin, row in latest.items():
        food = samples.catalog.barcode(gtin)
        size = float(row["serving_size"])
        serving = food.default_serving
        if food.id >= 100_000_000 and "off" in str(food.image_url):
            continue
        if not 0 < size <= 5000:
            assert serving.weight_g == 100, row
            continue
        assert serving.weight_g == pytest.approx(size, rel=1e-6), row
        hundred = food.serving(1)
        assert hundred.quantity == hundred.weight_g == 100
        assert hundred.unit == ("ml" if row["serving_size_unit"] in ("ml", "MLT") else "g")
        assert hundred.scaling_factor == pytest.approx(100 / size, rel=1e-6)
        text = row["household_serving_fulltext"].lower()
        if text in ("1 cup", "2 tbsp", "1 slice", "3 pieces", "1 bar"):
            quantity, unit = text.split()
            assert (serving.quantity, serving.unit) == (float(quantity), unit)
            household += 1
    assert household > 150


def test_every_food_is_found_by_its_name(samples: Samples):
    """Row 160: by the words of the description, whatever their capitals."""
    named = [row for row in samples.foods if row["data_type"] == "branded_food"]
    labels = {row["fdc_id"] for row in samples.branded}
    assert len(named) > 2000
    for row in named:
        if row["fdc_id"] in labels:
            continue
        food_id = samples.ids["fdc", f"fdc_id {row['fdc_id']}"]
        found = samples.catalog.search(row["description"], kind="branded", limit=1000)
        assert food_id in [food.id for food in found], row["description"]
    for row in samples.products:
        if row["product_name"].strip() and (gtin := gtin_of(row["code"])):
            food = samples.catalog.barcode(gtin)
            found = samples.catalog.search(food.name, kind="branded", limit=2000)
            assert food.id in [one.id for one in found], food.name


def test_every_amount_of_fooddata_central_is_the_raw_one(samples: Samples):
    """Those of foods without a label, which stand on 100 g; what is left out is reported."""
    labels = {row["fdc_id"] for row in samples.branded}
    checked = left_out = 0
    for row in samples.foods:
        if row["data_type"] == "branded_food" and row["fdc_id"] not in labels:
            food = samples.catalog.food(samples.ids["fdc", f"fdc_id {row['fdc_id']}"])
            wrong, dropped = compared(food, samples.amounts[row["fdc_id"]])
            assert not wrong, row
            checked += len(samples.amounts[row["fdc_id"]])
            left_out += dropped
    assert checked > 25_000
    reported = samples.imports["fdc"].notes
    assert left_out <= sum(reported.count(f",{key} ") for key in FDC_AMOUNTS) + 3 * reported.count(
        " together are above"
    )
    assert left_out < 40


def compared(food: Food, raw: dict[str, float]) -> tuple[int, int]:
    """How many amounts differ from the raw ones, and how many are left out."""
    wrong = dropped = 0
    for key, numbers in FDC_AMOUNTS.items():
        expected = next((raw[number] for number in numbers if number in raw), None)
        if expected is None:
            wrong += food.nutrients.known().get(key, 0.0) != 0 and key != "vitamin_d_iu"
        elif key not in food.nutrients:
            dropped += 1
        else:
            wrong += food.nutrients[key] != pytest.approx(expected, rel=1e-5, abs=1e-9)
    return wrong, dropped


def test_every_product_of_open_food_facts_has_its_raw_amounts(samples: Samples):
    checked = left_out = 0
    for row in samples.products:
        if not (gtin := gtin_of(row["code"])):
            continue
        food = samples.catalog.barcode(gtin)
        factor = food.default_serving.weight_g / 100
        assert food.name
        for key, (name, unit) in OFF_AMOUNTS.items():
            text = row[f"{name}_100g"]
            if not text:
                continue
            if key not in food.nutrients:
                left_out += 1
                continue
            expected = float(text) * unit * factor
            if key == "carbs_g" and sold_without_fibre_in_carbohydrate(row):
                expected += float(row["fiber_100g"] or 0) * factor
            assert food.nutrients[key] == pytest.approx(expected, rel=1e-5, abs=1e-9), (key, row)
            checked += 1
        if row["serving_quantity"] and 0 < float(row["serving_quantity"]) <= 5000:
            grams = food.default_serving.weight_g
            assert grams == pytest.approx(float(row["serving_quantity"]), rel=1e-6)
    assert checked > 800
    assert left_out < 10


def sold_without_fibre_in_carbohydrate(row: dict[str, str]) -> bool:
    """Whether this sample's label is one of Europe: told by hand, from all its countries."""
    countries = row["countries_tags"].replace("en:", "").split(",")
    named = ("france", "united-kingdom", "germany", "switzerland", "belgium", "netherlands")
    return {*countries} <= {*named} and row["product_name"] != "Urid whole - Matpe beans"


def test_with_fibre_added_to_the_carbohydrate_of_europe_labelled_energy_is_explained(
    samples: Samples,
):
    """By 4 kcal per gram of protein and of carbohydrate but fibre, 9 of fat, 2 of fibre."""
    factors = {"proteins": 4, "carbohydrates": 4, "fat": 9, "fiber": 2, "energy-kcal": -1}
    as_labelled, as_imported = [], []
    for row in samples.products:
        gtin, labelled = gtin_of(row["code"]), [row[f"{name}_100g"] for name in factors]
        if not (gtin and all(labelled) and float(row["fiber_100g"])):
            continue
        food = samples.catalog.barcode(gtin)
        per_g = food.default_serving.weight_g / 100
        added_g = food.nutrients["carbs_g"] / per_g - float(row["carbohydrates_100g"])
        if added_g > 0.001:
            total = sum(float(x) * y for x, y in zip(labelled, factors.values(), strict=True))
            as_labelled.append(abs(total - 4 * float(row["fiber_100g"])))
            as_imported.append(abs(total - 4 * float(row["fiber_100g"]) + 4 * added_g))
    assert len(as_imported) == 31  # with a right barcode, of 33
    assert median(as_labelled) == pytest.approx(11.7, abs=0.1)
    assert median(as_imported) == pytest.approx(0.4, abs=0.1)


def test_what_is_unknown_is_not_zero(samples: Samples):
    """A label without a row in the table of amounts has none; its food is found all the same."""
    unknown = [row for row in samples.branded if row["fdc_id"] not in samples.amounts]
    foods = [samples.catalog.barcode(gtin) for row in unknown if (gtin := gtin_of(row["gtin_upc"]))]
    off = {gtin_of(row["code"]) for row in samples.products}
    alone = [food for food in foods if food.barcode and food.barcode.zfill(14) not in off]
    assert len(alone) > 4000
    assert not any(food.nutrients.known() for food in alone)
    reason = "energy and carbohydrate are unknown"
    assert samples.imports["fdc"].report.count(reason) > 4000


def test_the_shipped_foods_keep_their_ids_places_and_everyday_names(samples: Samples):
    everyday: Any = Catalog.open()
    for word in ("toast", "oatmeal", "coffee"):
        assert samples.catalog.everyday(word).id == everyday.everyday(word).id
    for food in samples.shipped[::50]:
        assert samples.catalog.food(food.id).description == food.name
    assert samples.catalog.search("banana")[0].id == everyday.search("banana")[0].id
