"""Nothing is computed if a message is not only about a meal, or its amounts are unclear."""

from __future__ import annotations

import pytest
from conversations import answer

MEDICINES = [
    ("If I eat only 20 g rice, do I still need my shot?",),
    ("150 g rice curve?", "and if I skip my shot?"),
    ("150 g rice, 6U. enough?",),
    ("what will 150 g rice do without my gliclazide",),
    ("what will 80 g bread do if I take 3 units",),
    ("I take gliclazide.", "What if I leave it out before a plate of 150 g rice?"),
    ("Before 60 g bread I dial 6. Before 90 g bread?",),
    ("I inject Novorapid, 1 per 12.", "how much for 150 g rice?"),
]
BODIES = [
    "Everything went black in front of my eyes after lunch of 150 g rice",
    "My tongue feels thick after kiwi. how many carbs in kiwi",
    "I'd be better off gone. What's in 2 slices of bread?",
    "I cut myself. carbs in apple?",
    "My stomach hurts. How many carbs are in 150 g rice?",
    "There is a rash on my arm. How many carbs are in 100 g strawberries?",
]
UNCLEAR = [
    "how much sugar to raise my glucose by 50?",
    "carbs in 200 g of rice minus 50 g",
    "carbs in 200 g of rice, I only ate half",
    "carbs in rice, not 150 g but 100 g",
    "carbs in 150 to 200 g of rice",
    "carbs in 100 g + 50 g rice",
    "carbs in 10 apples",
    "carbs in rice: 150 g uncooked",
    "carbs in 330 ml of cola, no sugar",
    "carbs in 100000 g of rice",
    "net carbs in 100 g avocado",
    "carbs in 100 g almond flour bread",
    "carbs in 150 g konjac noodles",
    "10 or 12 for 200 g of pasta?",
    "Is six enough for a bowl of pasta?",
]


@pytest.mark.parametrize("turns", MEDICINES)
def test_a_medicine_in_a_question_about_a_meal_gets_no_numbers(turns: tuple[str, ...]) -> None:
    found = answer(*turns)
    assert found.route in ("dosing", "emergency", "selfharm")
    assert not found.computed


@pytest.mark.parametrize("text", BODIES)
def test_a_symptom_in_a_question_about_a_meal_gets_no_numbers(text: str) -> None:
    found = answer(text)
    assert found.route in ("clarify", "emergency", "selfharm")
    assert "911" in found.text
    assert not found.computed


@pytest.mark.parametrize("text", UNCLEAR)
def test_an_amount_that_no_food_uses_is_asked_about(text: str) -> None:
    found = answer(text)
    assert found.route in ("clarify", "dosing")
    assert not found.computed


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("carbs in half of 200 g rice", "I read 100 g of White rice"),
        ("carbs in a quarter of a 400 g pizza", "I read 100 g of Pizza"),
        ("carbs in 3/4 of a 400 g pizza", "I read 300 g of Pizza"),
        ("carbs in 3 x 100 g rice", "I read 300 g of White rice"),
        ("carbs in a doughnut, 60 g", "I read 60 g of Doughnut"),
        ("carbs in 0.001 g of rice", "I read 0.001 g of White rice"),
    ],
)
def test_a_product_of_amounts_is_computed(text: str, read: str) -> None:
    assert read in answer(text).text


@pytest.mark.parametrize(
    "text",
    [
        "how do I bring my sugar down fast",
        "square wave for 200 g pizza?",
        "what's better for me, white or brown rice?",
        "150 g rice for me and my mother, curve?",
    ],
)
def test_words_of_a_question_are_no_foods(text: str) -> None:
    found = answer(text).text
    for food in ("Tuna", "Milk chocolate", "Egg white", "Breast milk"):
        assert food not in found


@pytest.mark.parametrize(
    "text",
    [
        "Is 100 g bread gluten free?",
        "is 100 g rice gluten-free?",
        "can my baby have 20 g honey?",
        "does 50 g chocolate contain nuts?",
    ],
)
def test_whether_a_food_is_safe_is_not_answered_with_a_curve(text: str) -> None:
    found = answer(text)
    assert not found.computed
    assert "do not know" in found.text
