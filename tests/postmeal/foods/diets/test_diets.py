"""Diet rules: what a food contains, by name, nutrients, ingredients and label."""

import pytest
from allergen_words import gives_away
from hypothesis import given
from hypothesis import strategies as st

from postmeal.assets import asset
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.amounts import verdicts_by_amount
from postmeal.foods.diets.food_diets import diets_of, explain
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS, RULES
from postmeal.foods.diets.verdicts import Diets
from postmeal.foods.diets.words import senses
from postmeal.foods.table import TableFood, read_table

ALLERGENS = (
    "gluten lactose yeast tree_nuts peanuts dairy eggs sulfites soy wheat shellfish fish mushrooms"
    " sesame msg caffeine"
)

# name · contains · free of · unknown
FACTS = (
    ("Bananas, raw", "keto low_carbohydrate", ALLERGENS + " vegan kosher halal paleo", "fodmaps"),
    ("Apples, raw, with skin", "fodmaps keto", ALLERGENS + " vegan paleo halal", ""),
    ("Onions, raw", "fodmaps", "gluten soy sulfites vegan kosher", ""),
    ("Broccoli, raw", "", "gluten dairy keto low_carbohydrate vegan halal high_protein", "fodmaps"),
    ("Eggplant, raw", "high_protein", "eggs fodmaps vegan kosher paleo", ""),
    ("Mushrooms, white, raw", "mushrooms fodmaps", "gluten yeast msg vegan", ""),
    ("Potatoes, baked, flesh and skin, without salt", "keto", "gluten dairy sulfites vegan",
     "paleo"),
    ("Salsify, (vegetable oyster), raw", "", "shellfish vegan", ""),
    ("Squash, winter, butternut, raw", "", "tree_nuts dairy vegan", ""),
    ("Apricots, dried, sulfured, uncooked", "sulfites fodmaps", "gluten dairy vegan", ""),
    ("Bread, white, commercially prepared (includes soft bread crumbs)",
     "gluten wheat yeast fodmaps keto paleo", "fish shellfish mushrooms peanuts tree_nuts",
     "dairy lactose eggs soy vegan"),
    ("Bread, gluten free", "yeast", "gluten", "wheat dairy eggs soy"),
    ("Rice, white, long-grain, regular, enriched, cooked", "paleo keto",
     "gluten wheat dairy fodmaps vegan kosher", ""),
    ("Quinoa, cooked", "paleo", "gluten wheat vegan fodmaps", ""),
    ("Oats", "gluten paleo", "wheat dairy vegan", ""),
    ("Pasta, cooked, enriched, without added salt", "gluten wheat fodmaps paleo", "dairy fish",
     "eggs soy vegan"),
    ("Noodles, egg, enriched, cooked", "eggs wheat gluten vegan", "dairy peanuts vegetarian", ""),
    ("Cheese, cheddar", "dairy lactose vegan paleo", "gluten eggs fish keto high_protein",
     "vegetarian kosher halal"),
    ("Cheese, parmesan, grated", "dairy vegan", "gluten soy", "vegetarian"),
    ("Milk, whole, 3.25% milkfat, with added vitamin D", "dairy lactose fodmaps vegan keto",
     "gluten eggs soy tree_nuts vegetarian", "kosher"),
    ("Milk, lactose free, whole", "dairy vegan", "lactose gluten", ""),
    ("Butter, salted", "dairy vegan", "gluten eggs keto vegetarian", "lactose"),
    ("Soy milk, unsweetened", "soy paleo", "dairy lactose gluten vegan", "fodmaps"),
    ("Egg, whole, cooked, hard-boiled", "eggs vegan",
     "dairy gluten fodmaps vegetarian paleo keto high_protein kosher halal", ""),
    ("Salad dressing, mayonnaise, regular", "eggs vegan", "keto", "soy dairy gluten"),
    ("Peanut butter, smooth style, with salt", "peanuts paleo", "dairy tree_nuts eggs",
     "soy kosher"),
    ("Nuts, almonds", "tree_nuts", "peanuts dairy gluten soy sesame vegan keto", "fodmaps"),
    ("Seeds, sunflower seed kernels, dried", "", "tree_nuts peanuts sesame dairy vegan", ""),
    ("Tofu, fried", "soy", "", "gluten wheat eggs"),
    ("Soy sauce", "soy wheat gluten yeast", "dairy eggs fish", "kosher halal"),
    ("Miso", "soy", "dairy fish", "gluten wheat"),
    ("Lentils, mature seeds, cooked, boiled, without salt", "fodmaps paleo",
     "gluten soy peanuts high_protein vegan", ""),
    ("Fish, salmon, Atlantic, farmed, cooked, dry heat", "fish vegetarian vegan",
     "shellfish gluten dairy pescatarian paleo kosher halal high_protein", ""),
    ("Fish, catfish, channel, wild, raw", "fish kosher", "halal pescatarian", ""),
    ("Clams, steamed or boiled", "shellfish kosher vegetarian", "fish gluten pescatarian", "halal"),
    ("Fish, stick", "fish gluten wheat", "", "eggs dairy"),
    ("Worcestershire sauce", "fish vegetarian vegan", "", "gluten soy"),
    ("Chicken, broilers or fryers, breast, meat only, cooked, roasted",
     "vegetarian vegan pescatarian", ALLERGENS + " fodmaps keto high_protein", "kosher halal"),
    ("Pork, fresh, loin, tenderloin, separable lean only, cooked, roasted",
     "kosher halal vegetarian", "gluten dairy keto", ""),
    ("Lard", "kosher halal vegetarian vegan", "dairy soy keto", ""),
    ("Bacon, meatless", "", "", "vegetarian vegan soy gluten"),
    ("Rabbit", "kosher pescatarian", "gluten", "halal"),
    ("Alcoholic beverage, beer, regular, all", "gluten yeast halal", "dairy eggs soy", "wheat"),
    ("Alcoholic beverage, wine, table, red", "sulfites halal", "wheat soy", "eggs fish vegan"),
    ("Beverages, coffee, brewed, prepared with tap water", "caffeine", "gluten dairy vegan keto",
     ""),
    ("Beverages, carbonated, cola, regular", "caffeine paleo keto", "gluten dairy vegan", ""),
    ("Tea, hot, herbal", "", "gluten dairy", "caffeine"),
    ("Beverages, carbonated, root beer", "paleo", "gluten yeast dairy halal", ""),
    ("Honey", "vegan fodmaps", "gluten vegetarian halal", ""),
    ("Sugars, granulated", "paleo keto", "gluten vegan fodmaps", ""),
    ("Oil, cocoa butter", "", "dairy caffeine vegan keto", ""),
    ("Cookie, chocolate chip", "wheat gluten caffeine eggs", "fish shellfish",
     "dairy tree_nuts"),
    ("Pizza, cheese, from frozen, thin crust", "dairy wheat vegan", "", "eggs soy fish vegetarian"),
    ("Celery, cooked", "vegan", "gluten", "dairy vegetarian"),  # its cholesterol is of butter
    ("Noodles, cooked", "wheat vegan", "", "eggs"),
    ("Table fat, NFS", "", "", "dairy soy"),
    ("Baked beans", "fodmaps", "", "gluten vegetarian kosher"),
    ("Yogurt, Greek, plain, nonfat", "dairy lactose", "gluten tree_nuts peanuts soy", "vegetarian"),
    ("Yogurt, Greek, strawberry, nonfat", "dairy", "", "gluten tree_nuts peanuts"),
    ("Cheese, cottage, lowfat, 2% milkfat", "dairy lactose fodmaps vegan", "gluten tree_nuts", ""),
    ("Tomato products, canned, paste, without salt added", "", "gluten dairy vegan halal",
     "sulfites fodmaps"),
    ("Cereals, corn grits, white, regular and quick, enriched, dry", "paleo",
     "gluten dairy peanuts vegan", ""),
    ("Cereals, oats, regular and quick, not fortified, dry", "gluten paleo", "dairy peanuts vegan",
     ""),
    ("Chickpeas (garbanzo beans, bengal gram), mature seeds, raw", "fodmaps paleo",
     "gluten dairy peanuts vegan kosher", ""),
    ("Oil, olive, salad or cooking", "", "gluten dairy soy vegan keto paleo", ""),
    ("Fruit cocktail, canned, heavy syrup, drained", "fodmaps", "gluten dairy",
     "sulfites vegan halal"),
    ("Tomato juice cocktail", "", "", "fish msg gluten"),
    ("Carrots, baby, raw", "", "gluten sulfites vegan fodmaps kosher", ""),
    ("Vegetables, mixed, frozen, unprepared", "", "gluten dairy vegan", "paleo fodmaps"),
    ("Mustard, prepared, yellow", "", "dairy peanuts vegan", "gluten sulfites"),
)  # fmt: skip


@pytest.fixture(scope="module")
def foods() -> list[TableFood]:
    return read_table(asset("data/foods.csv.xz"))


def food(name: str = "Something", **known) -> TableFood:
    held = {"kind": "generic", "category": "", "portions": (), "per_100_g": {}}
    return TableFood("test", "1", name=name, **{**held, **known})


def test_foods_have_the_verdicts_that_a_dietitian_gives_them(foods):
    """More than 150 facts, on foods of every sort."""
    by_name = {each.name: each for each in foods}
    wrong, facts = [], 0
    for name, *expected in FACTS:
        diets = diets_of(by_name[name])
        for verdict, rules in zip(("contains", "free", "unknown"), expected, strict=True):
            for rule in rules.split():
                facts += 1
                if diets[rule] != verdict:
                    wrong.append(f"{name}: {explain(by_name[name], rule)}, not {verdict}")
    assert not wrong
    assert facts > 300


@pytest.mark.reliability
def test_nothing_is_free_of_what_its_name_gives_away(foods):
    """Judged by words that are listed apart from those of the rules."""
    wrong = []
    for each in foods:
        diets = diets_of(each)
        for rule in RULES:
            if diets[rule] == "free" and (word := gives_away(rule, each.name)):
                wrong.append(f"{each.name} ({rule}: {word})")
    assert not wrong


def test_nothing_is_free_of_what_an_everyday_name_gives_away(catalog):
    """Whoever asks for spinach with butter must not be told that it is free of milk."""
    wrong = []
    for listed in catalog.listed():
        diets = catalog.food(listed.id).diets
        for rule in RULES:
            for name in listed.also:
                if diets[rule] == "free" and (word := gives_away(rule, name)):
                    wrong.append(f"{name} is {listed.words} ({rule}: {word})")
    assert not wrong


def test_what_animal_foods_alone_have_is_never_vegan(foods):
    for each in foods:
        if each.per_100_g.get("cholesterol_mg", 0) >= 1:
            assert diets_of(each)["vegan"] != "free", each.name


@pytest.mark.reliability
def test_what_one_verdict_rules_out_no_other_claims(foods):
    broken_with = (("vegan", "vegetarian"), ("vegetarian", "pescatarian"))
    for each in foods:
        diets = diets_of(each)
        if diets["wheat"] == "contains":
            assert diets["gluten"] != "free" or "gluten" in each.name.lower(), each.name
        if diets["dairy"] != "free":
            assert diets["vegan"] != "free", each.name
        if diets["eggs"] != "free":
            assert diets["vegan"] != "free", each.name
        for strict, loose in broken_with:
            assert not (diets[strict] == "free" and diets[loose] == "contains"), each.name


def test_caffeine_that_was_measured_is_contained(foods):
    for each in foods:
        if each.per_100_g.get("caffeine_mg", 0) > 0:
            assert diets_of(each)["caffeine"] == "contains", each.name


def test_dishes_and_products_without_a_list_of_ingredients_are_free_of_little(foods):
    for each in foods:
        if each.kind != "generic" and "free" not in each.name.lower():
            diets = diets_of(each)
            assert diets["soy"] != "free", each.name
            assert diets["dairy"] != "free", each.name


@given(st.text(max_size=60), st.none() | st.text(max_size=80))
def test_any_text_gets_verdicts(name, ingredients):
    diets = diets_of(food(name, ingredients=ingredients))
    assert all(diets[rule] in ("unknown", "free", "contains") for rule in RULES)


@pytest.mark.parametrize(("amounts", "free"), [
    ({"energy_kcal": 100, "carbs_g": 2.4, "fiber_g": 0}, {"low_carbohydrate", "keto"}),
    ({"energy_kcal": 100, "carbs_g": 2.6, "fiber_g": 0}, {"low_carbohydrate"}),
    ({"energy_kcal": 100, "carbs_g": 6.4, "fiber_g": 0}, {"low_carbohydrate"}),
    ({"energy_kcal": 100, "carbs_g": 6.6, "fiber_g": 0}, set()),
    ({"energy_kcal": 100, "carbs_g": 9.0, "fiber_g": 7}, {"low_carbohydrate", "keto"}),
    ({"energy_kcal": 39, "carbs_g": 5.0, "fiber_g": 0}, {"low_carbohydrate", "keto"}),
    ({"energy_kcal": 0, "carbs_g": 0.0, "fiber_g": 0}, {"low_carbohydrate", "keto"}),
    ({"energy_kcal": 39, "carbs_g": 5.0, "fiber_g": 0, "water_g": 95}, set()),
    ({"energy_kcal": 100, "carbs_g": 9.0}, set()),
    ({"energy_kcal": 100, "protein_g": 5.0}, {"high_protein"}),
    ({"energy_kcal": 100, "protein_g": 4.9}, set()),
    ({}, set()),
])  # fmt: skip
def test_shares_of_energy_decide_where_a_source_sets_them(amounts, free):
    by_amount = verdicts_by_amount(amounts)
    assert {rule for rule, (verdict, _) in by_amount.items() if verdict == "free"} == free


def test_amounts_that_are_not_known_decide_nothing():
    diets = diets_of(food("Salad"))
    assert {diets[rule] for rule in ("keto", "low_carbohydrate", "high_protein")} == {"unknown"}
    assert "keto" not in verdicts_by_amount({"energy_kcal": 100, "carbs_g": 9.0})  # fibre unknown


def test_a_reason_tells_the_rule_and_the_sign(foods):
    by_name = {each.name: each for each in foods}
    bread = by_name["Bread, white, commercially prepared (includes soft bread crumbs)"]
    assert str(explain(bread, "gluten")) == "contains gluten: its name mentions bread"
    assert str(explain(bread, "dairy")) == "may contain dairy: its name mentions bread"
    pie = food("Pie", kind="branded")
    assert str(explain(pie, "fish")) == "may contain fish: it has no ingredient list"
    milk = food("Drink", kind="branded", declared=("contains:milk",))
    assert str(explain(milk, "vegan")) == "not vegan: its label declares milk"


def test_a_food_of_the_catalogue_has_the_verdicts_of_its_line_and_the_same_reasons(foods):
    catalog = Catalog.open()
    for line in foods[::25]:
        stored = catalog.food(line.id)
        assert stored.diets == diets_of(line), line.name
        for rule in ("gluten", "dairy", "vegan", "keto"):
            reason = explain(stored, rule)
            assert reason.verdict == stored.diets[rule]
            assert reason.because


def test_verdicts_pack_and_unpack():
    verdicts = {rule: ("unknown", "free", "contains")[at % 3] for at, rule in enumerate(RULES)}
    packed = Diets.of(verdicts)
    assert {rule: packed[rule] for rule in RULES} == verdicts
    assert 0 <= packed.bits < 2**63
    assert set(RESTRICTIONS).isdisjoint(PREFERENCES)


def test_the_longest_phrase_is_meant():
    said = [(sense.phrase, sense.is_known) for sense in senses("Peanut butter with xyzzy")]
    assert said == [("peanut butter", True), ("with", True), ("xyzzy", False)]
    diets = diets_of(food("Peanut butter"))
    assert (diets["peanuts"], diets["dairy"]) == ("contains", "free")


# name · rules it breaks · rules it keeps · what is not known
SAID = (
    ("Cola, without caffeine", "", "caffeine gluten", ""),
    ("Coffee, caffeine free", "", "caffeine", ""),
    ("Soft drink, cola, decaffeinated", "", "dairy", "caffeine"),
    ("Soft drink, pepper type", "caffeine", "", ""),
    ("Root beer", "", "gluten", "caffeine"),
    ("Mayonnaise, egg-free", "", "eggs", "vegan dairy soy"),
    ("Dairy free ice cream", "", "dairy", "vegan tree_nuts soy"),
    ("Bread, wheat free", "gluten", "wheat", "tree_nuts eggs"),
    ("Bread, gluten free", "yeast", "gluten", "tree_nuts soy"),
    ("Chocolate, nut free", "caffeine", "tree_nuts", "peanuts"),
    ("Peanut butter, peanut free", "", "", "peanuts"),
    ("Milk, lactose free", "dairy vegan", "lactose soy", ""),
    ("Eggs, free range", "eggs vegan", "dairy", ""),
    ("Latte, non-dairy", "", "", "dairy vegan soy tree_nuts"),
    ("Yogurt, soy", "soy", "", "dairy vegan"),
    ("Milk, almond", "tree_nuts", "eggs", "dairy vegan"),
    ("Fish-shaped crackers", "wheat", "", "fish vegetarian"),
    ("Bacon flavored chips", "", "", "vegetarian vegan halal"),
    ("Oyster crackers", "wheat gluten", "shellfish", "dairy"),
    ("Hot cocoa", "dairy caffeine vegan", "fish", ""),
    ("Halva", "sesame", "fish", "tree_nuts dairy wheat"),
    ("Quorn", "mushrooms", "fish", "eggs vegan"),
    ("Malted milk powder", "wheat gluten dairy", "eggs", ""),
    ("Banana bread", "wheat", "", "tree_nuts eggs"),
    ("Coconut shrimp", "shellfish", "", "wheat eggs"),
    ("Wine, red", "", "gluten", "yeast"),
    ("Soy sauce", "soy wheat", "dairy", "msg"),
    ("Squash, winter, spaghetti, raw", "", "wheat gluten eggs vegan", ""),
    ("Lamb's lettuce", "", "vegan vegetarian", ""),
    ("Vegetable broth", "", "", "vegan vegetarian gluten"),
)  # fmt: skip


@pytest.mark.parametrize(("name", *"cfu"), SAID, ids=[row[0] for row in SAID])
def test_a_name_is_read_as_people_mean_it(name, c, f, u):
    """What it says is not there, what it only looks or tastes like, what stands in for what."""
    diets = diets_of(food(name))
    for verdict, rules in (("contains", c), ("free", f), ("unknown", u)):
        for rule in rules.split():
            assert diets[rule] == verdict, explain(food(name), rule)


def test_caffeine_that_was_looked_for_and_not_found_is_not_there():
    drink = food("Soft drink, lemon-lime", per_100_g={"caffeine_mg": 0.0})
    assert diets_of(drink)["caffeine"] == "free"
    label = food("Soft drink", kind="branded", per_100_g={"caffeine_mg": 0.0})
    assert diets_of(label)["caffeine"] == "unknown"


@pytest.mark.parametrize(("name", "category", "verdict"), [
    ("Beet juice", "Vegetable juice", "contains"), ("Milk, fat free", "Milk", "contains"),
    ("Vegetable soup", "Soups", "contains"), ("Broccoli", "Broccoli", "free"),
])  # fmt: skip
def test_a_glass_holds_more_carbohydrate_than_a_plate(name, category, verdict):
    amounts = {"energy_kcal": 30.0, "carbs_g": 5.5, "fiber_g": 1.1}
    assert diets_of(food(name, category=category, per_100_g=amounts))["keto"] == verdict


def test_hardly_any_protein_is_not_much_protein():
    coffee = {"energy_kcal": 1.0, "protein_g": 0.12}
    assert diets_of(food("Coffee", per_100_g=coffee))["high_protein"] == "contains"


@pytest.mark.parametrize("meat", ["Beef", "Chicken", "Lamb", "Turkey"])
@pytest.mark.parametrize("milk", ["cream", "butter", "milk", "cheese"])
def test_meat_together_with_milk_is_never_kosher(meat, milk):
    """Exodus 23:19 as Jewish law reads it; either of the two alone may be kosher, by its label."""
    by_name = food(f"{meat} with {milk}")
    by_ingredients = food("Dinner", ingredients=f"{meat}, salt, {milk}")
    by_label = food(f"{meat} dinner", declared=("contains:milk", "label:kosher"))
    for both in (by_name, by_ingredients, by_label):
        reason = explain(both, "kosher")
        assert (reason.verdict, reason.because) == ("contains", "it contains both meat and milk")
        assert diets_of(both)["kosher"] == "contains"
    for alone in (food(meat), food(milk.capitalize())):
        assert diets_of(alone)["kosher"] == "unknown"


@pytest.mark.parametrize("name", ["Salmon with cream", "Eggs with milk", "Potatoes with butter"])
def test_milk_with_fish_eggs_or_plants_breaks_no_kosher_rule(name):
    assert diets_of(food(name))["kosher"] == "unknown"


def test_a_new_rule_never_changes_the_positions_of_stored_verdicts():
    assert RULES[:26] == (
        "gluten", "lactose", "yeast", "tree_nuts", "peanuts", "dairy", "eggs", "sulfites", "soy",
        "wheat", "shellfish", "fish", "mushrooms", "sesame", "msg", "caffeine", "fodmaps",
        "vegetarian", "vegan", "keto", "paleo", "pescatarian", "low_carbohydrate", "high_protein",
        "kosher", "halal",
    )  # fmt: skip
