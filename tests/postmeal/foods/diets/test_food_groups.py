"""What the food group and the usual recipe of a food of SR28 or FNDDS say about its ingredients."""

import csv
import re
from importlib.resources import files

import pytest

from postmeal.foods.diets.food_diets import diets_of, explain
from postmeal.foods.diets.food_groups import cannot_contain
from postmeal.foods.diets.signs import facts_of_usual_parts
from postmeal.foods.diets.words import facts
from postmeal.foods.table import TableFood


def survey_food(name, category, kind="dish", source="fndds", **more):
    return TableFood(source, name, kind, category, name, (), {}, **more)


def table(name):
    text = files("postmeal.foods.diets").joinpath(name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize(
    ("name", "category", "free"),
    [
        ("Burrito, chicken", "Burritos and tacos", "caffeine"),
        ("Beef, chuck, blade roast", "Beef Products", "tree_nuts eggs fish"),
        ("Fruit juice, NS as to type", "Other fruit juice", "eggs shellfish dairy"),
    ],
)
def test_a_group_rules_out_what_its_dishes_do_not_contain(name, category, free):
    diets = diets_of(survey_food(name, category))
    assert {diets[rule] for rule in free.split()} == {"free"}


@pytest.mark.parametrize(
    ("name", "category", "rule"),
    [
        ("Soup, peanut", "Soups, broth-based", "peanuts"),
        ("Mole sauce", "Dips, gravies, other sauces", "tree_nuts"),
        ("Sauce, NFS", "Dips, gravies, other sauces", "peanuts"),
        ("Chicken curry", "Poultry mixed dishes", "tree_nuts"),
        ("Rice with almonds", "Rice mixed dishes", "tree_nuts"),
        ("Seafood soup", "Soups, broth-based", "shellfish"),
        ("Pina Colada, nonalcoholic", "Fruit drinks", "tree_nuts"),
        ("Potato chips, other flavored", "Potato chips", "shellfish"),
        ("Cream cheese, regular, flavored", "Cream cheese, sour cream, whipped cream", "tree_nuts"),
        ("Coffee, pre-lightened", "Coffee", "dairy"),
        ("Mock chicken legs, cooked", "Chicken, whole pieces", "eggs"),
        ("Turkey, nuggets", "Turkey, duck, other poultry", "eggs"),
        ("Duck, Peking", "Turkey, duck, other poultry", "sesame"),
        ("Liver, paste or pate, chicken", "Liver and organ meats", "tree_nuts"),
        ("Babyfood, ravioli, cheese filled", "Baby Foods", "eggs"),
        ("Whiskey sour", "Liquor and cocktails", "eggs"),
        ("Horchata, NS as to type", "Fruit drinks", "sesame"),
        ("Veggie burger, on bun", "Vegetable sandwiches/burgers", "tree_nuts"),
        ("Pepper steak", "Meat mixed dishes", "shellfish"),
        ("Potato chips, plain", "Potato chips", "peanuts"),
        ("Sweet potato, casserole", "Other red and orange vegetables", "tree_nuts"),
        ("Stuffed grape leaves with lamb and rice", "Meat mixed dishes", "tree_nuts"),
    ],
)
def test_a_name_that_suggests_an_ingredient_is_never_free_of_it(name, category, rule):
    assert diets_of(survey_food(name, category))[rule] != "free"


def test_a_group_says_nothing_about_imported_foods_and_lists():
    imported = survey_food("Burrito, xyzzy", "Burritos and tacos", source="own")
    assert diets_of(imported)["tree_nuts"] == "unknown"
    listed = survey_food("Burrito", "Burritos and tacos", ingredients="flour, xyzzy")
    assert diets_of(listed)["tree_nuts"] == "unknown"


def test_a_group_says_less_about_branded_foods():
    branded = survey_food("Burrito, chicken", "Burritos and tacos", kind="branded")
    assert diets_of(branded)["tree_nuts"] == "unknown"


def test_the_group_is_the_stated_reason():
    reason = explain(survey_food("Beef, chuck, blade roast", "Beef Products"), "tree_nuts")
    assert reason.because == "foods of its group do not contain it"


@pytest.mark.parametrize(
    ("name", "contained"),
    [
        ("Pancakes, plain, frozen", "eggs dairy wheat gluten"),
        ("French toast", "eggs dairy wheat"),
        ("Macaroni salad", "eggs"),
        ("Lo mein, with pork", "soy wheat"),
        ("Lasagna with meat", "dairy"),
        ("Ham sandwich on rye", "yeast"),
    ],
)
def test_a_usual_recipe_shows_what_a_dish_contains(name, contained):
    diets = diets_of(survey_food(name, ""))
    assert {diets[rule] for rule in contained.split()} == {"contains"}


@pytest.mark.parametrize(
    "name",
    ["Pancakes, egg-free", "Vegan pancakes", "Pancake syrup", "Rice cakes", "Pizza, no cheese"],
)
def test_a_replaced_or_missing_ingredient_has_no_usual_recipe(name):
    certain = 0
    for _, contains in facts_of_usual_parts(name):
        certain |= contains
    assert not certain & facts("eggs dairy")


def test_a_usual_recipe_never_explains_cholesterol():
    cooked = {"cholesterol_mg": 30.0}
    dish = TableFood("fndds", "1", "dish", "", "Egg noodles with xyzzy", (), cooked)
    assert diets_of(dish)["vegetarian"] != "free"


def test_every_row_of_the_tables_is_valid():
    for row in table("food_groups.csv"):
        assert re.compile(row["groups"])
        assert re.compile(row["unless"]) is not None
        assert row["branded"] in {"yes", "no"}
        assert facts(row["cannot"])
    for row in table("usual_parts.csv"):
        assert facts(row["contains"])
        assert re.compile(row["unless"]) is not None


def test_every_group_of_the_table_exists(foods):
    categories = {food.category for food in foods if food.source in {"sr28", "fndds"}}
    for row in table("food_groups.csv"):
        pattern = re.compile(row["groups"])
        assert any(pattern.match(category) for category in categories), row["groups"]


def test_a_plain_sandwich_of_an_unknown_group_is_not_ruled_out():
    assert cannot_contain("Sandwich, NFS", "No such group", branded=False) == 0


def test_the_groups_of_prepared_foods_rule_out_no_allergen():
    prepared = "Soups|Snacks|Fast Foods|Burgers|Burritos|Pizza|Meat mixed|Baby Foods|Baked Products"
    allergens = facts("tree_nuts peanuts eggs fish shellfish sesame dairy wheat soy")
    for group in prepared.split("|"):
        assert cannot_contain("xyzzy", group, branded=False) & allergens == 0


def test_the_groups_decide_half_of_the_unknown_verdicts_on_mushrooms(foods):
    unknown = sum(diets_of(food)["mushrooms"] == "unknown" for food in foods[::10])
    assert unknown / len(foods[::10]) < 0.32  # 0.560 by names alone
