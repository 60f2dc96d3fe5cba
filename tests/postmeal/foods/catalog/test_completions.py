"""Typeahead completes what a food is called, never the middle of its other names."""

import re

import pytest


def suggested(catalog, typed: str, limit: int = 8) -> list[str]:
    return [food.description for food in catalog.suggest(typed, limit=limit)]


@pytest.mark.parametrize(
    ("typed", "never"),
    [
        ("guac", "guar|[Gg]ums"),  # seed gums include guar
        ("pho", "baking powder"),  # it contains phosphate
        ("pizza", "mozzarella|^Bread"),  # also called pizza cheese
        ("beer", "yeast|^Soup"),
        ("chips", "mayonnaise"),
        ("dosa", "Dora|dosage"),
    ],
)
def test_a_word_in_the_middle_of_another_name_completes_nothing(catalog, typed, never):
    found = suggested(catalog, typed)
    assert found
    assert not [name for name in found if re.search(never, name)]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("guac", "Guacamole"),
        ("pad t", "Pad Thai"),
        ("pho", "Soup, pho"),
        ("garb", "Chickpeas"),  # another everyday name, from its beginning
        ("yogurt", "Yogurt"),
        ("cookies", "Cookies"),  # a plural as typed
        ("cooki", "Cookie"),  # before it is whole
        ("chees", "Cheese"),  # not a plural of "chee"
    ],
)
def test_a_name_is_completed_from_its_beginning(catalog, typed, first):
    assert suggested(catalog, typed)[0].startswith(first)


def test_a_later_word_of_the_everyday_name_is_completed_too(catalog):
    assert any(name.startswith("Yogurt, Greek") for name in suggested(catalog, "yogurt"))
    assert any("baked" in name for name in suggested(catalog, "potato", 20))


def test_words_in_another_order_follow_if_few_names_begin_as_typed(catalog):
    found = suggested(catalog, "rice fr")
    assert any(re.search("rice, fried", name, re.IGNORECASE) for name in found)


def test_the_more_popular_food_comes_first(catalog):
    assert suggested(catalog, "ban")[0] == "Bananas, raw"
    assert suggested(catalog, "milk")[0].startswith("Milk, whole")


def test_a_text_without_words_completes_nothing(catalog):
    assert suggested(catalog, "--") == suggested(catalog, "?!") == []
