"""An audit of the shipped foods: amounts that contradict the food's name or each other.

A food that fails is corrected in `corrected_amounts.csv`, or its everyday name is given to another
food. Foods that only seem to be wrong are listed here with the reason.
"""

import re

import pytest

from postmeal.assets import asset
from postmeal.errors import DataSetError
from postmeal.foods.table import TableFood, read_table
from tools.food_table.build import corrected

FOODS = read_table(asset("data/foods.csv.xz"))

STARCHY = re.compile(
    r"bagel|biryani|biscuit|bowl|bread|brownie|bun|burger|burrito|cake|calzone|cereal|"
    r"cheeseburger|cookie|cornbread|couscous|cracker|croissant|doughnut|dumpling|empanada|"
    r"enchilada|fries|gnocchi|granola|grits|gyro|hamburger|lasagna|macaroni|muffin|noodle|"
    r"oatmeal|paella|pancake|pasta|pastry|pie|pilaf|pizza|polenta|porridge|potato|pretzel|"
    r"quesadilla|quiche|ravioli|rice|risotto|sandwich|spaghetti|strudel|sub|sushi|taco|tamale|"
    r"toast|tortilla|turnover|waffle|wrap"
)
LEAST_STARCH_G = 5.0
NO_STARCH = re.compile(r"\b(soup|no|without|bunless|cauliflower|zucchini|topping)\b", re.IGNORECASE)
PATTIES = {
    9679: "chicken cake",
    10049: "crab cake",
    10418: "salmon cake",
    12514: "tuna cake",
}
FATS = {702: "a shortening for bread"}

ALCOHOL = re.compile(r"alcohol|beer|cider|wine|liquor|vanilla extract", re.IGNORECASE)
INDIGESTIBLE = {  # carbohydrate by difference, which includes acids, salts and sugar alcohols
    4383: "powder with citric acid",
    5855: "baking powder",
    5857: "baking powder",
    6203: "powder with adipic acid",
    6466: "sweetener without energy",
    6861: "vinegar",
    8562: "powder with citric acid",
    8710: "powder with citric acid",
    12302: "sweetener without energy",
    12307: "sweetener without energy",
}

PLAIN = re.compile(
    r"sr28: (Beef|Pork|Lamb, Veal, and Game|Poultry|Finfish and Shellfish) Products|"
    r"fndds: (Beef, excludes ground|Ground beef|Pork|Lamb, goat, game|Fish|"
    r"Chicken, whole pieces|Turkey, duck, other poultry)|\w+: (Tap|Bottled) water|"
    r"\w+: Fats and Oils: (Oil|Lard|Shortening|Fat)\b"
)
MOST_PLAIN_G = 3.0
SHELLFISH_G = 10.0  # mollusks contain glycogen
NOT_PLAIN = re.compile(r"liver|bread|coat|stick|fried|surimi|imitation|pickled|patty|Peking")


def names(food: TableFood) -> list[str]:
    return [name for name in (food.name, food.display_name, *food.also_called.split(";")) if name]


def head(name: str) -> str:
    """Return the noun of a name in the singular, such as "bowl" for "Burrito bowl, chicken"."""
    before = re.split(r"[,;]| (?:with|on|in|of|and|from) ", name.casefold())[0].split()
    noun = before[-1] if before else ""
    return noun if STARCHY.fullmatch(noun) else re.sub(r"(?<=o)es$|s$", "", noun)


def without_starch(food: TableFood) -> list[str]:
    category = f"{food.category} {food.name}"
    if food.per_100_g.get("carbs_g", 99.0) >= LEAST_STARCH_G or "Soup" in category:
        return []
    starchy = (name for name in names(food) if STARCHY.fullmatch(head(name)))
    return [name for name in starchy if not NO_STARCH.search(name)]


def test_a_dish_that_is_named_after_its_starch_contains_starch():
    wrong = {food.id: names for food in FOODS if (names := without_starch(food))}
    assert wrong.keys() == PATTIES.keys() | FATS.keys(), wrong


def test_the_energy_is_that_of_protein_carbohydrate_and_fat():
    wrong = {}
    for food in FOODS:
        known = food.per_100_g
        energy, *macros = (
            known.get(key) for key in ("energy_kcal", "protein_g", "carbs_g", "fat_g")
        )
        if energy is None or None in macros:
            continue
        protein_g, carbs_g, fat_g = macros
        most = 4 * protein_g + 4 * carbs_g + 9 * fat_g
        least = most - 4 * known.get("fiber_g", 0.0)
        too_much = energy > 1.25 * most + 25 and not ALCOHOL.search(f"{food.category} {food.name}")
        if too_much or energy < 0.75 * least - 25:
            wrong[food.id] = food.name
    assert wrong.keys() == INDIGESTIBLE.keys(), wrong


def test_the_parts_of_a_food_do_not_exceed_its_mass():
    solids = ("protein_g", "carbs_g", "fat_g", "water_g")
    heavy = {
        food.id: food.name
        for food in FOODS
        if sum(food.per_100_g.get(key, 0.0) for key in solids) > 105
    }
    assert heavy == {}


def test_plain_meat_fish_oil_and_water_with_an_everyday_name_have_no_carbohydrate():
    wrong = {}
    for food in FOODS:
        is_plain = PLAIN.match(f"{food.source}: {food.category}: {food.name}")
        if not is_plain or NOT_PLAIN.search(food.name):
            continue
        most_g = SHELLFISH_G if food.name.startswith(("Mollusks", "Fish, caviar")) else MOST_PLAIN_G
        if food.also_called and food.per_100_g.get("carbs_g", 0.0) > most_g:
            wrong[food.id] = (food.name, food.also_called)
    assert wrong == {}


def test_a_correction_of_a_food_that_is_not_published_is_an_error(tmp_path):
    path = tmp_path / "corrected.csv"
    path.write_text("food,amounts_of,unknown,reason\nUnicorn,,fat_g,none exist\n")
    with pytest.raises(DataSetError, match=r"corrected.csv: no food is described as 'Unicorn'"):
        corrected(FOODS, path)
