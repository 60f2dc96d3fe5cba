"""Display names: short, natural, with the states that matter, and different for different foods."""

import re
from collections import defaultdict
from dataclasses import replace

import pytest

from postmeal import Catalog
from postmeal.foods.table import TableFood
from postmeal.foods.words import words
from tools.food_table.description_parts import split_description
from tools.food_table.display_names import display_names
from tools.food_table.everyday_names import everyday_name
from tools.food_table.short_names import proper_nouns, short_name

STATES = frozenset(words(
    "raw uncooked dry dried powder powdered dehydrated condensed concentrate instant mix "
    "unprepared sweetened unsweetened canned frozen diet nonfat"
))  # fmt: skip
SUGAR_AND_FAT = re.compile(r"(fat|sugar)[ -]free|(low|reduced)[ -]fat", re.IGNORECASE)


def food(name, carbs_g=50.0, **fields):
    return TableFood("sr28", name, "generic", "", name, (), {"carbs_g": carbs_g}, **fields)


def shown(*foods):
    return [each.display_name or each.name for each in display_names(foods)]


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("Rice, white, long-grain, regular, raw, enriched", "White rice, raw"),
        ("Snacks, banana chips", "Banana chips"),
        ("Yellow rice, cooked, NS as to fat", "Yellow rice, cooked"),
        ("Cookies, gingersnaps", "Gingersnaps"),
        ("Seeds, sesame seeds, whole, dried", "Sesame seeds, whole, dried"),
        ("Beef, chuck, arm pot roast, choice, cooked, braised",
         "Beef chuck, arm pot roast, braised"),
        ("Chicken, ground, raw", "Ground chicken, raw"),
        ("Egg, yolk, raw, fresh", "Egg yolk, raw"),
        ("Syrups, maple", "Maple syrup"),
        ("Bread, with raisins, toasted", "Bread, with raisins, toasted"),
        ("Veal, roasted, broiled, or baked", "Veal, roasted, broiled or baked"),
        ("Babyfood, fruit, applesauce with banana, junior",
         "Baby food, applesauce with banana, junior"),
        ("Soup, chili beef, canned, prepared with equal volume water",
         "Chili beef soup, canned, prepared"),
    ],
)  # fmt: skip
def test_a_description_becomes_a_phrase(description, name):
    assert short_name(description).text == name


def test_cooked_is_left_out_only_beside_a_way_of_cooking():
    sorts = {part.text: part.sort for part in split_description("Kale, cooked, boiled")[1]}
    assert sorts == {"cooked": "detail", "boiled": "state"}
    assert short_name("Kale, cooked, drained").text == "Kale, cooked"


def test_proper_nouns_keep_their_capitals():
    nouns = proper_nouns(["Yogurt, Greek", "Sauce, BBQ", "Cheese, Swiss"])
    assert short_name("Cheese, swiss", nouns).text == "Swiss cheese"
    assert everyday_name(food("Bbq sauce", also_called="bbq sauce"), nouns).text == "BBQ sauce"


def test_a_food_bears_the_everyday_name_that_stands_for_it():
    rice = food("Rice, white, enriched, cooked", also_called="white rice;rice")
    assert everyday_name(rice).text == "White rice, cooked"
    banana = replace(food("Bananas, raw", also_called="banana"), category="Fruits")
    assert everyday_name(banana).text == "Banana"
    coffee = food("Beverages, coffee, brewed", carbs_g=0.0, also_called="coffee")
    assert everyday_name(coffee).text == "Coffee"


def test_the_everyday_name_of_a_similar_food_is_not_shown():
    assert everyday_name(food("Samosa", also_called="vegetable samosa")) is None


def test_the_most_popular_food_bears_the_short_name_and_the_others_say_what_differs():
    foods = [
        food(f"Rice, white, {kind}, raw, {flour}")
        for kind in ("long-grain", "glutinous")
        for flour in ("enriched", "unenriched")
    ]
    assert shown(*foods) == [
        "White rice, raw",
        "White rice, raw, unenriched",
        "White rice, glutinous, raw",
        "White rice, glutinous, raw, unenriched",
    ]


def test_foods_with_the_same_published_name_share_the_short_one():
    assert shown(food("Soup, bean"), replace(food("Bean soup"), key="2")) == ["Bean soup"] * 2


def test_brands_and_own_dishes_keep_their_names():
    dish = replace(food("Stew, our own"), source="postmeal")
    product = food("Sandwich, Big One", brand_name="Acme")
    assert [each.display_name for each in display_names([dish, product])] == ["", ""]


@pytest.mark.reliability
def test_the_names_in_the_table_are_those_of_the_rules(foods):
    bare = [replace(each, display_name="") for each in foods]
    assert display_names(bare) == foods


def test_no_name_made_by_rule_loses_a_state(foods):
    lost = []
    for each in foods:
        name = each.display_name
        if not name or (each.also_called and everyday_name(each)):
            continue
        described = re.sub(r"\([^)]*\)|(dry|moist) heat|(made with|includes) [^,]*", "", each.name)
        if missing := (set(words(described)) & STATES) - set(words(name)):
            lost.append((missing, name, each.name))
        elif SUGAR_AND_FAT.search(described) and not SUGAR_AND_FAT.search(name):
            lost.append((name, each.name))
    assert lost == []


def test_starchy_everyday_foods_say_whether_they_are_raw_or_cooked(foods):
    named = {each.also_called.split(";")[0]: each.display_name for each in foods}
    assert named["white rice"] == "White rice, cooked"
    assert named["pasta"].startswith("Pasta, cooked")
    assert named["rolled oats"].startswith("Rolled oats, dry")
    assert named["banana"] == "Banana"


def test_different_foods_have_different_names_unless_their_publishers_give_them_the_same(
    foods,
):
    by_name = defaultdict(list)
    for each in foods:
        by_name[(each.display_name or each.name).casefold(), each.brand_name].append(each)
    shared = [those for those in by_name.values() if len(those) > 1]
    avoidable = [those for those in shared if len({frozenset(words(f.name)) for f in those}) > 1]
    assert len(shared) <= 110  # as many as share a published name
    assert avoidable == []


def test_half_of_the_popular_names_have_at_most_15_letters(foods):
    lengths = sorted(len(each.display_name or each.name) for each in foods[:2000])
    assert lengths[1000] <= 15
    assert lengths[1800] <= 25


def test_a_food_shows_its_short_name_and_keeps_its_description():
    banana = Catalog.open().food(2159)
    assert (banana.name, banana.description) == ("Banana", "Bananas, raw")


def test_a_food_is_found_by_its_description_and_by_its_short_name():
    catalog = Catalog.open()
    for text in ("rice white long grain regular raw unenriched", "white rice, raw"):
        assert "White rice, raw" in [each.name for each in catalog.search(text, limit=2)]


def test_typeahead_completes_the_short_name():
    found = Catalog.open().suggest("white rice, ra")
    assert "White rice, raw" in [each.name for each in found]
