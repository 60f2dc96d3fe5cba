"""Added sugars by definition and by rule."""

import pytest

from postmeal.foods.table import TableFood
from tools.food_table.added_sugars import with_added_sugars


def food(name, category, sugars_g=10.0, kind="generic"):
    return TableFood("x", "1", kind, category, name, (), {"sugars_g": sugars_g})


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("Apples, raw", "Fruits and Fruit Juices"),
        ("Milk, whole", "Milk, whole"),
        ("Carrots, cooked", "Vegetables and Vegetable Products"),
        ("Orange juice, 100%", "Citrus juice"),
        ("Raisins, seedless", "Fruits and Fruit Juices"),
    ],
)
def test_a_plain_food_has_no_added_sugars(name, category):
    found = with_added_sugars(food(name, category))
    assert found.per_100_g["added_sugars_g"] == 0
    assert not found.added_sugars_estimated


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("Candies, jellybeans", "Sweets"),
        ("Cookie, sugar", "Cookies and brownies"),
        ("Soft drink, cola", "Soft drinks"),
        ("Cake or cupcake, spice", "Cakes and pies"),
    ],
)
def test_a_sweet_food_with_only_added_sugars_has_its_total_sugars_as_an_estimate(name, category):
    found = with_added_sugars(food(name, category, 40.0))
    assert found.per_100_g["added_sugars_g"] == 40
    assert found.added_sugars_estimated


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("Yogurt, fruit", "Yogurt, regular"),
        ("Pie, apple", "Cakes and pies"),
        ("Ice cream, vanilla", "Ice cream and frozen dairy desserts"),
        ("Cherries, dried", "Dried fruits"),
        ("Cranberry juice", "Fruits and Fruit Juices"),
        ("Peaches, canned", "Fruits and Fruit Juices"),
        ("Bread, white", "Yeast breads"),
        ("Milk, chocolate", "Flavored milk, whole"),
        ("Candy, no sugar added", "Candy not containing chocolate"),
        ("Xyzzy, raw", "Fruits and Fruit Juices"),
    ],
)
def test_unknown_added_sugars_stay_unknown(name, category):
    assert "added_sugars_g" not in with_added_sugars(food(name, category)).per_100_g


def test_published_added_sugars_are_kept():
    published = food("Cookie, sugar", "Cookies and brownies")
    published = TableFood(
        "x", "1", "generic", published.category, published.name, (),
        {"sugars_g": 40.0, "added_sugars_g": 31.0},
    )  # fmt: skip
    assert with_added_sugars(published) == published


def test_unknown_total_sugars_give_nothing():
    unknown = TableFood("x", "1", "generic", "Fruits and Fruit Juices", "Apples, raw", (), {})
    assert with_added_sugars(unknown) == unknown


def test_added_sugars_of_the_table_never_exceed_its_sugars(foods):
    known = [food for food in foods if {"added_sugars_g", "sugars_g"} <= set(food.per_100_g)]
    assert all(food.per_100_g["added_sugars_g"] <= food.per_100_g["sugars_g"] for food in known)
    assert len(known) > 4500
