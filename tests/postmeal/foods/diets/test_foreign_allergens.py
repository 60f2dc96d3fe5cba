"""Ingredient lists with one allergen that is misspelt, or named in another language."""

import random
import string
from collections import Counter

import pytest

from postmeal.foods.diets.allergens import FACTS_OF_ALLERGENS, allergen_names, is_spaced
from postmeal.foods.diets.food_diets import diets_of, explain
from postmeal.foods.diets.recipes import has_recipe
from postmeal.foods.diets.words import additive_facts, senses
from postmeal.foods.table import TableFood

RULES = {
    "gluten": "gluten", "wheat": "wheat", "crustaceans": "shellfish", "eggs": "eggs",
    "fish": "fish", "peanuts": "peanuts", "soybeans": "soy", "milk": "dairy", "nuts": "tree_nuts",
    "sesame": "sesame", "sulphites": "sulfites", "molluscs": "shellfish",
}  # fmt: skip
HARMLESS = ("water", "sugar", "salt", "sunflower oil", "tomato", "carrot", "rice flour", "paprika",
            "potato starch", "citric acid", "black pepper", "rapeseed oil",
            "lemon juice")  # fmt: skip
NAMED = [each for each in allergen_names() if each.allergen in RULES]


def product(ingredients: str) -> TableFood:
    return TableFood("test", "1", "branded", "", "Snack", (), {}, ingredients=ingredients)


def label(dice: random.Random, name: str) -> str:
    listed = dice.sample(HARMLESS, dice.randint(2, 6))
    listed.insert(dice.randint(0, len(listed)), f"{name} ({dice.randint(1, 60)}%)")
    return ", ".join(listed)


def misspelt(dice: random.Random, name: str) -> str:
    """One letter left out, doubled, swapped, replaced by another or by a digit, or a gap.

    A result that is the name of another food, such as "hare" for "havre", is not used: nobody could
    tell it from that food.
    """
    while True:
        changed = with_a_slip(dice, name)
        read = senses(changed, listed=True)
        if not (len(read) == 1 and read[0].is_known and read[0].is_food):
            return changed


def with_a_slip(dice: random.Random, name: str) -> str:
    at = dice.randrange(1, len(name) - 1)
    kind = dice.choice(("omit", "double", "swap", "replace", "digit", "space", "hyphen"))
    changed = {
        "omit": "",
        "double": name[at] * 2,
        "replace": dice.choice(string.ascii_lowercase),
        "digit": dice.choice(string.digits),
        "space": name[at] + " ",
        "hyphen": name[at] + "-",
    }
    if kind == "swap":
        return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
    return name[:at] + changed[kind] + name[at + 1 :]


def test_harmless_ingredients_alone_are_free_of_every_allergen():
    """Otherwise the tests below would prove nothing."""
    for rule in set(RULES.values()) - {"sulfites"}:
        known = product(", ".join(HARMLESS))
        assert diets_of(known)[rule] == "free", explain(known, rule)


def test_no_list_is_free_of_an_allergen_named_in_another_language():
    dice = random.Random(1)
    wrong, found = [], Counter()
    for each in NAMED:
        text = label(dice, each.name)
        verdict = diets_of(product(text))[RULES[each.allergen]]
        found[str(verdict)] += 1
        if verdict == "free":
            wrong.append((each.language, each.allergen, text))
    assert not wrong
    assert found.total() > 2_000
    assert found["contains"] > 0.95 * found.total()


@pytest.mark.parametrize("seed", range(3))
def test_no_list_is_free_of_a_misspelt_allergen(seed):
    dice = random.Random(seed)
    spelled = [each for each in NAMED if is_spaced(each.name) and len(each.name) >= 4]
    wrong = []
    for each in dice.sample(spelled, 500):
        text = label(dice, misspelt(dice, each.name))
        if diets_of(product(text))[RULES[each.allergen]] == "free":
            wrong.append((each.name, each.allergen, text))
    assert not wrong


def test_a_single_word_that_nobody_knows_leaves_every_allergen_possible():
    """Also a letter, a number with letters, a picture, and a character of another script."""
    for strange in ("xyzzy", "q", "5oy", "m 1lk", "\U0001f95c", "\u5375", "\u043c", "ce1ery"):
        text = f"water, sugar, {strange}, salt"
        for rule in RULES.values():
            assert diets_of(product(text))[rule] != "free", (strange, rule)


def test_the_reason_names_the_word_that_is_unknown():
    reason = explain(product("water, xyzzy, salt"), "peanuts")
    assert str(reason) == "may contain peanuts: its ingredient list has the unknown word xyzzy"


def test_an_unknown_word_in_a_warning_leaves_every_allergen_possible():
    assert diets_of(product("Corn, salt. May contain xyzzy."))["fish"] == "unknown"
    assert diets_of(product("Corn, salt. May contain peanuts."))["fish"] == "free"


@pytest.mark.parametrize(("text", "rule", "verdict"), [
    ("Grape juice, preservative: E1105", "eggs", "contains"),
    ("Wine, preservative E 220", "sulfites", "contains"),
    ("Sugar, cocoa butter, emulsifier (E322)", "soy", "unknown"),
    ("Sugar, water, stabilizer INS 440", "soy", "free"),
    ("Sugar, water, E1999", "soy", "unknown"),
    ("Water, sugar, thickener: E426", "soy", "contains"),
    ("Weizenmehl, Zucker, Salz", "wheat", "contains"),
    ("Buchweizen, sugar, salt", "wheat", "free"),
    ("Salt, pea-nut, sugar", "peanuts", "contains"),
    ("r ye flour, water", "gluten", "contains"),
    ("al\u00admonds, sugar", "tree_nuts", "contains"),
    ("Sugar, noix de coco, water", "dairy", "free"),
    ("Sugar, noix de coco, water", "tree_nuts", "unknown"),
    ("\u5c0f\u9ea6\u7c89\u3001\u7802\u7cd6", "wheat", "contains"),
    ("\u5927\u8c46\u3001\u98df\u5869", "dairy", "unknown"),
    ("Vegetable protein, water, salt", "soy", "unknown"),
    ("Eastern oyster, salt", "shellfish", "contains"),
    ("Water, sugar, 2% or less milk powder", "dairy", "contains"),
    ("Sugar, custard, salt", "eggs", "contains"),
])  # fmt: skip
def test_a_list_is_read_with_its_numbers_compounds_and_gaps(text, rule, verdict):
    assert diets_of(product(text))[rule] == verdict, explain(product(text), rule)


@pytest.mark.parametrize("name", ["Custard", "French toast", "Tiramisu", "Creme brulee"])
def test_dishes_that_are_made_with_eggs_contain_eggs(name):
    dish = TableFood("test", "1", "generic", "", name, (), {})
    assert diets_of(dish)["eggs"] == "contains"


def test_a_dish_contains_what_its_recipe_contains_and_is_free_of_nothing_by_it():
    dish = TableFood("postmeal", "1", "recipe", "", "Shakshuka", (), {})
    assert str(explain(dish, "fodmaps")) == "contains fodmaps: its recipe includes onion"
    assert diets_of(dish)["peanuts"] == "unknown"
    assert has_recipe("Shakshuka")
    assert not has_recipe("Bananas, raw")


def test_names_of_the_allergens_are_known_in_many_languages():
    by_allergen = Counter((each.allergen, each.language) for each in allergen_names())
    for allergen in FACTS_OF_ALLERGENS:
        assert sum(each == allergen for each, _ in by_allergen) >= 20, allergen


def test_every_additive_that_is_an_allergen_by_law_is_marked():
    """Annex II of Regulation (EU) No 1169/2011."""
    assert all("sulfites" in (additive_facts(number) or ("",))[0] for number in range(220, 229))
    assert additive_facts(1105) == ("eggs", "")
    assert "soy" in (additive_facts(322) or ("", ""))[1]
    assert "dairy" in (additive_facts(966) or ("", ""))[1]


def test_numbers_and_units_are_skipped_in_lists_only_with_each_other():
    assert senses("5 g", listed=True) == []
    assert [sense.is_known for sense in senses("g", listed=True)] == [False]
