"""Folders of FoodData Central: official foods, labels, and rows in any order."""

from __future__ import annotations

import csv
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from fdc_folders import PORTION_HEADER, download
from imported_foods import compiled, ids_of, packed_foods, rows_of, take

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import Collection
from postmeal.foods.sources.collection.compile_catalog import catalog_foods
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.import_file import import_foods
from postmeal.foods.table import TableFood


def updated(collection: Path, shipped: list[TableFood]) -> dict[int, TableFood]:
    with Collection(collection) as opened:
        return {food.id: food for food in catalog_foods(opened, shipped)}


def test_official_portions_of_fndds_come_to_the_shipped_foods(
    tmp_path: Path, shared_data: Path, foods: list[TableFood]
):
    """Real rows of the survey's portions: every one with a mass is a serving, 1 stays 100 g."""
    path = shared_data / "food" / "fndds_food_portion.csv"
    with path.open(encoding="utf-8", newline="") as file:
        real: dict[int, list[dict[str, str]]] = {}
        for row in csv.DictReader(file):
            real.setdefault(int(row["fdc_id"]), []).append(row)
    chosen = random.Random(1).sample(sorted(real), 300)
    known = [food for food in foods if food.source == "fndds" and food.kind == "generic"][:300]
    named = dict(zip(chosen, known, strict=True))
    folder = download(
        tmp_path / "fndds",
        [(fdc_id, "survey_fndds_food", food.key) for fdc_id, food in named.items()],
        {fdc_id: {1008: 111.0, 1051: 50.0} for fdc_id in chosen},
        [[row.get(column, "") for column in PORTION_HEADER]
         for fdc_id in chosen for row in real[fdc_id]],
    )  # fmt: skip
    collection = tmp_path / "foods.collection"
    assert take(folder, collection, foods).put == (300, 0, 0)
    found = updated(collection, foods)
    assert len(found) == len(foods)
    usual = 0
    for fdc_id, before in named.items():
        food = found[before.id]
        assert (food.name, food.kind, food.also_called) == (
            before.name, before.kind, before.also_called
        )  # fmt: skip
        assert food.per_100_g == before.per_100_g | {"energy_kcal": 111.0, "water_g": 50.0}
        measures = {portion.id: portion for portion in food.portions}
        expected = [
            row for row in real[fdc_id]
            if float(row["gram_weight"]) > 0
            and not row["portion_description"].startswith(("Quantity not", "Guideline"))
        ]  # fmt: skip
        if not expected:
            assert food.portions == before.portions
            continue
        assert measures[1].weight_g == measures[1].quantity == 100
        assert len(measures) == len(expected) + 1
        assert 2 not in measures  # that of an estimated serving is never used again
        for row in expected:
            portion = measures[int(row["seq_num"]) + 2]
            assert portion.weight_g == float(row["gram_weight"])
            said = portion.unit.replace("tbsp", "tablespoon").replace("tsp", "teaspoon")
            number, _, words = row["portion_description"].partition(" ")
            if number[0].isdigit() and not number.endswith(","):
                assert said == words
                assert portion.quantity == pytest.approx(float(Fraction(number)))
        taken = next((row for row in real[fdc_id] if row["modifier"] == "90000"), None)
        weights = [float(row["gram_weight"]) for row in expected]
        if taken and float(taken["gram_weight"]) in weights:
            assert food.portions[0].weight_g == float(taken["gram_weight"])
            usual += 1
    assert usual > 100


def test_sr_legacy_and_foundation_foods_come_with_their_measures(
    tmp_path: Path, foods: list[TableFood]
):
    folder = download(
        tmp_path / "all",
        [
            (11, "sr_legacy_food", "Butter, salted"),
            (12, "foundation_food", "Bananas, ripe and slightly ripe, raw"),
            (13, "sub_sample_food", "Bananas, sample 7"),
            (14, "sr_legacy_food", "Nobody's number"),
        ],
        {11: {1008: 717, 1004: 81.1, 1110: 0}, 12: {2047: 97, 2048: 98, 1005: 23, 1114: 2.0}},
        [
            [1, 11, 1, 1, 9999, "", 'pat (1" sq, 1/3" high)', 5.0],
            [2, 11, 2, 1, 9999, "", "tablespoon", 14.2],
            [3, 12, 1, 1, 1063, "", "peeled", 115],
        ],
        sr_legacy_food=(["fdc_id", "NDB_number"], [[11, 1001]]),
        foundation_food=(["fdc_id", "NDB_number", "footnote"], [[12, 9040, ""]]),
        measure_unit=(["id", "name"], [[9999, "undetermined"], [1063, "banana"]]),
        food_category=(["id", "code", "description"], [[2, "0900", "Fruits and Fruit Juices"]]),
    )
    taken = take(folder, tmp_path / "foods.collection", foods)
    assert taken.put == (2, 0, 0)
    assert taken.report.count("data type sub_sample_food is not a food") == 1
    assert taken.report.count("no NDB number in sr_legacy_food.csv") == 1
    found = updated(tmp_path / "foods.collection", foods)
    butter = found[ids_of(foods)["sr28", "01001"]]
    assert butter.per_100_g["energy_kcal"] == 717
    assert [(p.id, p.unit) for p in butter.portions if p.unit == "tbsp"] == [(3, "tbsp")]
    banana = found[max(found)]
    assert (banana.source, banana.key, banana.kind) == ("foundation", "9040", "generic")
    assert banana.category == "Fruits and Fruit Juices"
    assert banana.per_100_g == {"energy_kcal": 98, "carbs_g": 23, "vitamin_d_iu": 80}
    assert {(p.quantity, p.unit, p.weight_g) for p in banana.portions} == {
        (100, "g", 100), (1, "banana, peeled", 115)
    }  # fmt: skip


def test_the_last_label_of_a_product_counts_and_what_is_unlabelled_is_kept(tmp_path: Path):
    label = ["Crumb & Sons, Inc.", "", "049000006346", "WATER, SUGAR", 240, "MLT", "8 OZA", "Sodas"]
    folder = download(
        tmp_path / "branded",
        [(5, "branded_food", "OLD COLA"), (7, "branded_food", "NEW COLA"),
         (9, "branded_food", "OAT BISCUIT")],
        {5: {1008: 40}, 7: {1008: 42, 1005: 10.6, 1079: 0, 2000: 10.6}, 9: {1008: 450}},
        labels=[
            [7, *label], [5, *label], [8, "", "", "12345", "", 30, "g", "3 CRACKERS", "Snacks"]
        ],
    )  # fmt: skip
    taken = take(folder, tmp_path / "foods.collection")
    assert taken.put == (3, 0, 1)
    found = packed_foods(tmp_path / "foods.collection")
    cola = found["fdc", "00049000006346"]
    assert (cola.name, cola.brand_name, cola.category) == (
        "New Cola",
        "Crumb & Sons, Inc.",
        "Sodas",
    )
    assert cola.per_100_g["energy_kcal"] == 42
    assert [(p.quantity, p.unit, p.weight_g) for p in cola.portions] == [
        (8, "fl oz", 240), (100, "ml", 100)
    ]  # fmt: skip
    assert cola.ingredients == "WATER, SUGAR"
    assert found["fdc", "12345"].barcode == ""
    assert found["fdc", "12345"].per_100_g == {}
    assert found["fdc", "fdc_id 9"].name == "Oat Biscuit"
    catalog = compiled(tmp_path / "foods.collection", (), tmp_path / "foods.sqlite3")
    assert catalog.barcode("04963406").name == "New Cola"
    assert catalog.barcode("04963406").nutrients["carbs_g"] == pytest.approx(10.6 * 2.4)
    catalog.close()


def test_an_import_of_a_folder_that_is_stopped_over_and_over_goes_on(
    tmp_path: Path, shared_data: Path
):
    """After each batch of each of its files; it ends as if nothing had been."""
    folder = shared_data / "food" / "fdc_branded_dev"

    def stop(path: Path, read: int, size: int) -> None:
        raise KeyboardInterrupt

    whole, stopped = tmp_path / "whole.collection", tmp_path / "stopped.collection"
    take(folder, whole)
    times = 0
    with Collection(stopped) as collection:
        while not collection.state(str(folder.resolve())).complete:
            try:
                import_foods(folder, collection, ImportReport("folder"), progress=stop)
            except KeyboardInterrupt:
                times += 1
    assert times == 5
    assert rows_of(stopped) == rows_of(whole)
    with Collection(stopped) as collection:
        assert collection.incomplete() == []
        for table in ("fdc_run", "fdc_food", "fdc_part"):  # nothing staged is left
            assert collection.database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_another_folder_drops_what_was_staged_of_a_damaged_one(tmp_path: Path):
    """Of the damaged one, no food was touched: the catalogue can be compiled."""
    sound = download(tmp_path / "sound", [(1, "branded_food", "BREAD")], {1: {1008: 250}})
    damaged = download(tmp_path / "damaged", [(1, "branded_food", "STONE")], {1: {1008: 5}})
    amounts = damaged / "food_nutrient.csv"
    amounts.write_bytes(amounts.read_bytes()[:-8])
    collection = tmp_path / "foods.collection"
    with pytest.raises(DataSetError, match=r"food_nutrient\.csv ends in the middle of line 2"):
        take(damaged, collection)
    take(sound, collection)
    assert [food.name for food in packed_foods(collection).values()] == ["Bread"]
    compiled(collection, (), tmp_path / "foods.sqlite3").close()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("food.csv", b"fdc_id,description\n1,Bread\n", "is missing required columns: data_type"),
        ("food.csv", b"fdc_id,data_type,description\n", "contains no usable rows"),
        ("food_nutrient.csv", b"", "it is empty"),
        ("food.csv", None, "is not a download of FoodData Central; missing files: food.csv"),
        ("sr_legacy_food.csv", b"fdc_id\n1\n", "is missing required columns: NDB_number"),
    ],
)
def test_a_folder_with_a_bad_file_is_refused_by_name(
    tmp_path: Path, name: str, content: bytes | None, problem: str
):
    folder = download(tmp_path / "fdc", [(1, "branded_food", "BREAD")], {1: {1008: 250}})
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(DataSetError, match=problem):
        take(folder, tmp_path / "foods.collection")


def test_a_folder_of_samples_alone_is_refused(tmp_path: Path):
    folder = download(tmp_path / "fdc", [(1, "sample_food", "BREAD")], {1: {1008: 250}})
    with pytest.raises(DataSetError, match="contains no usable foods"):
        take(folder, tmp_path / "foods.collection")


def test_a_newer_download_changes_foods_in_place(tmp_path: Path):
    collection = tmp_path / "foods.collection"
    label = ["Crumb", "", "049000006346", "", 30, "g", "", "Bread"]
    for fdc_id, energy in ((1, 250), (3, 260), (2, 255)):
        folder = download(
            tmp_path / f"of {fdc_id}", [(fdc_id, "branded_food", "BREAD")],
            {fdc_id: {1008: energy}}, labels=[[fdc_id, *label]],
        )  # fmt: skip
        take(folder, collection)
    (bread,) = packed_foods(collection).values()
    assert bread.per_100_g["energy_kcal"] == 260
    assert replace(bread, id=0).key == "00049000006346"
