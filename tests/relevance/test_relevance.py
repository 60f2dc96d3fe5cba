"""What people type brings the food they mean: everyday queries, with typos, and while typing."""

from __future__ import annotations

import re
from functools import cache

import pytest
from relevance import Figures, Places, read, typeahead, with_typos

from postmeal.foods.catalog import Catalog

PARTS = pytest.mark.parametrize("untouched", [False, True], ids=["tuned", "untouched"])
LEAST = {
    False: Figures(1682, first=0.990, three=0.995, typo_first=0.952, typo_three=0.957),
    True: Figures(848, first=0.939, three=0.970, typo_first=0.892, typo_three=0.924),
}
"""Just under what is measured: 99.2, 99.6, 95.4 and 96.0 %, and 94.2, 97.3, 89.5 and 92.6 %.

Before unlikely answers were refused, the figures with typos were 96.2, 96.7, 90.9 and 94.2 %.
"""


@cache
def figures(catalog: Catalog, untouched: bool) -> Figures:
    asked = [one for one in read("relevance.csv") if one.untouched == untouched]
    return Figures.of([Places.of(one, catalog) for one in asked])


@pytest.mark.sampled
@PARTS
def test_everyday_queries_bring_the_plain_food_first(catalog, untouched):
    reached, least = figures(catalog, untouched), LEAST[untouched]
    assert reached.n == least.n
    assert reached.first >= least.first
    assert reached.three >= least.three


@PARTS
def test_with_a_typo_in_each_word_the_food_is_still_among_the_first(catalog, untouched):
    reached, least = figures(catalog, untouched), LEAST[untouched]
    assert reached.typo_first >= least.typo_first
    assert reached.typo_three >= least.typo_three


@pytest.mark.parametrize("seed", [0, 1])
def test_nearly_every_query_is_tried_with_a_typo(seed):
    queries = [one.query for one in read("relevance.csv")]
    assert sum(with_typos(query, seed) != query for query in queries) > 0.9 * len(queries)


def test_queries_of_an_author_who_never_saw_the_search_bring_the_plain_food_first(catalog):
    """When first asked: 96.8 % first, 99.3 % in the first three, 97.0 % of these with typos.

    Measured now: 97.8, 99.5, and with typos 94.8 and 96.4 %.
    """
    reached = Figures.of([Places.of(one, catalog) for one in read("relevance_blind.csv")])
    assert reached.n == 400
    assert reached.first >= 0.97
    assert reached.three >= 0.99
    assert reached.typo_first >= 0.945
    assert reached.typo_three >= 0.96


def test_of_foods_of_one_name_the_one_people_know_comes_first(catalog):
    first, second = catalog.search("raw spinach", limit=2)
    assert first.description == second.description == "Spinach, raw"
    assert "cup, estimated" not in {serving.unit for serving in first.servings}


@PARTS
def test_typeahead_brings_the_plain_food_first(catalog, untouched):
    """Measured: 95.9 % first, 100 % in the first three, and 97.6 and 100 % of the untouched."""
    n, first, three = typeahead(catalog, untouched=untouched)
    assert n > 30
    assert first >= 0.95
    assert three >= 0.98


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("brocol", "^Broccoli"),
        ("avacad", "^Avocado"),
        ("cucmb", "^Cucumber"),
        ("mozarel", "^Cheese, mozzarella"),
        ("chiken br", "^Chicken.*breast"),
        ("strawbery yog", "^Yogurt, (fruit|.*strawberry)"),
        ("tomatoe sou", "^Soup.*tomato"),
    ],
)
def test_typeahead_forgives_a_mistake_before_the_word_is_whole(catalog, typed, right):
    assert re.search(right, catalog.suggest(typed, limit=1)[0].description)


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("sliced gala apple", "^Apples, raw, gala"),  # no food has all the words
        ("roasted garlic", "^Garlic"),  # a burger has
        ("coffee with cinnamon", "^(Beverages, c|C)offee"),
        ("coffee without milk", "^Beverages, coffee"),
        ("shortbread", "^Cookies?, shortbread"),  # of what class, then what it is
    ],
)
def test_what_a_food_is_tells_more_than_how_it_is_prepared(catalog, asked, right):
    assert re.search(right, catalog.search(asked, limit=1)[0].description)
