"""Shares and multiples mean the same in a question, in a follow-up and before a food."""

from __future__ import annotations

import pytest
from conversations import answer

from postmeal.chat.amounts import factor_of, with_shares

SHARES = [
    ("half", 150),
    ("a third", 100),
    ("two thirds", 200),
    ("3/4", 225),
    ("three fifths", 180),
    ("2 of the 6 slices", 100),
]


@pytest.mark.parametrize(("share", "grams"), SHARES)
def test_a_share_of_a_weight_is_read_in_a_question(share: str, grams: int) -> None:
    assert f"I read {grams} g of Lasagna" in answer(f"carbs in {share} of a 300 g lasagna").text


@pytest.mark.parametrize(("share", "grams"), SHARES)
def test_the_same_share_is_read_in_a_follow_up(share: str, grams: int) -> None:
    found = answer("carbs in 300 g lasagna", f"and {share} of it?")
    assert f"I read {grams} g of Lasagna" in found.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two thirds of a pizza", "0.666667 pizza"),
        ("2 of the 6 slices of a pizza", "0.333333 pizza"),
        ("2 of the 6 slices of the bread", "2 slices of bread"),
        ("2 of the 6 slices of the whole pizza", "0.333333 pizza"),
        ("half of an 8 oz steak", "4 oz steak"),
        ("twice 100 g rice", "200 g rice"),
        ("two and a half cups of rice", "two and a half cups of rice"),
        ("the third of these", "the third of these"),
    ],
)
def test_a_share_of_a_food_becomes_its_amount(text: str, expected: str) -> None:
    assert with_shares(text) == expected


def test_a_share_in_words_equals_the_share_in_digits() -> None:
    assert factor_of("three quarters") == factor_of("3/4") == factor_of("3 of the 4 pieces")


def test_make_it_half_halves_the_only_food() -> None:
    assert "I read 100 g of White rice" in answer("carbs in 200 g rice", "make it half").text


def test_a_count_of_pieces_behind_a_whole_is_asked_about() -> None:
    found = answer("A pizza has 8 slices and I ate 3. carbs?")
    assert found.route == "clarify"
    assert "ate 3" in found.text
