"""Plain foods of other kinds come in the order of a dietitian: fruit, yogurt, nuts, then sweets."""

from __future__ import annotations

import csv
from importlib.resources import files

import pytest

from postmeal.foods.alternatives import alternatives
from postmeal.foods.alternatives.kinds import EatenAs, eaten_as
from postmeal.foods.alternatives.pool import traits_of
from postmeal.foods.alternatives.vetoes import is_vetoed, stand_ins
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food

SWEETS = ["doughnut", "chocolate cake", "brownie", "cheesecake", "gummy candy", "candy bar",
          "vanilla ice cream", "chocolate pudding", "apple pie", "oatmeal cookie"]  # fmt: skip
SWEET_DRINKS = ["cola", "lemonade", "energy drink", "sports drink", "ginger ale"]
SWEET_FAMILIES = {"baked sweets", "candy", "desserts"}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.open()


def rows(name: str) -> list[dict[str, str]]:
    text = files("postmeal.foods.alternatives").joinpath(name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def plain(kind: str) -> str:
    return kind.removeprefix("cooked ").removeprefix("raw ")


def offered(catalog: Catalog, words: str, *restrictions: str) -> list[Food]:
    food = catalog.search(words)[0]
    return [one.food for one in alternatives(food, catalog, restrictions).best]


def kind_of(food: Food) -> EatenAs:
    found = eaten_as(food.description, food.category)
    assert found is not None
    return found


@pytest.mark.parametrize("words", SWEETS)
def test_fruit_yogurt_and_nuts_come_before_another_sweet(catalog, words):
    kinds = [kind_of(food) for food in offered(catalog, words)]
    assert [kind.name for kind in kinds[:3]] == ["fruit", "yogurt", "nuts"]
    sweet = [kind.family in SWEET_FAMILIES for kind in kinds]
    assert sweet == sorted(sweet)


@pytest.mark.parametrize("words", SWEETS)
def test_a_person_without_nuts_and_dairy_is_offered_fruit_first(catalog, words):
    found = offered(catalog, words, "tree_nuts", "peanuts", "dairy")
    assert kind_of(found[0]).name == "fruit"
    assert not [food.description for food in found if food.diets["dairy"] != "free"]


@pytest.mark.parametrize("words", SWEET_DRINKS)
def test_water_tea_and_coffee_come_before_a_drink_with_sweeteners(catalog, words):
    kinds = [kind_of(food).name for food in offered(catalog, words)]
    assert kinds[:3] == ["water", "tea", "coffee"]


@pytest.mark.parametrize("words", ["potato chips", "tortilla chips"])
def test_popcorn_and_nuts_come_before_other_chips(catalog, words):
    kinds = [kind_of(food).name for food in offered(catalog, words)]
    assert kinds[:4] == ["popcorn", "nuts", "popcorn", "nuts"]


@pytest.mark.parametrize("words", ["bologna", "pork sausage", "salami"])
def test_fresh_poultry_comes_before_other_cured_meat(catalog, words):
    assert kind_of(offered(catalog, words)[0]).name == "poultry"


@pytest.mark.parametrize("words", [*SWEETS, *SWEET_DRINKS, "strawberry jam", "potato chips"])
def test_what_comes_first_is_not_less_healthy_by_the_nutrient_profile(catalog, words):
    food = catalog.search(words)[0]
    first = stand_ins(kind_of(food)).first
    found = alternatives(food, catalog).best[: len(first)]
    assert len(found) == len(first)
    for one in found:
        assert kind_of(one.food).name in first
        assert not traits_of(one.food).may_be_less_healthy


@pytest.mark.parametrize("words", [*SWEETS, *SWEET_DRINKS])
def test_the_score_follows_the_order(catalog, words):
    scores = [one.score for one in alternatives(catalog.search(words)[0], catalog).best]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("words", [*SWEETS, "gummy bears", "potato chips", "salami", "dill pickle"])
def test_less_healthy_foods_of_the_family_do_not_follow(catalog, words):
    found = alternatives(catalog.search(words)[0], catalog).best
    assert len(found) >= 5
    assert not [one.food.description for one in found if traits_of(one.food).may_be_less_healthy]


def test_raw_vegetables_come_before_pickles(catalog):
    first = offered(catalog, "dill pickle")[0]
    assert kind_of(first).name == "vegetable"
    assert "raw" in first.description


def test_every_row_names_kinds_of_the_table_of_kinds():
    kinds = {row["kind"] for row in rows("kinds.csv")}
    families = {row["family"] for row in rows("kinds.csv")}
    for row in rows("stand_ins.csv"):
        assert row["food"] in kinds | families
        offered_kinds = [*row["first"].split("; "), *row["then"].split("; ")]
        named = {plain(kind) for kind in offered_kinds if kind}
        assert named <= kinds, row


def test_no_stand_in_is_vetoed():
    kinds = {row["kind"]: EatenAs(row["family"], row["kind"], False) for row in rows("kinds.csv")}
    for own in kinds.values():
        order = stand_ins(own)
        for kind in (*order.first, *order.then):
            other = kinds[plain(kind)]
            assert other == own or not is_vetoed(own, other), (own, other)
