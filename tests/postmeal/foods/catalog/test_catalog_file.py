"""The catalogue's file: built as foods stream in, read by whoever finds it whole."""

import os
import sqlite3
import weakref
from contextlib import closing
from dataclasses import fields, replace
from itertools import islice, product

import pytest
from many_foods import many_foods

from postmeal import InputError
from postmeal.assets import asset
from postmeal.errors import CatalogError, DataSetError, UnknownFood
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import SCHEMA_VERSION, build_catalog_file, by_kind
from postmeal.foods.sources.collection.collection import Collection
from postmeal.foods.table import TableFood, read_table


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    path = tmp_path_factory.mktemp("built") / "foods.sqlite3"
    build_catalog_file(many_foods(), path)
    return path


@pytest.fixture
def own(built, tmp_path):
    """A copy that may be damaged."""
    path = tmp_path / "foods.sqlite3"
    path.write_bytes(built.read_bytes())
    return path


def test_foods_are_read_once_and_not_held_together(tmp_path):
    """Of all the foods made so far, only those being written are still there."""
    there, most = [], 0

    class Streamed(TableFood):
        """A food that tells when it is gone."""

    def stream():
        nonlocal most
        for food in many_foods():
            one = Streamed(**{field.name: getattr(food, field.name) for field in fields(food)})
            there.append(food.id)
            weakref.finalize(one, there.remove, food.id)
            most = max(most, len(there))
            yield one

    build_catalog_file(stream(), tmp_path / "foods.sqlite3")
    assert len(Catalog(tmp_path / "foods.sqlite3")) == 3_000
    assert 0 < most < 10


def test_equal_foods_give_equal_bytes_and_other_foods_another_version(built, tmp_path):
    build_catalog_file(many_foods(), tmp_path / "again.sqlite3")
    assert (tmp_path / "again.sqlite3").read_bytes() == built.read_bytes()
    changed = (replace(food, brand_name="Hooli") if food.id == 100_014_007 else food
               for food in many_foods())  # fmt: skip
    build_catalog_file(changed, tmp_path / "changed.sqlite3")
    assert Catalog(tmp_path / "changed.sqlite3").version != Catalog(built).version


def test_a_catalogue_tells_its_version(built, catalog):
    assert Catalog(built).version.startswith(f"{SCHEMA_VERSION}-")
    assert Catalog(built).version == Catalog.open(built).version != catalog.version


def test_foods_in_another_order_are_refused_by_number(tmp_path):
    foods = list(islice(many_foods(), 898, 902))  # the last basic foods, the first dishes
    assert [food.kind for food in foods] == ["generic", "generic", "dish", "dish"]
    for order in ([2, 0], [1, 0], [3, 2]):
        with pytest.raises(InputError, match=r"foods\[1\] must not follow a less popular food"):
            build_catalog_file([foods[at] for at in order], tmp_path / f"{order}.sqlite3")
    build_catalog_file(by_kind(foods[::-2]), tmp_path / "sorted.sqlite3")


def test_a_food_without_a_measure_of_popularity_may_stand_anywhere_in_its_kind(tmp_path):
    foods = [replace(food, popularity=0.0) if at % 3 else food
             for at, food in enumerate(many_foods())]  # fmt: skip
    build_catalog_file(foods, tmp_path / "some.sqlite3")
    assert len(Catalog(tmp_path / "some.sqlite3")) == len(foods)


def test_kinds_may_be_missing(tmp_path):
    build_catalog_file([], tmp_path / "none.sqlite3")
    none = Catalog(tmp_path / "none.sqlite3")
    assert (len(none), none.search("milk"), none.suggest("mi"), none.everyday("milk")) == (
        0,
        [],
        [],
        None,
    )
    with pytest.raises(UnknownFood):
        none.food(1)
    recipes = [food for food in many_foods() if food.kind == "recipe"]
    build_catalog_file(recipes, tmp_path / "recipes.sqlite3")
    found = Catalog(tmp_path / "recipes.sqlite3").search("milk", limit=1_000)
    assert {food.kind for food in found} == {"recipe"}


def test_the_shipped_amounts_are_those_of_the_table_to_the_bit(tmp_path):
    food = next(food for food in read_table(asset("data/foods.csv.xz")) if food.id == 2159)
    build_catalog_file([food], tmp_path / "banana.sqlite3")
    banana = Catalog(tmp_path / "banana.sqlite3").food(2159)
    factor = banana.default_serving.weight_g / 100
    assert dict(banana.nutrients) == {key: food.per_100_g[key] * factor for key in banana.nutrients}
    assert set(banana.nutrients) == set(food.per_100_g)


def test_a_file_that_is_not_there_cannot_be_reached(tmp_path):
    with pytest.raises(CatalogError, match="does not exist; check the path") as raised:
        Catalog.open(tmp_path / "none.sqlite3")
    assert raised.value.reason == "unreachable"


@pytest.mark.parametrize("content", [b"", b"no database" * 1_000])
def test_what_is_no_catalogue_is_damaged(tmp_path, content):
    path = tmp_path / "foods.sqlite3"
    path.write_bytes(content)
    with pytest.raises(CatalogError) as raised:
        Catalog.open(path)
    assert raised.value.reason == "damaged"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"name;carbs", "is not a food table or catalog; it must be a .csv.xz table or"),
        (b"\xfd7zXZ\0 cut off", "is a damaged table of foods; restore it from a backup"),
    ],
)
def test_what_is_no_table_is_told_without_the_words_of_the_decompressor(tmp_path, content, problem):
    path = tmp_path / "foods.csv.xz"
    path.write_bytes(content)
    with pytest.raises(DataSetError) as raised:
        Catalog.open(path)
    assert str(raised.value).startswith(f"{path} {problem}")


def test_a_collection_is_to_be_compiled_first(tmp_path):
    path = tmp_path / "good.collection"
    with Collection(path):
        pass
    with pytest.raises(DataSetError, match="is a collection of imported foods; compile it with"):
        Catalog.open(path)


def test_a_file_of_another_schema_is_damaged(own):
    with closing(sqlite3.connect(own)) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")
    with pytest.raises(CatalogError, match=f"schema version {SCHEMA_VERSION}") as raised:
        Catalog.open(own)
    assert raised.value.reason == "damaged"


@pytest.mark.parametrize("kept", [0.05, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_damaged(own, kept):
    os.truncate(own, int(own.stat().st_size * kept))
    with pytest.raises(CatalogError) as raised:
        Catalog.open(own)
    assert raised.value.reason == "damaged"


def test_a_file_that_is_cut_off_while_it_is_open_is_damaged(own):
    catalog = Catalog(own)
    os.truncate(own, 4096)
    for ask in (
        catalog.search,
        catalog.suggest,
        catalog.everyday,
        lambda _: catalog.food(100_014_007),
    ):
        with pytest.raises(CatalogError) as raised:
            ask("unsweetened")
        assert raised.value.reason == "damaged"


def test_a_file_full_of_noise_answers_nothing_but_errors_of_ours(own):
    with open(own, "r+b") as file:
        for at in range(8192, own.stat().st_size, 4096):
            file.seek(at)
            file.write(b"\xa5\x00\xff" * 100)
    words = ("milk", "tea", "dark bread", "unsweetened", "vanlila")
    for ask, word in product((Catalog.search, Catalog.suggest, Catalog.everyday), words):
        with pytest.raises(CatalogError) as raised:
            ask(Catalog(own), word)
        assert raised.value.reason == "damaged"


def test_a_search_without_time_is_too_slow(built):
    with pytest.raises(CatalogError, match="timed out") as raised:
        Catalog(built, timeout_s=0).search("milk")
    assert raised.value.reason == "too slow"


def test_a_query_that_does_not_end_is_interrupted(built):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    catalog = Catalog(built)
    with pytest.raises(CatalogError) as raised, catalog._file.reading(0.05) as read:
        read(endless, ())
    assert raised.value.reason == "too slow"
    assert catalog.search("milk")  # the connection can be used again


def test_a_word_in_any_script_is_found(tmp_path):
    named = TableFood(
        source="made", key="1", kind="generic", category="Made up", name="Рис 白米 أرز ½ ²x ǆ İ",
        portions=next(many_foods()).portions, per_100_g={}, id=1,
    )  # fmt: skip
    build_catalog_file([named], tmp_path / "one.sqlite3")
    catalog = Catalog(tmp_path / "one.sqlite3")
    for query in ("рис", "白米", "أرز", "白", "½", named.name):
        assert [food.id for food in catalog.search(query)] == [1]
