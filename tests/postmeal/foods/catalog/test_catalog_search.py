"""Search, typeahead and barcodes in a catalogue where every query finds many foods."""

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_foods import KINDS, WORDS, many_foods

from postmeal import InputError
from postmeal.errors import UnknownBarcode
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import build_catalog_file
from postmeal.foods.catalog.ranking import FORMS
from postmeal.foods.catalog.search import RANKED
from postmeal.foods.table import Portion, TableFood
from postmeal.foods.words import words

QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True).map(" ".join)
NAMED = [word for word in WORDS if word not in FORMS]
"""Words without those for a preparation, which a search may leave out ("organic nut")."""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    path = tmp_path_factory.mktemp("crowded") / "foods.sqlite3"
    build_catalog_file(many_foods(), path)
    return Catalog(path)


FOUND_AS = {"dish": {"generic", "dish"}, "recipe": {"recipe", "dish"}}
HELD = [
    (food.id, FOUND_AS.get(food.kind, {food.kind}), set(words(f"{food.name} {food.brand_name}")))
    for food in many_foods()
]


@given(
    query=st.lists(st.sampled_from(NAMED), min_size=1, max_size=2, unique=True).map(" ".join),
    kind=st.sampled_from([None, "generic", "dish", "recipe", "branded"]),
    size=st.integers(1, 400),
)
@settings(max_examples=40)
def test_pages_of_any_size_join_to_all_foods_that_hold_the_words(crowded, query, kind, size):
    """Row 173: no gap, no overlap, also beyond the foods that are ranked."""
    asked = set(words(query))
    expected = {one for one, its, has in HELD if asked <= has and kind in {None, *its}}
    pages, offset = [], 0
    while page := crowded.search(query, kind=kind, limit=size, offset=offset):
        pages += [food.id for food in page]
        offset += size
    if expected:
        assert len(set(pages)) == len(pages)
        assert set(pages) == expected
    assert pages == [food.id for food in crowded.search(query, kind=kind, limit=5_000)]


@given(offset=st.integers(0, 3_000), limit=st.integers(1, 60))
@settings(max_examples=40)
def test_any_page_is_a_part_of_the_whole_list(crowded, offset, limit):
    whole = crowded.search("milk", limit=5_000)
    assert crowded.search("milk", limit=limit, offset=offset) == whole[offset : offset + limit]


def test_each_kind_has_all_its_foods(crowded):
    """Row 167."""
    assert len(crowded) == sum(count for _, count in KINDS)
    for kind, shown in (("generic", {"generic"}), ("dish", {"generic", "recipe"}),
                        ("recipe", {"recipe"}), ("branded", {"branded"})):  # fmt: skip
        assert {food.kind for food in crowded.search("milk", kind=kind, limit=5_000)} == shown


@pytest.mark.parametrize("query", ["milk", "chicken", "raw", "cheese", "rice"])
def test_kinds_asked_for_together_are_ranked_as_each_alone(catalog, query):
    ranked = {"generic": RANKED["generic"] + RANKED["dish"], "branded": RANKED["branded"]}
    alone = [
        {food.id for food in catalog.search(query, kind=kind, limit=limit)}
        for kind, limit in ranked.items()
    ]
    together = catalog.search(query, limit=sum(map(len, alone)))
    assert {food.id for food in together} == set.union(*alone)


def test_what_was_found_of_words_is_forgotten_before_it_is_too_much(catalog, monkeypatch):
    monkeypatch.setattr("postmeal.foods.catalog.vocabulary._MAX_CACHED", 8)
    known = catalog.search("brocolli", limit=3)
    for word in "abcdefghijklmnopqrst":
        catalog.search(f"{word}{word}rice soop")
        assert sum(map(len, catalog._word_cache)) <= 8
    assert catalog.search("brocolli", limit=3) == known


def test_beyond_the_ranked_foods_the_more_popular_comes_first(crowded):
    rest = crowded.search("milk", kind="branded", limit=5_000, offset=RANKED["branded"])
    assert len(rest) > 50
    assert all(one.id < other.id for one, other in pairwise(rest))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("chese", "cheese"),  # one too few
        ("breead", "bread"),  # one too many
        ("honay", "honey"),  # a wrong one
        ("vanlila", "vanilla"),  # two exchanged
        ("zuchinni", "zucchini"),  # two mistakes in a long word
        ("peanutbutter", "peanut butter"),
        ("unsweeetened vanila", "unsweetened vanilla"),
    ],
)
def test_a_mistyped_word_finds_what_was_meant(crowded, typed, meant):
    assert crowded.search(typed) == crowded.search(meant) != []
    assert crowded.suggest(typed) != []


def test_a_mistake_on_a_few_labels_is_none_of_the_foods_that_are_meant(tmp_path):
    names = [*(f"Cheese {number}" for number in range(1_000)), "Chese", "Chess pie", "Butter"]
    portion = Portion(1, 100.0, "g", 100.0)
    foods = [
        TableFood("made", name, "generic", "Made up", name, (portion,), {}, id=number)
        for number, name in enumerate(names, 1)
    ]
    foods[0] = replace(foods[0], also_called="cheese")
    build_catalog_file(foods, tmp_path / "foods.sqlite3")
    catalog = Catalog(tmp_path / "foods.sqlite3")
    assert catalog.search("chese") == catalog.search("cheese")
    assert [food.name for food in catalog.search("chess")] == ["Chess pie"]
    assert [food.name for food in catalog.search("butter")] == ["Butter"]


def test_words_that_no_food_holds_together_are_joined(crowded):
    """Some foods hold both words of "water melon"; no food of one word does."""
    assert crowded.search("wa ter") == crowded.search("water") != []


@pytest.mark.parametrize("typed", ["12345", "1234567890", "xq", "qqqqqqqq"])
def test_numbers_and_what_is_far_from_every_word_are_not_repaired(crowded, typed):
    assert crowded.search(typed) == []


def test_many_short_words_that_each_may_be_many_others_take_little(catalog):
    asked = "paut farm saee soo maw mena jelly bile"  # every way to spell it took 27 MB
    catalog.search(asked)
    tracemalloc.start()
    try:
        assert catalog.search(asked) == []  # no food is meant by this
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < 2_000_000


def test_letters_without_end_are_not_remembered(catalog):
    texts = [chr(0x20000 + number) * 1_000 for number in range(500)]
    catalog.search("a first word")
    tracemalloc.start()
    try:
        assert all(words(text) == [text] for text in texts)
        assert not any(catalog.search(text) for text in texts)
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held_bytes < 100_000


def test_suggestions_are_generic_first_and_never_recipes(crowded):
    for text in ("mi", "milk v", "wat", "appe", "o"):
        kinds = [one.kind for one in crowded.suggest(text, limit=500)]
        assert kinds == sorted(kinds, reverse=True)  # "generic" comes after "branded"
        assert "recipe" not in kinds
    assert {one.kind for one in crowded.suggest("mi", limit=500)} == {"generic", "branded"}
    assert {one.kind for one in crowded.suggest("mi", kind="branded")} == {"branded"}
    assert len(crowded.suggest("mi", limit=3)) == 3


@pytest.mark.parametrize("text", ["ap", "app", "appl", "appet", "rice ap", "rice appe"])
def test_each_suggestion_holds_a_word_that_begins_as_typed(crowded, text):
    *before, begun = words(text)
    found = crowded.suggest(text, limit=50)
    assert found
    for one in found:
        its = words(f"{one.name} {one.brand_name or ''}")
        assert set(before) <= set(its)
        assert any(word.startswith(begun) for word in its)


@pytest.mark.parametrize("text", ["", "m", " m ", "?", "m!"])
def test_one_letter_suggests_nothing(crowded, text):
    assert crowded.suggest(text) == []


def test_a_suggestion_shows_what_the_food_says(crowded):
    for one in crowded.suggest("ric", limit=20):
        food = crowded.food(one.id)
        assert (one.name, one.kind, one.brand_name) == (food.name, food.kind, food.brand_name)
        assert one.energy_kcal == food.nutrients["energy_kcal"]
        assert one.image_url == food.image_url


@pytest.mark.parametrize(
    ("scanned", "printed"),
    [
        ("049000006346", "049000006346"),  # UPC-A
        ("0049000006346", "049000006346"),  # the same as EAN-13
        ("00049000006346", "049000006346"),  # as GTIN-14
        ("04963406", "049000006346"),  # as UPC-E
        ("3017620422003", "3017620422003"),  # EAN-13
        ("96385074", "96385074"),  # EAN-8
        ("10012345678902", "10012345678902"),  # GTIN-14 of a case
    ],
)
def test_a_barcode_is_found_in_every_form(crowded, scanned, printed):
    assert crowded.barcode(scanned).barcode == printed


@pytest.mark.parametrize("scanned", ["5000112637922", "049000006347"])
def test_a_barcode_that_no_food_has_is_unknown(crowded, scanned):
    with pytest.raises(UnknownBarcode, match=scanned):
        crowded.barcode(scanned)


@pytest.mark.parametrize("scanned", ["", "12345", "123456789012345", "04900000634X"])
def test_a_barcode_is_6_to_14_digits(crowded, scanned):
    with pytest.raises(InputError, match="barcode must be 6 to 14 digits"):
        crowded.barcode(scanned)


def test_as_many_foods_of_a_kind_are_suggested_as_are_wanted(catalog):
    for limit in (1, 12, 20, 40):
        assert len(catalog.suggest("ch", kind="generic", limit=limit)) == limit


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("oatm", "Oatmeal"), ("banan", "Banana"), ("waterm", "Watermelon"), ("peac", "Peach"),
        ("cheesec", "Cheesecake"), ("lemona", "Lemonade"), ("salm", "Salmon"), ("almo", "Almonds"),
    ],
)  # fmt: skip
def test_a_search_for_the_beginning_of_an_everyday_name_finds_it(catalog, typed, name):
    assert catalog.search(typed)[0].name.startswith(name)


@pytest.mark.parametrize(("typed", "name"), [("chese", "Cheese"), ("bananna", "Banana")])
def test_a_typo_that_begins_no_everyday_name_is_still_corrected(catalog, typed, name):
    assert catalog.search(typed)[0].name == name
