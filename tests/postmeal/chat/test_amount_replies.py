"""Amounts of each food, and replies that state only an amount."""

from __future__ import annotations

import pytest
from conversations import answer, assistant

from postmeal.chat import Message


@pytest.mark.parametrize(
    ("question", "meal"),
    [
        (
            "I ate two white rolls, 60 g each, with 20 g butter. How high will I go?",
            "120 g of Roll",
        ),
        ("carbs in 3 eggs and 2 slices of toast, 30 g each", "60 g of Toast"),
        ("carbs in rice and beans, 100 g each?", "100 g of Baked beans"),
        ("rice or quinoa, 150 g each?", "150 g of Quinoa"),
        ("steak, 200 g, and fries, 150 g: how high will I go?", "150 g of French fries"),
        ("I had about 150 grams tater tots. What will my sugar be?", "150 g of Tater tots"),
    ],
)
def test_a_weight_beside_a_food_belongs_to_the_food(question: str, meal: str) -> None:
    found = answer(question)
    assert found.route == "computed"
    assert meal in found.text


@pytest.mark.parametrize("count", [2, 3])
def test_a_number_of_cans_is_multiplied_by_their_volume(count: int) -> None:
    found = answer(f"how many carbs are in {count} x 330 ml cans of coke?")
    assert f"{count * 330} ml cans of coke" in found.text


@pytest.mark.parametrize(
    ("asked", "reply", "meal"),
    [
        ("How much white rice was it, in cups or grams?", "two cups", "326 g of White rice"),
        ("How many grams of rice did you have?", "about 200 g", "200 g of White rice"),
        ("Thanks! How much rice?", "it was 150 g, I think", "150 g of White rice"),
        ("How much white rice was it?", "a cup and a half, I guess", "244 g of White rice"),
    ],
)
def test_an_amount_that_was_asked_for_gets_its_food(asked: str, reply: str, meal: str) -> None:
    found = assistant().answer(
        [
            Message("user", "How high will I go after 200 g of chicken curry and white rice?"),
            Message("assistant", asked),
            Message("user", reply),
        ]
    )
    assert found.route == "computed"
    assert meal in found.text
    assert "200 g of Chicken curry" in found.text


@pytest.mark.parametrize("asked", ["How much insulin did you take?", "How much was it?"])
def test_an_amount_of_something_else_gets_no_food(asked: str) -> None:
    found = assistant().answer(
        [
            Message("user", "How high will I go after chicken curry and white rice?"),
            Message("assistant", asked),
            Message("user", "4 ml"),
        ]
    )
    assert found.route != "computed"
