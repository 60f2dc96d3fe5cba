"""Dishes and staples of the world, made from foods of the table, and what they are called."""

import csv
from pathlib import Path

import pytest

from postmeal.errors import DataSetError
from postmeal.foods.diets.food_diets import diets_of
from postmeal.foods.diets.rules import RESTRICTIONS
from postmeal.foods.table import Portion, TableFood
from postmeal.foods.words import words
from tools.food_table.dishes import composition, read_dishes
from tools.food_table.names import DISHES

HEAD = "name,kind,category,ingredients,cooked_g,servings\n"


def food(name, **per_100_g):
    return TableFood("sr28", name, "generic", "", name, (Portion(1, 100, "g", 100),), per_100_g,
                     description=name)  # fmt: skip


FLOUR = food("Flour", energy_kcal=360.0, carbs_g=76.0, protein_g=10.0, fat_g=1.0, water_g=12.0)
WATER = food("Water, tap", energy_kcal=0.0, carbs_g=0.0, protein_g=0.0, fat_g=0.0, water_g=100.0)
SPICE = food("Spice", energy_kcal=300.0)


@pytest.fixture
def dishes(foods):
    return [food for food in foods if food.source == "postmeal"]


def read(tmp_path: Path, *lines: str, dough: str = "dough"):
    path = tmp_path / "dishes.csv"
    path.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    names = {"Dough": dough, "Bread": "bread"}
    return read_dishes(path, [FLOUR, WATER, SPICE], {"water": "Water, tap"}, names)


def test_a_dish_has_what_its_ingredients_have_and_loses_only_water(tmp_path):
    line = "Dough,generic,Breads,100 flour; 60 water,150,ball 50; cup 200"
    (dish,) = read(tmp_path, line, dough="dough;paste")
    assert dish.names == "dough;paste"
    assert dish.food.per_100_g["carbs_g"] == pytest.approx(76 / 1.5, rel=1e-3)
    assert dish.food.per_100_g["water_g"] == pytest.approx((12 + 60 - 10) / 1.5, rel=1e-3)
    units = [(portion.id, portion.unit, portion.weight_g) for portion in dish.food.portions]
    assert units == [(2, "ball", 50), (1, "g", 100), (3, "cup", 200)]


def test_what_is_unknown_of_an_ingredient_is_unknown_of_the_dish():
    assert composition([(100, FLOUR), (1, SPICE)], 101) == {"energy_kcal": 359.4}


def test_a_dish_may_be_an_ingredient_of_a_later_one(tmp_path):
    _, bread = read(
        tmp_path,
        "Dough,generic,Breads,100 flour; 60 water,160,",
        "Bread,recipe,Breads,160 dough,130,slice 30",
    )
    assert bread.food.per_100_g["carbs_g"] == pytest.approx(76 / 1.3, rel=1e-3)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Dough,generic,Breads,100 manna,100,", "no food has the name of the ingredient 'manna'"),
        (
            "Dough,generic,Breads,much flour,100,",
            "ingredient must be a weight in grams and a name, got 'much flour'",
        ),
        (
            "Dough,generic,Breads,100 flour; 60 water,80,",
            "cooked_g must not be less than the weight of the dry matter of the ingredients,"
            " got 80 g",
        ),
        (
            "Dough,generic,Breads,100 flour,100,ball",
            "serving must be a unit and its weight in grams",
        ),
        ("Dough,mush,Breads,100 flour,100,", "kind must be"),
        ("Dough,generic,Breads,100 flour,heavy,", "heavy"),
        ("Dough,generic", "Dough"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path, line, problem):
    with pytest.raises(DataSetError, match=problem):
        read(tmp_path, line)


def test_a_name_of_a_dish_is_not_the_name_of_another_food(tmp_path):
    with pytest.raises(DataSetError, match="the name 'water' is already in use"):
        read(tmp_path, "Dough,generic,Breads,100 flour,100,", dough="dough;water")


def test_every_dish_of_the_list_is_in_the_table(dishes):
    with DISHES.open(newline="", encoding="utf-8") as file:
        names = [line["name"] for line in csv.DictReader(file)]
    assert len(names) > 250
    assert len({" ".join(words(name)) for name in names}) == len(names)
    assert set(names) <= {dish.key for dish in dishes}


def test_the_energy_of_a_dish_is_that_of_its_macronutrients(dishes):
    for dish in dishes:
        known = dish.per_100_g
        macros = 4 * known["carbs_g"] + 4 * known["protein_g"] + 9 * known["fat_g"]
        if dish.category == "Liquor and cocktails":  # the table does not tell the alcohol
            assert known["energy_kcal"] > macros, dish.name
        else:
            assert known["energy_kcal"] == pytest.approx(macros, rel=0.15, abs=8), dish.name
        parts = known["carbs_g"] + known["protein_g"] + known["fat_g"] + known.get("water_g", 0)
        assert parts < 101.5, dish.name


def test_a_serving_of_a_dish_is_what_one_person_eats(dishes):
    for dish in dishes:
        assert 8 <= dish.portions[0].weight_g <= 500, dish.name
        assert sum(portion.unit == "g" for portion in dish.portions) == 1, dish.name


def test_no_dish_is_free_of_what_one_of_its_ingredients_contains(foods):
    known = {}
    for food in foods:
        for name in (food.name, *food.also_called.split(";")):
            known.setdefault(" ".join(words(name)), food)
    with DISHES.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    free = 0
    for line in lines:
        verdicts = diets_of(known[" ".join(words(line["name"]))])
        for text in line["ingredients"].split("; "):
            ingredient = diets_of(known[" ".join(words(text.split(" ", 1)[1]))])
            for rule in RESTRICTIONS:
                if verdicts[rule] == "free":
                    free += 1
                    assert ingredient[rule] != "contains", (line["name"], text, rule)
    assert free > 0


def test_carbohydrate_of_a_dish_agrees_with_a_source_that_is_not_its_recipe(dishes):
    with Path(__file__).with_name("dish_carbohydrate.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    carbs_g = {dish.key: dish.per_100_g["carbs_g"] for dish in dishes}
    assert len(rows) > 100
    for row in rows:
        assert row["source"], row["dish"]
        least_g, most_g = float(row["least_g"]), float(row["most_g"])
        assert least_g <= carbs_g[row["dish"]] <= most_g, row["dish"]


# Grams of carbohydrate in 100 g as eaten, by general knowledge: a range that is right wherever
# the food is cooked.
@pytest.mark.parametrize(
    ("name", "least_g", "most_g"),
    [
        ("ugali", 12, 30), ("nshima", 12, 30), ("sadza", 12, 30), ("fufu", 20, 40),
        ("injera", 18, 42), ("chapati", 42, 58), ("mandazi", 40, 58), ("jollof rice", 20, 30),
        ("couscous", 20, 30), ("attieke", 30, 45), ("githeri", 15, 26),
        ("akara", 14, 32), ("egusi soup", 1, 8), ("harira", 4, 12), ("shakshuka", 2, 7),
        ("baba ghanoush", 4, 12), ("falafel", 25, 38), ("hummus", 12, 18), ("labneh", 3, 12),
        ("ayran", 2, 5), ("börek", 15, 34), ("moussaka", 4, 12), ("tarator", 2, 5),
        ("mămăligă", 12, 20), ("polenta", 11, 20), ("ciorbă", 2, 6), ("sarmale", 5, 12),
        ("pierogi", 22, 36), ("goulash", 3, 9), ("dhal curry", 8, 17), ("sambar", 5, 14),
        ("dosa", 25, 42), ("idli", 18, 30), ("chana masala", 12, 20), ("palak paneer", 3, 8),
        ("biryani", 12, 26), ("khichdi", 14, 24), ("upma", 12, 24), ("samosa", 24, 38),
        ("roti", 42, 58), ("jalebi", 50, 75), ("lassi", 7, 14), ("sticky rice", 40, 52),
        ("rice porridge", 6, 14), ("pad thai", 13, 26), ("pho", 4, 12), ("laksa", 5, 12),
        ("nasi goreng", 18, 30), ("nasi lemak", 22, 32), ("tom yum", 1, 5), ("kimchi", 1, 6),
        ("adobo", 0, 4), ("lumpia", 15, 32), ("arepa", 30, 44), ("tamale", 13, 28),
        ("gallo pinto", 19, 29), ("feijoada", 9, 17), ("farofa", 60, 82), ("ceviche", 1, 6),
        ("empanada", 24, 36), ("pupusa", 20, 34), ("atole", 8, 20), ("dulce de leche", 50, 60),
        ("boiled cassava", 30, 40), ("boiled plantain", 28, 34), ("mofongo", 28, 46),
        ("maize flour", 72, 82), ("gari", 80, 92), ("groundnut", 13, 24), ("jaggery", 93, 100),
        ("poutine", 15, 30), ("egg curry", 2, 8), ("avocado toast", 18, 35),
        ("crab rangoon", 15, 35), ("cauliflower cheese", 3, 10), ("pickled onions", 5, 15),
        ("shrimp and grits", 7, 18), ("bangers and mash", 7, 16), ("toad in the hole", 12, 28),
        ("sticky toffee pudding", 38, 60), ("chicken and waffles", 15, 32),
        ("cosmopolitan", 5, 18), ("fish cakes", 8, 30), ("taquitos", 15, 35),
        ("arroz con pollo", 8, 25), ("chicken rice soup", 1, 8), ("diet sprite", 0, 1),
        ("corn bread", 35, 55), ("limeade", 8, 16), ("farro", 20, 35),
        ("ghee", 0, 1), ("aubergine", 4, 10), ("courgette", 2, 5), ("rocket", 2, 5),
        ("coriander leaves", 2, 5), ("curd", 3, 6), ("soda", 9, 13), ("panela", 93, 100),
    ],
)  # fmt: skip
def test_a_name_of_the_world_leads_to_a_food_that_fits(catalog, name, least_g, most_g):
    food = catalog.everyday(name)
    assert food is not None
    grams = food.default_serving.weight_g
    assert least_g <= food.nutrients["carbs_g"] * 100 / grams <= most_g, food.name
