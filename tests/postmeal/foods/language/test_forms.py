"""Dry and prepared forms of foods. All sentences are written for these tests."""

import pytest

from postmeal import read_meal

DRY = [
    ("100 g dry pasta", 70, 80),
    ("80 g uncooked spaghetti", 55, 65),
    ("100 g uncooked rice", 75, 85),
    ("100 g uncooked noodles", 65, 85),
    ("85 g dry instant noodles", 45, 60),
    ("60 g of rice noodles, dry", 45, 55),
    ("40 g pudding mix, dry", 33, 39),
    ("50 g dry lentils", 27, 35),
    ("30 g milk powder", 10, 17),
    ("30 g infant formula powder", 14, 19),
    ("50 g mashed potato powder", 36, 44),
    ("60 g lemonade powder", 55, 60),
    ("2 scoops of whey powder", 2, 20),
]
PREPARED = [
    ("100 g cooked pasta", 24, 34),
    ("1 cup powdered milk made up", 9, 16),
    ("200 ml milk made from powder", 8, 14),
    ("a glass of powdered milk", 9, 16),
    ("200 ml of reconstituted milk powder", 8, 14),
    ("200 ml infant formula made up", 12, 17),
    ("100 g cooked dried beans", 18, 28),
    ("100 g of dry beans, boiled", 18, 28),
    ("a packet of instant noodles", 38, 56),
]


@pytest.mark.parametrize(("text", "least_g", "most_g"), DRY + PREPARED)
def test_the_carbohydrate_is_that_of_the_stated_form(catalog, text, least_g, most_g):
    reading = read_meal(text, catalog)
    assert len(reading.detections) == 1
    assert least_g <= reading.nutrients.amount("carbs_g") <= most_g
    assert reading.unread == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a glass of dry white wine", "wine"),
        ("a glass of dry sherry", "wine, dessert, dry"),
        ("dry roasted peanuts", "Peanuts"),
        ("a slice of dry toast", "toasted"),
        ("1 tbsp powdered sugar", "Sugars, powdered"),
        ("2 tsp baking powder", "baking powder"),
        ("150 g dry cottage cheese", "Cheese, cottage"),
        ("cornbread made from a mix", "Cornbread, prepared from mix"),
        ("53 g of dried boiled millet flour", "Millet flour"),
    ],
)
def test_words_that_are_part_of_a_food_state_no_form(catalog, text, name):
    (detection,) = read_meal(text, catalog).detections
    assert name in detection.selection.food.description
    assert detection.lacking == ()


def test_a_form_that_no_food_has_is_reported(catalog):
    reading = read_meal("50 g polenta, dry", catalog)
    assert reading.unread == ("dry",)
    (detection,) = reading.detections
    assert detection.lacking == ("dry",)
    assert detection.confidence < 0.6


def test_a_packet_of_a_dry_food_is_not_a_bowl(catalog):
    (dry,) = read_meal("a dry packet of fruit flavored instant oatmeal", catalog).detections
    assert "dry" in dry.selection.food.description
    assert 20 < dry.selection.weight_g < 60


@pytest.mark.parametrize(
    ("text", "least_g", "most_g"),
    [
        ("100 ml milo", 5, 20),  # less than a cup, and the text mentions no powder
        ("a cup of hot cocoa mix", 15, 40),  # a cup, although the text mentions a mix
        ("20 g milo", 12, 20),  # a little is the powder
        ("80 g cocoa powder", 40, 60),  # a powder of which less than a cup was eaten
    ],
)
def test_a_drink_powder_stands_for_the_drink_if_it_fills_a_cup_or_no_powder_is_said(
    catalog, text, least_g, most_g
):
    assert least_g <= read_meal(text, catalog).nutrients["carbs_g"] <= most_g
