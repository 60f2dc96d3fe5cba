"""Follow-ups that name foods of the meal before again keep the other foods, or ask."""

from __future__ import annotations

import pytest
from conversations import answer

MEAL = "carbs in 150 g rice and 200 g beans"


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (("make the beans 100 g",), ["150 g of White rice", "100 g of Baked beans"]),
        (("only 100 g rice",), ["100 g of White rice", "200 g of Baked beans"]),
        (("forget the beans",), ["150 g of White rice"]),
        (("halve the beans",), ["150 g of White rice", "100 g of Baked beans"]),
        (("make the beans 100 g", "and double the rice"), ["300 g of White rice", "100 g of"]),
        (("with a salad",), ["150 g of White rice", "200 g of Baked beans", "Salad"]),
        (("with a salad", "and dressing"), ["150 g of White rice", "Salad", "dressing"]),
    ],
)
def test_the_other_foods_stay(turns: tuple[str, ...], expected: list[str]) -> None:
    text = answer(MEAL, *turns).text
    assert [each for each in expected if each not in text] == []


@pytest.mark.parametrize("change", ["less beans", "more beans"])
def test_a_change_without_an_amount_is_asked_about(change: str) -> None:
    found = answer(MEAL, change)
    assert found.route == "clarify"
    assert change in found.text


@pytest.mark.parametrize(
    "text",
    [
        "carbs in 30% of a 500 g lasagna",
        "200 g rice if I eat only 3/4",
        "carbs in 200g rice without 50g",
        "2 eggs and 150 g tofurkey, how much protein?",
        "carbs in 1 banana and 300 g zonk",
    ],
)
def test_an_amount_that_would_go_to_another_food_is_asked_about(text: str) -> None:
    assert answer(text).route == "clarify"


@pytest.mark.parametrize(
    "text",
    ["should i cover 200 g pasta?", "carbs in 200 g pasta, ICR 8", "200 g pasta, how many U?"],
)
def test_terms_of_insulin_dosing_get_no_numbers(text: str) -> None:
    found = answer(text)
    assert found.route == "dosing"
    assert not found.computed


def test_waters_that_broke_are_an_emergency() -> None:
    assert answer("my waters broke, is 50 g muesli ok").route == "emergency"


@pytest.mark.parametrize(
    "text", ["does dandelion tea lower blood sugar?", "is guava water good for diabetes?"]
)
def test_another_remedy_is_not_quoted(text: str) -> None:
    assert answer(text).route == "nothing"
