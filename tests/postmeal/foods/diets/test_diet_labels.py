"""What labels and lists of ingredients tell about diets, and what they leave open."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.foods.diets.food_diets import diets_of, explain
from postmeal.foods.diets.rules import RULES
from postmeal.foods.table import TableFood


def food(name: str = "Something", **known) -> TableFood:
    held = {"kind": "generic", "category": "", "portions": (), "per_100_g": {}}
    return TableFood("test", "1", name=name, **{**held, **known})


INGREDIENTS = "Enriched flour (wheat flour, niacin, reduced iron), water, sugar, palm oil, salt."


@pytest.mark.parametrize(("text", "rule", "verdict"), [
    (INGREDIENTS, "wheat", "contains"),
    (INGREDIENTS, "dairy", "free"),
    (INGREDIENTS, "eggs", "free"),
    (INGREDIENTS, "kosher", "unknown"),
    (INGREDIENTS + " Contains: milk.", "dairy", "contains"),
    (INGREDIENTS + " May contain traces of peanuts.", "peanuts", "unknown"),
    (INGREDIENTS + " May contain traces of peanuts.", "tree_nuts", "free"),
    (INGREDIENTS + " Made in a facility that also handles soy.", "soy", "unknown"),
    (INGREDIENTS + " Made in a facility that also handles soy.", "wheat", "contains"),
    ("Water, whey protein concentrate, sugar", "dairy", "contains"),
    ("Water, sodium caseinate, sugar", "dairy", "contains"),
    ("Sugar, albumen, salt", "eggs", "contains"),
    ("Durum semolina, water", "gluten", "contains"),
    ("Water, anchovy, vinegar, salt", "fish", "contains"),
    ("Sugar, gelatine, citric acid", "vegetarian", "contains"),
    ("Sugar, water, carmine", "vegetarian", "contains"),
    ("Sugar, shellac", "vegetarian", "unknown"),
    ("Corn, salt. Not suitable for nut allergy sufferers", "tree_nuts", "unknown"),
    ("Corn, salt. Packaged in a plant that handles almonds", "tree_nuts", "unknown"),
    ("Sugar, soy lecithin, cocoa butter", "soy", "contains"),
    ("Sugar, lecithin, cocoa butter", "soy", "unknown"),
    ("Potatoes, sunflower oil, salt, yeast extract", "yeast", "contains"),
    ("Potatoes, corn oil, monosodium glutamate", "msg", "contains"),
    ("Potatoes, corn oil, natural flavor", "msg", "unknown"),
    ("Potatoes, corn oil, natural flavor", "dairy", "free"),
    ("Carbonated water, sugar, caffeine, citric acid", "caffeine", "contains"),
    ("Raisins, sulphur dioxide", "sulfites", "contains"),
    ("Farine de blé, lait, sucre, oeuf", "gluten", "contains"),
    ("Farine de blé, lait, sucre, oeuf", "dairy", "contains"),
    ("Xyzzy, plugh, frobnitz, sugar", "gluten", "unknown"),
    ("Water, sugar, cheese (cultured", "eggs", "unknown"),
    ("Water, sugar, cheese (cultured", "dairy", "contains"),
    (("water, salt, " * 20)[:255], "eggs", "unknown"),
    ("Мука пшеничная, сахар, молоко", "dairy", "contains"),
    ("Мука пшеничная, сахар, молоко", "eggs", "unknown"),
    ("", "peanuts", "unknown"),
])  # fmt: skip
def test_a_list_of_ingredients_tells_what_it_names_and_what_it_would_have_to(text, rule, verdict):
    product = food("Snack", kind="branded", ingredients=text)
    assert diets_of(product)[rule] == verdict, explain(product, rule)


@pytest.mark.parametrize(("declared", "rule", "verdict"), [
    (("contains:milk",), "dairy", "contains"),
    (("contains:milk",), "vegan", "contains"),
    (("contains:nuts",), "tree_nuts", "contains"),
    (("traces:nuts",), "tree_nuts", "unknown"),
    (("contains:en:soybeans",), "soy", "contains"),
    (("contains:crustaceans",), "shellfish", "contains"),
    (("label:vegan",), "vegan", "free"),
    (("label:vegan",), "vegetarian", "free"),
    (("label:vegan",), "dairy", "unknown"),
    (("label:gluten-free",), "gluten", "free"),
    (("label:gluten-free", "contains:gluten"), "gluten", "contains"),
    (("label:gluten-free", "traces:gluten"), "gluten", "unknown"),
    (("label:halal",), "halal", "free"),
    (("label:kosher",), "kosher", "free"),
    (("label:non-vegetarian",), "vegetarian", "contains"),
    (("label:unheard-of",), "gluten", "unknown"),
])  # fmt: skip
def test_a_label_is_believed_and_a_trace_is_never_safe(declared, rule, verdict):
    product = food("Snack", kind="branded", declared=declared)
    assert diets_of(product)[rule] == verdict, explain(product, rule)


BREAKING = ["milk", "peanuts", "soy lecithin", "wheat flour", "egg white", "sesame seeds", "cod",
            "shrimp", "almonds"]  # fmt: skip


@pytest.mark.parametrize(("label", "rule", "text"), [
    ("kosher", "kosher", INGREDIENTS), ("halal", "halal", INGREDIENTS),
    ("vegan", "vegan", "Water, lecithin, natural flavor"),
    ("gluten-free", "gluten", "Corn, modified starch, salt"),
])  # fmt: skip
def test_a_label_settles_what_a_list_leaves_open(label, rule, text):
    unlabelled = food("Snack", kind="branded", ingredients=text)
    assert diets_of(unlabelled)[rule] == "unknown"
    labelled = food("Snack", kind="branded", ingredients=text, declared=(f"label:{label}",))
    assert diets_of(labelled)[rule] == "free"
    assert explain(labelled, rule).because == "its label says so"


def test_a_label_settles_nothing_that_the_list_itself_names():
    wrong = food("Snack", kind="branded", ingredients="Milk, sugar", declared=("label:vegan",))
    assert diets_of(wrong)["vegan"] == "contains"
    warned = food("Snack", kind="branded", ingredients="Corn, salt. May contain wheat.",
                  declared=("label:gluten-free",))  # fmt: skip
    assert diets_of(warned)["gluten"] == "unknown"


@given(st.lists(st.sampled_from(BREAKING), max_size=4))
def test_an_ingredient_more_never_makes_a_food_free_of_more(listed):
    plain = ["water", "sugar", "salt"]
    before = diets_of(food(kind="branded", ingredients=", ".join(plain)))
    after = diets_of(food(kind="branded", ingredients=", ".join(plain + listed)))
    for rule in RULES:
        assert after[rule] != "free" or before[rule] == "free"


def test_what_a_publisher_worked_out_may_break_a_rule_and_never_settles_one():
    found = food("Snack", kind="branded", declared=("analysis:non-vegan", "analysis:vegetarian"))
    assert diets_of(found)["vegan"] == "contains"
    assert diets_of(found)["vegetarian"] == "unknown"


def test_real_labels_are_free_of_nothing_that_their_publishers_declare(shared_data):
    """By the list of ingredients alone, with the declared allergens left out."""
    path = shared_data / "food" / "off_products_sample_dev.csv"
    rules = {"en:gluten": "gluten", "en:milk": "dairy", "en:eggs": "eggs", "en:nuts": "tree_nuts",
             "en:peanuts": "peanuts", "en:soybeans": "soy", "en:fish": "fish",
             "en:crustaceans": "shellfish", "en:sesame-seeds": "sesame"}  # fmt: skip
    checked, wrong = 0, []
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = row["ingredients_text"]
            diets = diets_of(food("Snack", kind="branded", ingredients=text))
            for rule in filter(None, map(rules.get, (row["allergens"] or "").split(","))):
                checked += bool(text)
                if text and diets[rule] == "free":
                    wrong.append((row["product_name"], rule, text))
            if text and "en:non-vegan" in row["ingredients_analysis_tags"].split(","):
                assert diets["vegan"] != "free", row["product_name"]
    assert not wrong
    assert checked > 100
