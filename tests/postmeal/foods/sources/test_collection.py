"""The collection: ids are for ever, imports go on after any kill, and nothing is withdrawn."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from food_dumps import IMPORTS, ROOT, dump, product
from hypothesis import given
from hypothesis import strategies as st
from imported_foods import compiled, packed_foods, rows_of, take

from postmeal.errors import DataSetError
from postmeal.foods.id_ranges import FIRST_IMPORTED_ID
from postmeal.foods.nutrients import NUTRIENTS
from postmeal.foods.sources.collection.collection import Collection, Imported
from postmeal.foods.sources.collection.compile_catalog import catalog_foods
from postmeal.foods.sources.collection.packed_food import pack, unpack
from postmeal.foods.table import Portion, TableFood

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
amounts = st.dictionaries(st.sampled_from(NUTRIENTS), st.floats(0, 1e6, allow_subnormal=False))
portions = st.builds(
    Portion, st.integers(1, 99), st.floats(0.01, 1000), words, st.floats(0.01, 5000)
)
foods = st.builds(
    TableFood, source=st.just("own"), key=words, kind=st.just("branded"), category=words,
    name=words, portions=st.lists(portions, min_size=1, max_size=4).map(tuple), per_100_g=amounts,
    brand_name=words, description=words, also_called=words, barcode=st.just("00049000006346"),
    glycemic_index=st.none() | st.floats(1, 150), image_url=words,
    ingredients=st.none() | words, declared=st.lists(words, max_size=4).map(tuple),
    popularity=st.floats(0, 1e9),
)  # fmt: skip


@given(food=foods)
def test_a_food_comes_out_of_a_collection_as_it_went_in(food: TableFood):
    columns = {
        name: getattr(food, name) for name in ("source", "key", "kind", "name", "popularity")
    }
    assert unpack(pack(food), **columns) == food
    assert pack(unpack(pack(food), **columns)) == pack(food)


def test_the_same_file_again_changes_nothing(tmp_path: Path):
    file = dump(tmp_path / "dump.jsonl", [product(number) for number in range(500)])
    collection = tmp_path / "foods.collection"
    assert take(file, collection).put == (500, 0, 0)
    before = rows_of(collection)
    assert take(file, collection).put == (0, 0, 0)
    copy = Path(shutil.copy(file, tmp_path / "copy.jsonl"))
    assert take(copy, collection).put == (0, 0, 500)
    os.utime(file, (1, 1))
    assert take(file, collection).put == (0, 0, 500)
    assert rows_of(collection) == before


def test_a_newer_file_changes_foods_in_place_and_withdraws_none(tmp_path: Path):
    collection = tmp_path / "foods.collection"
    take(dump(tmp_path / "one", [product(number) for number in range(10)]), collection)
    ids = {key: food.id for key, food in packed_foods(collection).items()}
    assert sorted(ids.values()) == list(range(FIRST_IMPORTED_ID, FIRST_IMPORTED_ID + 10))
    newer = [product(number, last_modified_t=2, product_name="Toast") for number in range(5, 15)]
    assert take(dump(tmp_path / "two", newer), collection).put == (5, 5, 0)
    found = packed_foods(collection)
    assert {key: found[key].id for key in ids} == ids
    assert sorted(food.id for food in found.values()) == list(
        range(FIRST_IMPORTED_ID, FIRST_IMPORTED_ID + 15)
    )
    assert sum(food.name == "Toast" for food in found.values()) == 10


def test_an_older_file_changes_nothing(tmp_path: Path):
    """And of several lines on one product in a file the newest counts."""
    collection = tmp_path / "foods.collection"
    versions = [product(1, last_modified_t=time, product_name=f"Of {time}") for time in (3, 9, 5)]
    assert take(dump(tmp_path / "one", versions), collection).put == (1, 1, 1)
    assert take(dump(tmp_path / "two", versions[:1]), collection).put == (0, 0, 1)
    assert [food.name for food in packed_foods(collection).values()] == ["Of 9"]


def test_foods_of_the_shipped_table_keep_the_ids_that_they_have_there(tmp_path: Path):
    shipped = TableFood("fndds", "Bread, rye", "generic", "", "Bread, rye", (), {}, id=4711)
    known = {("fndds", "Bread, rye"): 4711}
    with Collection(tmp_path / "foods.collection", known) as collection:
        with collection.writing():
            collection.put([Imported(shipped), Imported(replace(shipped, key="Bread, oat"))])
        assert set(collection.official()) == {4711}
        assert [food.id for food in collection.foods("generic")] == [FIRST_IMPORTED_ID]


@pytest.mark.reliability
def test_a_killed_import_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path):
    """kill -9 at any moment, again and again: each run goes on where the one before was."""
    lines = [product(number, ingredients_text="wheat " * 20) for number in range(20_000)]
    file = dump(tmp_path / "dump.jsonl", lines)
    whole, killed = tmp_path / "whole.collection", tmp_path / "killed.collection"
    assert take(file, whole).put.new == 20_000
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    chance = random.Random(7)
    starts: list[int] = []
    for _ in range(40):
        command = [sys.executable, "-c", IMPORTS, str(killed), str(file)]
        run = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        if len(starts) < 4:
            wait_until_it_writes(killed, starts[-1] if starts else 0, run)
            time.sleep(chance.uniform(0, 0.2))
            run.send_signal(signal.SIGKILL)
        if run.wait() == 0:
            break
        with Collection(killed) as collection:
            assert collection.database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            state = collection.state(str(file.resolve()))
            assert len(collection) == state.mark.line
            starts.append(state.mark.line)
    assert starts == sorted(starts)
    assert len({start for start in starts if 0 < start < 20_000}) >= 2
    assert rows_of(killed) == rows_of(whole)
    with Collection(killed) as collection:
        assert collection.incomplete() == []


def wait_until_it_writes(path: Path, lines: int, run: subprocess.Popen[bytes]) -> None:
    """Until the collection holds more than so many lines of the file."""
    while run.poll() is None:
        if path.exists():
            try:
                with Collection(path) as collection:
                    if len(collection) > lines:
                        return
            except DataSetError:
                pass  # it is being made
        time.sleep(0.01)


def test_a_catalogue_has_shipped_foods_first_and_imported_ones_by_popularity(
    tmp_path: Path, foods: list[TableFood]
):
    collection = tmp_path / "foods.collection"
    lines = [product(1, unique_scans_n=5), product(2), product(3, unique_scans_n=50),
             product(4, nutriments={"carbohydrates_100g": 1, "fat_100g": 2})]  # fmt: skip
    foods = foods[::50]
    take(dump(tmp_path / "dump", lines), collection, foods)
    catalog = compiled(collection, foods, tmp_path / "foods.sqlite3")
    assert len(catalog) == len(foods) + 4
    names = [food.name for food in catalog.search("biscuit", kind="branded", limit=5000)]
    ours = [name for name in names if name[-1] in "1234" and name.startswith("Biscuit ")]
    assert set(ours) == {f"Biscuit {number}" for number in (1, 2, 3, 4)}
    with Collection(collection) as opened:
        ordered = [food for food in catalog_foods(opened, foods) if food.kind == "branded"]
    assert [food.name for food in ordered[-4:]] == [f"Biscuit {number}" for number in (3, 1, 4, 2)]
    assert all(food.id < FIRST_IMPORTED_ID for food in ordered[:-4])
    catalog.close()


def test_a_scan_finds_the_publisher_who_tells_most_of_a_product(tmp_path: Path):
    """Both foods stay, with their ids; one's own food comes before all others."""
    collection = tmp_path / "foods.collection"
    gtin = "00049000006346"
    label = {"source": "fdc", "key": gtin, "barcode": gtin, "kind": "branded", "category": "",
             "portions": (Portion(1, 100, "g", 100),)}  # fmt: skip
    told = TableFood(name="Told", per_100_g={"carbs_g": 10.0, "fat_g": 1.0}, **label)
    scanned = TableFood(**label | {"source": "off", "name": "Scanned", "per_100_g": {"fat_g": 1.0},
                                   "popularity": 99.0})  # fmt: skip
    mine = replace(told, source="own", key="shelf 7", name="Mine", per_100_g={})
    for foods, expected in ([told, scanned], "Told"), ([mine], "Mine"):
        with Collection(collection) as opened, opened.writing():
            opened.put(map(Imported, foods))
        catalog = compiled(collection, (), tmp_path / "foods.sqlite3")
        assert catalog.barcode("049000006346").name == expected
        assert catalog.food(FIRST_IMPORTED_ID).name == "Told"
        assert catalog.food(FIRST_IMPORTED_ID + 1).name == "Scanned"
        catalog.close()


@pytest.mark.parametrize("content", [b"name,carbs_g\n", b"SQLite format 3\0" + bytes(200)])
def test_a_file_that_is_no_collection_is_refused_and_stays(tmp_path: Path, content: bytes):
    file = tmp_path / "other"
    file.write_bytes(content)
    with pytest.raises(DataSetError, match="is not a collection of foods; choose another file"):
        Collection(file)
    assert file.read_bytes() == content


def test_a_collection_in_a_folder_that_is_missing_is_refused_by_name(tmp_path: Path):
    with pytest.raises(DataSetError, match=r"gone/foods\.collection cannot be opened"):
        Collection(tmp_path / "gone" / "foods.collection")


def test_a_collection_of_a_later_release_is_refused(tmp_path: Path):
    with Collection(tmp_path / "foods.collection") as collection:
        collection.database.execute("PRAGMA user_version = 99")
    with pytest.raises(DataSetError, match="got version 99; import the foods into a new"):
        Collection(tmp_path / "foods.collection")
