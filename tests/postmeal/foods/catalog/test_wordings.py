import pytest


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("banana 120g", "banana"), ("2 pcs idli", "idli"), ("ghee 1 tsp", "ghee"),
        ("12 oz coke", "coke"), ("oatmeal x2", "oatmeal"), ("1/2 cup of rice", "rice"),
        ("gf bread", "gluten free bread"), ("pb sandwich", "peanut butter sandwich"),
        ("250ml oj", "orange juice"),
    ],
)  # fmt: skip
def test_amounts_and_abbreviations_do_not_change_the_first_food(catalog, query, plain):
    found = catalog.search(query, limit=1)
    assert found == catalog.search(plain, limit=1)
    assert found.matched_without == ()


@pytest.mark.parametrize(
    ("query", "other"), [("2% milk", "milk"), ("7 up", "up"), ("greek yogurt 0%", "greek yogurt")]
)
def test_numbers_that_belong_to_a_name_are_kept(catalog, query, other):
    assert catalog.search(query, limit=1) == catalog.search(query, limit=1, every_word=True)
    assert catalog.search(query, limit=1) != catalog.search(other, limit=1)


def test_a_preparation_is_kept_when_a_cut_is_dropped(catalog):
    raw = catalog.search("raw salmon fillet", limit=1)[0]
    assert raw == catalog.search("raw salmon", limit=1)[0]
