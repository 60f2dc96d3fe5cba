"""The 62 published means of the glycemic index, and the rules that map them to foods."""

import csv

import pytest

from postmeal.foods.glycemic.name_rules import MIN_AVAILABLE_CARBS_G, published_foods
from postmeal.foods.glycemic.published import MEANS, STANDARD_ERRORS, group_median, group_sd

MEASURED = [
    ("Bananas, raw", 51),
    ("Apples, raw, with skin", 36),
    ("Oranges, raw, navels", 43),
    ("Watermelon, raw", 76),
    ("Rice, white, long-grain, regular, enriched, cooked", 73),
    ("Rice, brown, long-grain, cooked", 68),
    ("Bread, white, commercially prepared, toasted", 75),
    ("Bread, whole-wheat, commercially prepared", 74),
    ("Bread, white, commercially prepared (includes soft bread crumbs)", 75),
    ("Bread, rye", 53),
    ("Corn, sweet, yellow, cooked, boiled, drained, without salt", 52),
    ("Soup, vegetable soup, condensed, low sodium, prepared with equal volume water", 48),
    ("Chocolate, dark, 70-85% cacao solids", 40),
    ("Pasta, cooked, enriched, without added salt", 49),
    ("Pasta, whole-wheat, cooked", 48),
    ("Potatoes, boiled, cooked without skin, flesh, without salt", 78),
    ("Fast foods, potato, french fried in vegetable oil", 63),
    ("Snacks, potato chips, plain, salted", 56),
    ("Sweet potato, cooked, boiled, without skin", 63),
    ("Cereals, oats, regular and quick, unenriched, cooked with water", 55),
    ("Cereals, oats, instant, fortified, plain, prepared with water", 79),
    ("Cereals ready-to-eat, KELLOGG, KELLOGG'S Corn Flakes", 81),
    ("Milk, whole, 3.25% milkfat, with added vitamin D", 39),
    ("Milk, nonfat, fluid, with added vitamin A and vitamin D (fat free or skim)", 37),
    ("Lentils, mature seeds, cooked, boiled, without salt", 32),
    ("Beans, kidney, red, mature seeds, cooked, boiled, without salt", 24),
    ("Orange juice, raw", 50),
    ("Beverages, carbonated, cola, regular", 59),
    ("Sugars, granulated", 65),
    ("Honey", 61),
    ("Snacks, popcorn, air-popped", 65),
    ("Couscous, cooked", 65),
    ("Finger millet porridge", 67),
    ("Tortillas, ready-to-bake or -fry, corn", 46),
]
MEDIAN = [
    ("Pears, raw", 51),
    ("Potatoes, baked, flesh and skin, without salt", 78),
    ("Beans, black, mature seeds, cooked, boiled, without salt", 26),
    ("Bagels, plain, enriched", 66),
    ("Cereals ready-to-eat, GENERAL MILLS, CHEERIOS", 69),
    ("Milk, reduced fat (2%)", 38),
    ("Yogurt, vanilla, low fat, 11 grams protein per 8 ounce", 39),
    ("Cereal, shredded wheat, plain", 69),
    ("Bread, chapati or roti, plain, commercially prepared", 57),
    ("Bread, paratha", 66),
    ("Wheat flour chapati", 57),
    ("Boiled cassava", 58),
    ("Roasted potatoes", 78),
]
NEITHER = [
    "Potatoes, raw, skin",
    "Rice flour, white",
    "Rice, white, long-grain, regular, raw, enriched",
    "Beverages, carbonated, low calorie, cola or pepper-type, with aspartame",
    "Potato salad, home-prepared",
    "Kidney beans and white rice",
    "Pizza, cheese, thick crust",
    "Peanut butter and jelly sandwich, NFS",
    "Corn oil",
    "Sweet potato chips",
    "Yogurt, fruit, lowfat, with low calorie sweetener",
    "Pitanga, (surinam-cherry), raw",
    "Fast foods, potato, mashed",
    "Potatoes, french fried, cross cut, frozen, unprepared",
    "Potatoes, scalloped, home-prepared with butter",
    "Ice cream cake",
    "Popcorn cake",
    "Crackers, rice and nuts",
    "Rice flour chapati",
    "Sorghum roti",
    "Bircher muesli",
    "Congee, with egg",
    "Black beans and white rice",
    "Yogurt parfait, with fruit",
    "Cereals, QUAKER, Instant Oatmeal Organic, Regular",
]


@pytest.mark.parametrize(("name", "index"), MEASURED)
def test_a_published_food_has_its_published_mean(name, index):
    (published,) = published_foods(name, 20.0)
    assert MEANS[published] == index


@pytest.mark.parametrize(("name", "index"), MEDIAN)
def test_a_relative_of_published_foods_has_their_median(name, index):
    published = published_foods(name, 20.0)
    assert len(published) > 1
    assert group_median(published) == pytest.approx(index, abs=0.5)


@pytest.mark.parametrize("name", NEITHER)
def test_a_food_that_no_published_mean_speaks_of_has_none(name):
    assert published_foods(name, 20.0) == ()


@pytest.mark.parametrize("available_carbs_g", [None, 0.0, MIN_AVAILABLE_CARBS_G - 0.01])
def test_a_food_without_carbohydrate_has_no_index(available_carbs_g):
    assert published_foods("Bananas, raw", available_carbs_g) == ()


def test_the_typed_means_are_those_published(shared_data):
    path = shared_data / "food" / "gi_atkinson2008_means.csv"
    with path.open(newline="", encoding="utf-8") as file:
        lines = [line["Glycemic Index"].split(" ± ") for line in csv.DictReader(file)]
    assert len(lines) == 62
    assert list(MEANS.values())[:62] == [int(mean) for mean, _ in lines]
    assert list(STANDARD_ERRORS.values())[:62] == [int(error) for _, error in lines]


def test_a_group_of_different_foods_is_less_certain_than_one_food():
    assert group_sd(("banana, raw",)) < group_sd(("apple, raw", "banana, raw"))
    assert group_sd(("banana, raw",)) > 9  # laboratories differ by that
