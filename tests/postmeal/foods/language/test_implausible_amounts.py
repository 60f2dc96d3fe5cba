"""Amounts of no food, and of more food than people eat at a meal."""

import pytest

from postmeal.errors import InputError
from postmeal.foods.language import explain, parse_meal, read_meal
from postmeal.foods.portions import most_plausible_grams, usual_grams

COUNTED = ["1000 slices of bread", "40 bananas", "300 eggs", "25 bowls of rice", "90 pizzas"]
STATED = ["5 kg of rice", "9 liters of orange juice", "4000 g bread", "20 pounds of chicken"]


@pytest.mark.parametrize("text", COUNTED)
def test_an_implausible_count_becomes_a_typical_serving_and_is_unread(catalog, text):
    reading = read_meal(text, catalog)
    (found,) = reading.detections
    food = found.selection.food
    assert found.selection.weight_g == pytest.approx(usual_grams(food).grams)
    assert found.implausible
    assert not found.amount_said
    assert reading.unread == (text,)


@pytest.mark.parametrize(("text", "grams"), [("a dozen eggs", 600), ("2.5 cups of milk", 610)])
def test_a_large_count_of_a_known_measure_is_kept_and_marked(catalog, text, grams):
    reading = read_meal(text, catalog)
    (found,) = reading.detections
    assert found.selection.weight_g == pytest.approx(grams)
    assert found.implausible
    assert found.amount_said
    assert reading.unread == ()


@pytest.mark.parametrize("text", STATED)
def test_an_implausible_mass_or_volume_is_kept_and_marked(catalog, text):
    reading = read_meal(text, catalog)
    (found,) = reading.detections
    assert found.selection.weight_g > most_plausible_grams(found.selection.food)
    assert found.implausible
    assert found.amount_said
    assert reading.unread == ()


@pytest.mark.parametrize(
    ("much", "plausible"), [("40 bananas", "2 bananas"), ("5 kg rice", "rice")]
)
def test_an_implausible_amount_lowers_the_confidence(catalog, much, plausible):
    marked, usual = (read_meal(text, catalog).detections[0] for text in (much, plausible))
    assert marked.confidence < usual.confidence
    assert not usual.implausible


def test_a_share_of_a_large_amount_is_judged_by_what_was_eaten(catalog):
    (found,) = read_meal(
        "split a large pepperoni pizza, 8 slices, I had 3 of them", catalog
    ).detections
    assert not found.implausible
    assert 200 < found.selection.weight_g < 500


def test_explain_shows_the_mark():
    assert "(implausible)" in str(explain("40 bananas"))
    assert "(implausible)" not in str(explain("2 bananas"))


@pytest.mark.parametrize("text", ["0 apples", "0 g of salt", "apples 0", "0/3 pizza", "zero eggs"])
def test_an_amount_of_zero_is_unread(catalog, text):
    reading = read_meal(f"toast and {text}", catalog)
    (found,) = reading.detections
    assert found.selection.food.name == "Toast"
    (unread,) = reading.unread
    assert unread.startswith(("0", "apples 0"))


@pytest.mark.parametrize("text", ["coke zero", "zero sugar coke"])
def test_a_drink_without_sugar_is_not_an_amount_of_zero(catalog, text):
    reading = read_meal(text, catalog)
    (found,) = reading.detections
    assert found.selection.nutrients["carbs_g"] < 3
    assert reading.unread == ()


@pytest.mark.parametrize(
    ("ordinal", "digits"),
    [
        ("1/3rd of a pizza", "1/3 of a pizza"),
        ("2/3rds cup rice", "2/3 cup rice"),
        ("1 1/2nds cups of milk", "1.5 cups of milk"),
        ("3/8ths of a watermelon", "0.375 watermelon"),
        ("3/5 of the cake", "0.6 cake"),
    ],
)
def test_a_fraction_may_end_as_an_ordinal_does(catalog, ordinal, digits):
    (said,), (meant,) = (read_meal(text, catalog).detections for text in (ordinal, digits))
    assert said.selection.food == meant.selection.food
    assert said.selection.weight_g == pytest.approx(meant.selection.weight_g)
    assert said.selection.weight_g > 50


@pytest.mark.parametrize("text", ["rice, 150", "chicken, 200", "100 slices of bread"])
def test_the_strict_parser_refuses_an_exploding_count(catalog, text):
    with pytest.raises(InputError, match="a larger amount must be in g, oz or ml"):
        parse_meal(text, catalog)


def test_the_strict_parser_keeps_a_large_count_and_a_stated_mass(catalog):
    eggs, rice = parse_meal("8 eggs, 3000 g rice", catalog)
    assert (eggs.weight_g, rice.weight_g) == (400, 3000)
