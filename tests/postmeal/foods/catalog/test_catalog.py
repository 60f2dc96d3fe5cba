"""The shipped foods: look-up, search, and the file they lie in."""

import math
import multiprocessing
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal import InputError
from postmeal.assets import asset
from postmeal.errors import CatalogError, DataSetError, UnknownFood
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog import file as file_module
from postmeal.foods.catalog.file import build_catalog_file, by_kind, catalog_file
from postmeal.foods.nutrients import NUTRIENTS
from postmeal.foods.table import write_table

TABLE = asset("data/foods.csv.xz")


def names(catalog, query, **options):
    return [food.description for food in catalog.search(query, **options)]


def test_all_foods_of_both_publications_are_there(catalog, foods):
    assert sum(food.source == "sr28" for food in foods) == 8789
    assert sum(food.source == "fndds" for food in foods) == 3985
    assert len(catalog) == len(foods)


def test_ids_are_unique_numbers_of_1_to_10_digits(foods):
    """Row 161: ^[1-9][0-9]{0,9}$."""
    ids = [food.id for food in foods]
    assert len(set(ids)) == len(ids)
    assert all(0 < food_id < 10**10 for food_id in ids)


def test_every_food_has_one_default_serving_and_can_be_weighed(catalog, foods):
    for entry in foods:
        food = catalog.food(entry.id)
        assert food.servings[0].is_default
        assert sum(serving.is_default for serving in food.servings) == 1
        assert any((s.quantity, s.unit, s.weight_g) == (100, "g", 100) for s in food.servings)
        assert len({serving.id for serving in food.servings}) == len(food.servings)
        for serving in food.servings:
            assert serving.weight_g > 0
            assert serving.scaling_factor == pytest.approx(
                serving.weight_g / food.default_serving.weight_g
            )


def test_nutrients_are_given_per_default_serving(catalog, foods):
    for entry in foods[::97]:
        food = catalog.food(entry.id)
        per_gram = food.default_serving.weight_g / 100
        for key in NUTRIENTS:
            expected = entry.per_100_g.get(key, math.nan) * per_gram
            assert food.nutrients.amount(key) == pytest.approx(expected, nan_ok=True)


def test_published_figures_arrive_unchanged(catalog):
    """USDA SR28, NDB 09040: 100 g of raw banana; 118 g in a medium one."""
    banana = catalog.search("banana")[0]
    grams = banana.serving(1)
    assert grams.unit == "g"
    per_100_g = banana.nutrients * grams.scaling_factor
    assert per_100_g["carbs_g"] == pytest.approx(22.84)
    assert per_100_g["fiber_g"] == pytest.approx(2.6)
    assert per_100_g["energy_kcal"] == pytest.approx(89)
    assert per_100_g["potassium_mg"] == pytest.approx(358)
    assert banana.glycemic_load == pytest.approx(51 * 0.2024 * 118 / 100)


@pytest.mark.parametrize("food_id", [0, -1, 10**9, 10**10, 2**70, "7", None, 1.0])
def test_an_unknown_id_is_refused(catalog, food_id):
    with pytest.raises(UnknownFood, match="no food has the ID"):
        catalog.food(food_id)


def test_the_same_food_is_the_same_object(catalog):
    food = catalog.search("apple")[0]
    assert catalog.food(food.id) is food


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("banana", "Bananas, raw"),
        ("BANANAS", "Bananas, raw"),
        ("ban", "Bananas, raw"),
        ("apple", "Apples, raw, with skin"),
        ("orange juice", "Orange juice, raw"),
        ("white rice", "Rice, white, long-grain, regular, enriched, cooked"),
        ("milk", "Milk, whole, 3.25% milkfat, with added vitamin D"),
        ("egg", "Egg, whole, cooked, hard-boiled"),
        ("cheddar", "Cheese, cheddar"),
        ("potato chips", "Snacks, potato chips, plain, salted"),
        ("jalapeño", "Peppers, jalapeno, raw"),
        ("broccoli raw", "Broccoli, raw"),
    ],
)
def test_the_best_match_comes_first(catalog, query, first):
    """Row 160."""
    assert names(catalog, query)[0] == first


def test_brands_are_found_and_marked(catalog):
    big_mac = catalog.search("big mac")[0]
    assert (big_mac.kind, big_mac.brand_name) == ("branded", "McDonald's")
    assert big_mac.default_serving.weight_g == 219
    assert catalog.search("mcdonalds hamburger")[0].brand_name == "McDonald's"


@pytest.mark.parametrize("kind", ["generic", "branded"])
def test_a_kind_filters(catalog, kind):
    """Row 167."""
    found = catalog.search("chicken", kind=kind, limit=50)
    assert len(found) == 50
    assert {food.kind for food in found} == {kind}


def test_a_ready_dish_is_generic_and_can_be_searched_by_itself(catalog):
    dishes = catalog.search("chicken", kind="dish", limit=50)
    assert len(dishes) == 50
    assert all(food.is_dish and food.kind == "generic" for food in dishes)
    generic = catalog.search("chicken", kind="generic", limit=2000)
    assert {food.is_dish for food in generic} == {True, False}
    assert {food.id for food in dishes} <= {food.id for food in generic}
    assert catalog.search("chicken", kind="recipe") == []  # nobody imported a recipe


def test_without_a_kind_all_are_in_one_list(catalog):
    """Row 168."""
    found = catalog.search("chicken", limit=2000)
    assert {(food.kind, food.is_dish) for food in found} == {
        ("generic", False), ("generic", True), ("branded", False)
    }  # fmt: skip


@pytest.mark.parametrize("query", ["chicken", "raw", "banana", "ban"])
@pytest.mark.parametrize("size", [7, 50])
def test_pages_join_to_one_long_list(catalog, query, size):
    """Row 173: no duplicate, no gap; a page shorter than the limit is the last."""
    whole = [food.id for food in catalog.search(query, limit=5000)]
    pages, offset = [], 0
    while page := catalog.search(query, limit=size, offset=offset):
        pages += [food.id for food in page]
        offset += size
        if len(page) < size:
            break
    assert pages == whole
    assert len(set(whole)) == len(whole)


def test_an_offset_past_the_end_finds_nothing(catalog):
    """Row 172."""
    assert catalog.search("banana", offset=100_000) == []


@pytest.mark.parametrize("option", ["limit", "offset"])
def test_a_negative_limit_or_offset_is_refused_by_name(catalog, option):
    with pytest.raises(InputError, match=option):
        catalog.search("banana", **{option: -1})


@pytest.mark.parametrize("query", ["", "   ", "xyzzyplugh", "---", "\x00", "'"])
def test_no_match_is_an_empty_list(catalog, query):
    """Row 174."""
    assert catalog.search(query) == []


def test_a_word_that_no_food_holds_is_left_out_unless_every_word_counts(catalog):
    cookies = catalog.search("chocolate chip cookies")
    assert catalog.search("chocolate chip cookies xyzzy") == cookies
    assert catalog.search("fresh ripe xyzzy bananas")[0].description == "Bananas, raw"
    assert catalog.search("banana xyzzy", every_word=True) == []
    assert catalog.search("banana", every_word=True) == catalog.search("banana")


@pytest.mark.reliability
@given(st.text(max_size=256))
def test_no_query_breaks_the_search(catalog, query):
    """Row 175: metacharacters of SQL and full-text search are letters like others."""
    assert len(catalog.search(query)) <= 10


@pytest.mark.parametrize(
    "query", ['"', "*", "banana*", 'banana" OR "', "a NEAR b", "--", "x:y", "(("]
)
def test_metacharacters_are_not_interpreted(catalog, query):
    """Row 175."""
    catalog.search(query)


def test_an_everyday_name_means_one_food(catalog):
    assert catalog.everyday("Oatmeal").default_serving.weight_g == 234
    assert catalog.everyday("bananas") is catalog.everyday("banana")
    assert catalog.everyday("xyzzy") is None


def test_many_threads_may_share_a_catalogue(catalog):
    def look_up(number):
        found = catalog.search(("banana", "rice", "milk")[number % 3])
        return catalog.food(found[0].id) == found[0]  # two threads may both read a food first

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(look_up, range(300)))


def test_the_file_cannot_be_written(catalog):
    with pytest.raises(CatalogError, match="readonly"), catalog._file.reading(1) as read:
        read("DELETE FROM food", ())


@pytest.fixture
def small(foods, tmp_path_factory):
    """A table of ten foods."""
    table = tmp_path_factory.mktemp("small") / "ten.csv.xz"
    write_table(foods[:10], table)
    return table


def build_in(folder, table, at_once, built):
    file_module.cache_folders = lambda: [folder]
    at_once.wait()
    built.put(str(catalog_file(table)))


@pytest.mark.parametrize("table", ["small", pytest.param("shipped", marks=pytest.mark.reliability)])
def test_processes_that_build_at_once_get_the_same_whole_file(tmp_path, small, table):
    context = multiprocessing.get_context("spawn")
    at_once, built = context.Barrier(2), context.SimpleQueue()
    what = (tmp_path, TABLE if table == "shipped" else small, at_once, built)
    processes = [context.Process(target=build_in, args=what) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    paths = [built.get() for _ in processes]
    assert len(set(paths)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [paths[0].rsplit("/", 1)[-1]]
    with closing(sqlite3.connect(paths[0])) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_folder_that_cannot_be_written_is_passed_over(tmp_path, monkeypatch, small):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(file_module, "cache_folders", lambda: [tmp_path / "file", tmp_path / "b"])
    assert catalog_file(small).parent == tmp_path / "b"


def test_the_file_is_found_again_and_named_after_the_table(tmp_path, monkeypatch, foods, small):
    monkeypatch.setattr(file_module, "cache_folders", lambda: [tmp_path])
    first = catalog_file(small)
    built = first.stat().st_mtime_ns
    assert catalog_file(small) == first
    assert first.stat().st_mtime_ns == built
    other = tmp_path / "other.csv.xz"
    write_table(foods[:3], other)
    assert catalog_file(other) != first


@pytest.mark.parametrize("content", [None, b"", b"not xz", b"\xfd7zXZ\x00broken"])
def test_a_damaged_table_is_refused(tmp_path, content):
    table = tmp_path / "foods.csv.xz"
    if content is not None:
        table.write_bytes(content)
    with pytest.raises(DataSetError, match=r"foods\.csv\.xz"):
        Catalog.open(table)


@pytest.mark.parametrize("damage", [b"", b"no database" * 1000, None])
def test_a_file_damaged_since_it_was_built_is_built_anew(tmp_path, monkeypatch, small, damage):
    monkeypatch.setattr(file_module, "cache_folders", lambda: [tmp_path])
    path = catalog_file(small)
    path.write_bytes(path.read_bytes()[:8192] if damage is None else damage)
    assert len(Catalog.open(small)) == 10


def test_an_installed_copy_keeps_the_file_in_the_users_cache(tmp_path, monkeypatch, small):
    monkeypatch.setattr("postmeal.assets.checkout", lambda: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))  # a file there would do
    assert catalog_file(small).parent == tmp_path / "postmeal"


def test_a_small_catalogue_of_ones_own_can_be_opened(tmp_path, foods):
    build_catalog_file(by_kind(foods[:10]), tmp_path / "ten.sqlite3")
    assert len(Catalog(tmp_path / "ten.sqlite3")) == 10


@pytest.mark.parametrize("kind", ["fruit", "Generic", ""])
def test_a_kind_that_is_none_is_refused_with_those_that_are(catalog, kind):
    for ask in (
        lambda: catalog.search("rice", kind=kind),
        lambda: list(catalog.foods(kind)),
    ):
        with pytest.raises(InputError, match=r"kind must be one of.*generic.*recipe.*branded"):
            ask()
    with pytest.raises(InputError, match=r"kind must be one of: generic, branded; got"):
        catalog.suggest("rice", kind=kind)
