"""Lows in words that no rule lists get fast sugar, and similar harmless messages do not."""

from __future__ import annotations

import pytest
from conversations import answer


@pytest.mark.parametrize(
    "text",
    [
        "61 and wobbly, only have grapes",
        "my reader just buzzed, 3.4 going down, I'm at the cinema",
        "Fifty-seven after the gym. Which of my snacks first?",
        "my lad is type 1, he's 3.5 and wants crisps, is that alright?",
        "took my insulin, then the meeting ran over. shaky and sweating now",
        "had four glucose tabs ten minutes ago, still 62. more?",
        "how many dextrose tablets fix a low?",
        "is lemonade ok if I go low on the train?",
        "what should the school give my daughter when she goes low",
        "how long do I wait before checking again after treating a low",
    ],
)
def test_a_low_in_other_words_is_told_of_fast_sugar(text: str) -> None:
    found = answer(text)
    assert "needs fast sugar" in found.text
    assert "after 15 minutes" in found.text


@pytest.mark.parametrize(
    "text",
    [
        "how many carbs are in 62 g of muesli?",
        "which low fat yoghurt has the least sugar?",
        "my ferritin is low, which foods have iron?",
        "the scales say 63.5 kg, how much protein a day?",
        "sugar was 58 on Sunday, 121 now. what will 100 g rice do?",
        "bus 66 was late, so what is a quick dinner with few carbs?",
        "time in range is 64% this month, how do I raise it?",
        "how much sugar is in a can of cola?",
    ],
)
def test_a_harmless_message_with_similar_words_or_numbers_is_not(text: str) -> None:
    assert "fast sugar" not in answer(text).text


@pytest.mark.parametrize("text", ["41 and falling, help", "2.4, he is slurring and won't drink"])
def test_a_severe_low_without_words_for_glucose_is_an_emergency(text: str) -> None:
    assert answer(text).route == "emergency"


def test_a_low_in_other_words_stops_the_curve_of_the_next_message() -> None:
    found = answer("61 and wobbly", "what will 150 g rice do to my glucose?")
    assert found.route == "low_glucose"
