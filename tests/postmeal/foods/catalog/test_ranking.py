"""Ranking weighs the query against popularity: each further word in a name has a cost.

A food at place 1 of the popularity order competes with a less popular one that is nearer to the
query. Up to some place the nearer one comes first; far beyond it the popular one does.
"""

from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import build_catalog_file
from postmeal.foods.table import Portion, TableFood


class Rivals(NamedTuple):
    """A query, a food nearer to it, a more popular food, and how much popularity counts."""

    query: str
    nearer: str
    popular: str
    also: str
    """Everyday name of the popular one."""
    first_up_to: int
    """A place at which the nearer food still comes before the popular one at place 1."""
    behind_from: int
    """A place at which it comes after it."""


RIVALS = [
    # A further word for the kind of food costs as much as eight times the place.
    Rivals("cheese", "Cheese", "Cheese spread", "", 500, 1_000),
    # A further word for its form.
    Rivals("cheese", "Cheese", "Cheese, blended", "", 18, 50),
    # The class of foods first, then the word of the query.
    Rivals("cheese", "Cheese", "Soup, cheese", "", 420, 700),
    # Another food that contains it, with two words fewer.
    Rivals("cheese", "Cheese spread dip sauce", "Tomato soup, cheese", "", 500, 1_000),
    # Another word between those of the query.
    Rivals("cheese spread", "Cheese spread, blended", "Cheese, blended, spread", "", 60, 140),
    # A word that only an everyday name contains.
    Rivals("beef goulash", "Beef soup, goulash", "Beef stew", "hungarian goulash", 60, 140),
]
EACH = pytest.mark.parametrize("rivals", RIVALS, ids=[f"{r.query}: {r.popular}" for r in RIVALS])


def build_catalog(folder: Path, rivals: Rivals, place: int) -> Catalog:
    """Build a catalog with the popular food first and the nearer one at a place."""
    number = count(1)

    def food(name: str, also: str = "") -> TableFood:
        grams = (Portion(1, 100.0, "g", 100.0),)
        one = next(number)
        return TableFood("made", str(one), "generic", "", name, grams, {}, also_called=also, id=one)

    between = [food(f"Xyzzy {at}") for at in range(place - 2)]
    foods = [food(rivals.popular, rivals.also), *between, food(rivals.nearer)]
    build_catalog_file(foods, folder / f"{place}.sqlite3")
    return Catalog(folder / f"{place}.sqlite3")


@EACH
def test_a_name_nearer_to_the_query_comes_before_a_more_popular_food(tmp_path, rivals):
    for place in (2, rivals.first_up_to):
        found = build_catalog(tmp_path, rivals, place).search(rivals.query)
        assert [food.name for food in found] == [rivals.nearer, rivals.popular]


@EACH
def test_a_far_more_popular_food_comes_before_a_nearer_name(tmp_path, rivals):
    found = build_catalog(tmp_path, rivals, rivals.behind_from).search(rivals.query)
    assert [food.name for food in found] == [rivals.popular, rivals.nearer]
