"""Amounts of more food than people eat at a meal."""

import pytest

from postmeal.foods.language import explain, read_meal
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
