"""Numbers in words and in digits, in fractions and beyond all measure, mean the same amounts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.foods.language import parse_meal, read_meal
from postmeal.words.plain import amount_text


@pytest.mark.parametrize(
    ("in_words", "in_digits"),
    [
        ("forty grapes", "40 grapes"),
        ("twenty-five almonds", "25 almonds"),
        ("twenty to thirty almonds", "20 to 30 almonds"),
        ("twenty-four dozen crackers", "288 crackers"),
        ("two hundred and fifty grams of rice", "250 grams of rice"),
        ("a couple hundred grams of rice", "200 grams of rice"),
        ("two and a half hundred grams of rice", "250 grams of rice"),
        ("two thousand five hundred ml of milk", "2500 ml of milk"),
        ("one hundred thousand eggs", "100000 eggs"),
        ("1,000,000 to 2,000,000 eggs", "1500000 eggs"),
        ("a million billion eggs", "1000000000000000 eggs"),
        ("one hundred percent orange juice", "100% orange juice"),
        ("1/2.5 cups of rice", "0.4 cups of rice"),
        ("at least three eggs", "3 eggs"),
        ("one to two hundred grams of rice", "150 grams of rice"),
        ("three hundred to a thousand grams of rice", "650 grams of rice"),
        ("between one hundred and two hundred grams of rice", "150 grams of rice"),
        ("between 2 and 3 eggs", "2.5 eggs"),
        ("a bit less than a cup of rice", "a cup of rice"),
        ("no more than two slices of pizza", "2 slices of pizza"),
    ],
)
def test_a_number_in_words_or_with_a_bound_is_read_as_the_same_in_digits(
    catalog, in_words, in_digits
):
    said, written = (read_meal(text, catalog).detections for text in (in_words, in_digits))
    assert [one.selection for one in said] == [one.selection for one in written]
    assert len(said) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a thousand calories of pizza",
        "500 kcal of rice",
        "500 kj of rice",
        "500 kilocalories of rice",
    ],
)
def test_energy_is_no_count_of_a_food(catalog, text):
    assert read_meal(text, catalog).detections == ()
    with pytest.raises(InputError, match="matches no food"):
        parse_meal(text, catalog)


def test_a_number_that_is_part_of_a_name_counts_nothing(catalog):
    for text, weight_g in (("two thousand island dressings", 62), ("a hundred grand bar", 43)):
        (found,) = read_meal(text, catalog).detections
        assert found.selection.weight_g == pytest.approx(weight_g)


@pytest.mark.parametrize("number", ["1/0", "1 1/0", "0/0", "1000/0", "1/0.0"])
@pytest.mark.parametrize("foods", ["cups of rice", "eggs"])
def test_what_is_divided_by_zero_is_no_amount(catalog, number, foods):
    assert read_meal(f"{number} {foods}", catalog) == read_meal(f"some {foods}", catalog)
    with pytest.raises(InputError, match="must be a number above 0"):
        parse_meal(f"{number} {foods}", catalog)


ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
        "nineteen"]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS = ["a", "one", "2", "9e9", "1/0", "0.5", "half", "dozen", "hundred", "million", "and", "-"]


def spelled(number: int) -> str:
    """Spell a number from one to below a thousand million."""
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" {spelled(number % size)}" if number % size else ""
            return f"{spelled(number // size)} {name}{rest}"
    if number < 20:
        return ONES[number - 1]
    return TENS[number // 10 - 2] + (f"-{ONES[number % 10 - 1]}" if number % 10 else "")


@given(st.integers(1, 10**9 - 1))
@settings(max_examples=300)
def test_every_number_that_can_be_spelled_is_read(number):
    assert amount_text(f"{spelled(number)} eggs") == f"{number} eggs"


@given(st.lists(st.sampled_from(WORDS)))
@settings(max_examples=100)
def test_words_of_numbers_in_any_order_are_read_without_an_error(catalog, words):
    text = f"{' '.join(words)} eggs"
    assert read_meal(text, catalog) == read_meal(text, catalog)


@pytest.mark.parametrize(
    ("fraction", "cups"),
    [
        ("half a cup", 1 / 2),
        ("a third of a cup", 1 / 3),
        ("a quarter cup", 1 / 4),
        ("a fourth of a cup", 1 / 4),
        ("three fourths cup", 3 / 4),
        ("three quarters of a cup", 3 / 4),
        ("one and a quarter cups", 5 / 4),
        ("an eighth of a cup", 1 / 8),
    ],
)
def test_a_fraction_in_words_is_its_part_of_a_cup(catalog, fraction, cups):
    (cup,) = parse_meal("1 cup of milk", catalog)
    (part,) = parse_meal(f"{fraction} of milk", catalog)
    assert part.weight_g == pytest.approx(cups * cup.weight_g, rel=1e-5)
