"""Some foods are never recommended, whatever their nutrients: alcohol, or meat for a drink."""

from __future__ import annotations

import csv
import re
from importlib.resources import files

import pytest

from postmeal.foods.alternatives import alternatives
from postmeal.foods.alternatives.kinds import EatenAs, eaten_as
from postmeal.foods.alternatives.pool import pool_of, traits_of
from postmeal.foods.alternatives.vetoes import is_alcoholic, is_never_recommended, is_vetoed
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food

ALCOHOLIC = ["beer", "light beer", "red wine", "champagne", "vodka", "whiskey", "margarita",
             "sangria", "hard cider", "sake", "rum and cola", "martini"]  # fmt: skip
DRINKS = ["cola", "orange juice", "coffee", "green tea", "tap water", "energy drink", "fruit punch",
          "sparkling water", "lemonade", "apple juice", "tomato juice", *ALCOHOLIC]  # fmt: skip
GLASSES = {"drinks", "alcohol", "spirits"}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.open()


def offered(catalog: Catalog, words: str) -> list[Food]:
    return [one.food for one in alternatives(catalog.search(words)[0], catalog, limit=50).best]


@pytest.mark.parametrize("words", ALCOHOLIC)
def test_only_drinks_without_alcohol_replace_alcohol(catalog, words):
    found = offered(catalog, words)
    assert len(found) >= 3
    for food in found:
        kind = eaten_as(food.description, food.category)
        assert kind.family in GLASSES, food.description
        assert kind.family == "drinks" or re.search(r"non-?alcoholic", food.description), (
            food.description
        )


def test_no_food_that_can_be_recommended_contains_alcohol_by_its_name(catalog):
    """The words are listed apart from those of the rule."""
    alcohol = re.compile(r"\b(vodka|rum|gin|tequila|whiske?y|brandy|liqueur|martini|margarita|"
                         r"daiquiri|lager|champagne|sangria)\b", re.I)  # fmt: skip
    pool = pool_of(catalog)
    names = [catalog.food(int(food_id)).description for food_id in pool.ids]
    assert len(names) > 5000
    found = [name for name in names if alcohol.search(name)]
    assert not [name for name in found if not re.search("vinegar|nonalcoholic", name, re.I)]


@pytest.mark.parametrize("words", DRINKS)
def test_no_meat_and_no_soup_replaces_a_drink(catalog, words):
    found = offered(catalog, words)
    assert found
    for food in found:
        assert traits_of(food).is_drink, food.description


@pytest.mark.parametrize("words", ["coffee", "green tea", "tap water"])
def test_no_sweet_drink_and_no_juice_replaces_a_drink_without_sugar(catalog, words):
    for food in offered(catalog, words):
        kind = eaten_as(food.description, food.category)
        assert kind.name not in {"juice", "soft drink", "energy drink"}, food.description


@pytest.mark.parametrize("words", ["fried chicken", "french fries", "fish sticks", "onion rings"])
def test_no_fried_food_replaces_a_fried_food(catalog, words):
    found = offered(catalog, words)
    assert found
    fried = re.compile(r"(?<!stir )(?<!pan )(?<!pan-)\bfried\b|breaded|nugget")
    assert not [food.description for food in found if fried.search(food.description)]


def test_food_for_infants_is_not_recommended(catalog):
    assert "baby foods" not in pool_of(catalog).by_family


@pytest.mark.parametrize(("name", "kind", "expected"), [
    ("Pasta alla vodka", EatenAs("pasta dishes", "pasta dish", False), True),
    ("Chicken marsala", EatenAs("plates", "poultry dish", False), True),
    ("Beer, light", EatenAs("alcohol", "beer", False), True),
    ("Root beer", EatenAs("drinks", "soft drink", False), False),
    ("Ginger ale", EatenAs("drinks", "soft drink", False), False),
    ("Wine, non-alcoholic", EatenAs("alcohol", "wine", False), False),
    ("Malt beverage, includes non-alcoholic beer", EatenAs("alcohol", "beer", False), True),
    ("Vinegar, red wine", EatenAs("acids", "vinegar", False), False),
    ("Grapes, raw", None, False),
])  # fmt: skip
def test_alcohol_is_recognized_by_kind_or_name(name, kind, expected):
    assert is_alcoholic(name, kind) is expected


def test_a_food_of_unknown_kind_is_never_recommended():
    assert is_never_recommended("Xyzzy", "", None, frozenset({"xyzzy"}))


@pytest.mark.parametrize(("name", "words"), [
    ("Lamb, sweetbread, cooked", {"lamb", "sweetbread"}), ("Lamb, NFS", {"lamb"}),
    ("Lamb, breaded", {"lamb"}), ("Lamb, for manufacturing", {"lamb", "manufacturing"}),
])  # fmt: skip
def test_offal_and_breaded_industrial_or_vague_meat_is_never_recommended(name, words):
    lamb = EatenAs("meat", "lamb", False)
    assert is_never_recommended(name, "", lamb, frozenset(words))
    assert not is_never_recommended("Lamb, leg, roasted", "", lamb, frozenset({"lamb", "leg"}))


@pytest.mark.parametrize(("name", "kind"), [
    ("Chicken breast, rotisserie, skin eaten", EatenAs("meat", "poultry", False)),
    ("Nuts, almonds, dry roasted, with salt added", EatenAs("nuts", "nuts", True)),
    ("Cream substitute, liquid, with hydrogenated vegetable oil",
     EatenAs("creams", "coffee creamer", False)),
    ("Samosa, baked", EatenAs("handhelds", "turnover", False)),
    ("Glucose gel", EatenAs("candy", "candy", False)),
])  # fmt: skip
def test_skin_salted_nuts_hydrogenated_fat_and_glucose_gel_are_never_recommended(name, kind):
    assert is_never_recommended(name, "", kind, frozenset())


@pytest.mark.parametrize(("name", "kind"), [
    ("Chicken breast, rotisserie, skin not eaten", EatenAs("meat", "poultry", False)),
    ("Nuts, almonds, dry roasted, without salt added", EatenAs("nuts", "nuts", True)),
    ("Cream, half and half, fat free", EatenAs("creams", "cream", False)),
    ("Potatoes, baked, flesh and skin", EatenAs("sides of potato", "potatoes", False)),
])  # fmt: skip
def test_the_same_without_skin_salt_or_hydrogenated_fat_may_be_recommended(name, kind):
    assert not is_never_recommended(name, "", kind, frozenset())


def test_a_food_with_fried_in_its_short_name_only_is_never_recommended(catalog):
    sandwich = catalog.search("fried egg sandwich")[0]
    assert "fried" in sandwich.name.lower()
    assert "fried" not in sandwich.description.lower()
    assert sandwich.id not in pool_of(catalog).ids


@pytest.mark.parametrize("words", ["carrots raw", "cucumber", "red bell pepper", "lettuce"])
def test_vegetables_that_are_cooked_are_not_offered_raw(catalog, words):
    found = [food.description for food in offered(catalog, words)]
    assert found
    raw = re.compile(r"^(collards|taro|okra|eggplant|grape leaves|turnip).*\braw\b", re.I)
    assert not [name for name in found if raw.search(name)]


@pytest.mark.parametrize(("words", "never"), [
    ("milk chocolate", "chewing gum"), ("soy sauce", "vinegar"), ("burrito", "nachos"),
    ("wheat flour", r"\bbran\b"), ("maple syrup", "corn syrup|molasses"), ("cinnamon", "mint"),
    ("bean sprouts", "kidney|lentil"), ("rabbit", "moose|antelope"),
    ("almonds", "flax|chia"), ("waffles", "okonomiyaki"),
])  # fmt: skip
def test_a_food_of_another_role_is_not_offered(catalog, words, never):
    names = [food.description for food in offered(catalog, words)]
    assert not [name for name in names if re.search(never, name, re.I)]


def test_every_veto_has_a_reason_and_names_kinds_or_families():
    tables = files("postmeal.foods.alternatives")
    known: set[str] = set()
    for row in csv.DictReader(tables.joinpath("kinds.csv").read_text("utf-8").splitlines()):
        known |= {row["kind"], row["family"]}
    for row in csv.DictReader(tables.joinpath("vetoes.csv").read_text("utf-8").splitlines()):
        assert {row["food"], *row["never"].split("; ")} <= known, row
        assert len(row["reason"].split()) >= 4


def test_a_veto_holds_in_the_stated_direction_only():
    water, juice = EatenAs("drinks", "water", False), EatenAs("drinks", "juice", False)
    assert is_vetoed(water, juice)
    assert not is_vetoed(juice, water)
