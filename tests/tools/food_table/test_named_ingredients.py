"""Short names do not hide meats or allergens that the publisher's description names."""

import re

import pytest

from postmeal import Catalog
from postmeal.foods.words import words
from tools.food_table.named_ingredients import (
    hidden_ingredients,
    with_hidden_ingredients,
)


@pytest.fixture(scope="module")
def foods():
    catalog = Catalog.open()
    kinds = ("generic", "dish", "branded")
    listed = (food for kind in kinds for food in catalog.foods(kind))
    return [food for food in listed if food.description not in ("", food.name)]


def test_no_short_name_of_the_catalog_hides_a_named_ingredient(foods):
    hiding = [
        (food.name, food.description)
        for food in foods
        if hidden_ingredients(food.name, food.description, food.category or "")
    ]
    assert len(foods) > 7_000
    assert hiding == []


@pytest.mark.parametrize("ingredient", ["chicken", "shrimp", "peanut", "sesame", "aspartame"])
def test_an_ingredient_stays_in_the_name_wherever_the_description_has_its_word(foods, ingredient):
    # Independent of the table of ingredients: only the words of both texts count.
    not_in_the_food = re.compile(r"\([^()]*\)|\b(no|not|without|other than)\b[^,]*", re.IGNORECASE)
    hiding = [
        food.name
        for food in foods
        if ingredient in words(not_in_the_food.sub(" ", food.description))
        and ingredient not in words(food.name)
    ]
    assert hiding == []


@pytest.mark.parametrize(
    ("name", "description", "category", "shown"),
    [
        ("Corn chowder", "Soup, chicken corn chowder, chunky", "Soups", "chicken corn chowder"),
        ("Bacon, cooked", "Beef, bacon, cooked", "Sausages", "beef bacon, cooked"),
        ("BLT", "Bacon, lettuce, tomato sandwich on white", "Sandwiches", "BLT"),
        ("Mashed potato", "Potatoes, mashed, whole milk added", "Vegetables",
         "Mashed potato, with milk"),
        ("Ravioli with cream sauce", "Ravioli, meat-filled, with cream sauce", "Pasta",
         "Ravioli with cream sauce and meat"),
        ("Beef fajita", "Fajita, beef or pork", "Mexican", "Beef fajita, may contain pork"),
        ("Almond yogurt", "Yogurt, almond milk", "Plant-based yogurt", "Almond yogurt"),
        ("Root beer float", "Ice cream soda, no nuts", "Drinks", "Root beer float, with cream"),
        ("Brie", "Cheese, brie", "Dairy and Egg Products", "Brie"),
    ],
)  # fmt: skip
def test_hidden_ingredients_are_added_to_a_name(name, description, category, shown):
    assert with_hidden_ingredients(name, description, category) == shown
