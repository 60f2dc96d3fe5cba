"""The same words mean the same grams in a meal text, in a strict reading and in the chat."""

import pytest
from conversations import answer

from postmeal import Catalog, InputError, parse_meal, read_meal


@pytest.mark.parametrize(
    "text",
    [
        "1/2 lb chicken breast",
        "3 dozen grapes",
        "two and a half cups of cooked rice",
        "a couple of slices of toast",
        "1/3rd of a pizza",
        "a cup and a half of cooked rice",
        "2 x 150 g yogurt",
        "cooked rice, a cup",
    ],
)
def test_the_readers_find_the_same_grams(catalog: Catalog, text: str) -> None:
    read = [detection.selection for detection in read_meal(text, catalog).detections]
    assert parse_meal(text, catalog) == read
    (food,) = read
    assert f"I read {food.weight_g:.0f} g of {food.food.name}" in answer(f"carbs in {text}").text


def test_an_amount_that_only_one_reader_could_guess_is_refused_by_the_others(
    catalog: Catalog,
) -> None:
    (rice,) = read_meal("rice, 150", catalog).detections
    assert rice.implausible
    with pytest.raises(InputError, match="'rice'; people eat at most about"):
        parse_meal("rice, 150", catalog)
    found = answer("carbs in rice, 150")
    assert found.route == "clarify"
    assert "“150”" in found.text
