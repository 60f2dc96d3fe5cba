"""Short follow-ups change the meal before, or are asked about."""

from __future__ import annotations

import pytest
from conversations import answer


@pytest.mark.parametrize(
    ("first", "second", "read"),
    [
        ("carbs in 150 g rice?", "how about 200 g?", "I read 200 g of White rice, cooked."),
        ("carbs in 150 g rice?", "make it 200 g", "I read 200 g of White rice, cooked."),
        ("carbs in 150 g rice?", "sorry, 200 g", "I read 200 g of White rice, cooked."),
        ("carbs in 150 g rice?", "half", "I read 75 g of White rice, cooked."),
        ("carbs in 150 g rice?", "and 3 times that?", "I read 450 g of White rice, cooked."),
        ("carbs in 150 g rice and 100 g chicken?", "skip the rice", "I read 100 g of Chicken"),
        ("carbs in 150 g rice and 10 g butter?", "no butter", "I read 150 g of White rice"),
        (
            "carbs in 150 g rice and 100 g chicken?",
            "replace the rice with 150 g lentils",
            "I read 150 g of Lentils, cooked and 100 g of Chicken breast.",
        ),
        ("150 g rice curve?", "and for type 2?", "with type 2 diabetes"),
        ("150 g rice curve?", "and at dinner?", "at 19:00"),
    ],
)
def test_a_follow_up_changes_the_meal_before(first: str, second: str, read: str) -> None:
    assert read in answer(first, second).text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("carbs in 150 g rice?", "is it 42?"),
        ("carbs in 200 g sweet potato?", "and 100?"),
        ("2 tacos, curve?", "what if I had 3?"),
        ("3 eggs and 2 slices of toast, carbs?", "one of the eggs was left over"),
        ("200 g rice, curve?", "20% more"),
        ("carbs in 150 g rice?", "total?"),
        ("150 g rice or 150 g lentils?", "and the second with butter?"),
        ("carbs in 150 g rice and 100 g chicken?", "make it 200 g"),
    ],
)
def test_an_unclear_follow_up_is_asked_about(first: str, second: str) -> None:
    assert answer(first, second).route == "clarify"


@pytest.mark.parametrize(
    "text",
    [
        "compare 100 g white rice with 100 g brown rice",
        "compare apple and banana",
        "rank for glucose: 100 g grapes, 100 g banana, 100 g blueberries",
    ],
)
def test_foods_of_a_comparison_are_not_added_up(text: str) -> None:
    assert "against" in answer(text).sentences[0].text


def test_options_of_a_comparison_have_their_amounts() -> None:
    assert "the lower one follows 100 g of White rice" in answer("100 g rice vs 200 g rice?").text
    found = answer("150 g rice, 100 g bread or 200 g potatoes: which is best?")
    assert len(found.computed) == 3


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("I have type 2, my mother has type 1. What will 150 g rice do to me?", "type 2 diabetes"),
        ("I have had type 2 for 25 years. What will 150 g rice do?", "45-year-old"),
        ("I'm 25 and want 150 g rice at 7 pm, peak?", "at 19:00"),
        ("what will 150 g rice do at 180 min?", "no value after 180 minutes"),
    ],
)
def test_facts_belong_to_the_person_who_eats(text: str, described: str) -> None:
    assert described in answer(text).text


def test_a_child_gets_nutrients_and_no_curve() -> None:
    found = answer("a 5 year old girl eats 150 g rice. curve?")
    assert "g of carbohydrate" in found.text
    assert "mg/dL" not in found.text
    assert "under 18" in found.text


@pytest.mark.parametrize(
    ("turns", "read"),
    [
        (
            ("100 g rice instead of 200 g potatoes, how high?",),
            "I read 100 g of White rice, cooked.",
        ),
        (
            ("my husband had 200 g potatoes, I had 100 g rice. how high will I go?",),
            "I read 100 g of White rice, cooked.",
        ),
        (("100 g pasta, how high?", "same but with 300 g"), "I read 300 g of Pasta"),
        (
            ("150 g rice and 100 g chicken?", "and if it's brown rice"),
            "I read 150 g of Brown rice, cooked and 100 g of Chicken breast",
        ),
        (("a bagel with cream cheese?", "only half of it and an egg"), "and 50 g of Egg"),
        (
            ("150 g rice and a glass of orange juice, carbs?", "swap the juice for milk"),
            "I read 150 g of White rice, cooked and 248 g of Milk",
        ),
        (
            ("2 slices of toast with jam?", "peanut butter instead of the jam"),
            "20 g of Peanut butter",
        ),
    ],
)
def test_replaced_foods_and_those_of_others_do_not_count(turns: tuple[str, ...], read: str) -> None:
    assert read in answer(*turns).text
