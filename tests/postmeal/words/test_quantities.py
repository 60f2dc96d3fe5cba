"""Quantities are read from the words of a text alone, without a catalog of foods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.words.numbers import CARDINALS, ONES, PARTS, SCALES, TENS
from postmeal.words.plain import amount_text, with_cardinals, with_decimals
from postmeal.words.quantities import quantities
from postmeal.words.units import MASS_G, VOLUME_ML


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1/3rd cup", 1 / 3, "cup"),
        ("2/3rds cup rice", 2 / 3, "cup"),
        ("½ lb", 0.5, "lb"),
        ("1½ cups", 1.5, "cup"),
        ("a cup and a half of rice", 1.5, "cup"),
        ("two and a half cups", 2.5, "cup"),
        ("three quarters of a pint", 0.75, "pint"),
        ("2 x 330 ml", 660, "ml"),
        ("1,5 dl", 1.5, "dl"),
        ("12 fl. oz. of milk", 12, "fl oz"),
        ("1,200 g", 1200, "g"),
        ("2-3 ounces", 2.5, "ounce"),
        ("one to two hundred grams", 150, "gram"),
        ("between one and two hundred grams", 150, "gram"),
        ("an ounce of cheese", 1, "ounce"),
        ("3 dozen grapes", 36, ""),
        ("a couple of slices", 2, ""),
        ("half a dozen eggs", 6, ""),
        (".5 l", 0.5, "l"),
    ],
)
def test_a_quantity_has_a_value_and_a_unit(text: str, value: float, unit: str) -> None:
    (found,) = quantities(text)
    assert found.value == pytest.approx(value)
    assert found.unit == unit
    assert found.start == 0


def test_a_quantity_knows_its_place_in_the_text() -> None:
    text = "rice about a cup, no 2 eggs and 2-3 oz ham"
    rice, eggs, ham = quantities(text)
    assert [text[one.start : one.end] for one in (rice, eggs, ham)] == ["a cup", "2", "2-3 oz"]
    assert [one.is_approximate for one in (rice, eggs, ham)] == [True, False, False]
    assert [one.is_negated for one in (rice, eggs, ham)] == [False, True, False]
    assert (ham.low, ham.high) == (2, 3)


def test_pieces_of_a_stated_whole_are_a_share() -> None:
    (found,) = quantities("2 of the 6 slices")
    assert found.is_share
    assert found.value == pytest.approx(1 / 3)


@pytest.mark.parametrize("unit", sorted({*MASS_G, *VOLUME_ML}))
def test_a_mass_is_in_grams_and_a_volume_in_milliliters(unit: str) -> None:
    (found,) = quantities(f"2 {unit}")
    amount = found.mass_g if unit in MASS_G else found.volume_ml
    assert amount == pytest.approx(2 * (MASS_G | VOLUME_ML)[unit])


@pytest.mark.parametrize("text", ["the third slice", "one", "2026-11-21", "1/0 cup", "rice"])
def test_other_words_are_no_range_and_no_share(text: str) -> None:
    assert all(one.low == one.high and not one.is_share for one in quantities(text))


WORDS = [*CARDINALS, *TENS, *SCALES, *PARTS, "a", "and", "of", "the", "-", "to", "x", "1/2", "1,5",
         "½", "0", ".", "/", "e", "dozen", "couple", "between", "cup", "g", "fl", "oz", "than",
         "at", "least", "more", "²", "١"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=40))
def test_any_text_is_read_and_spans_do_not_overlap(text: str) -> None:
    found = quantities(text)
    ends = [0, *(one.end for one in found)]
    assert all(end <= one.start < one.end for end, one in zip(ends, found, strict=False))
    assert all(one.low <= one.high for one in found)
    amount_text(text)
    with_decimals(text)
    with_cardinals(text, least=10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my sugar is two hundred and five", "my sugar is 205"),
        ("six point five", "6.5"),
        ("two point oh", "2.0"),
        ("one of them, twenty five.", "one of them, 25."),
        ("a hundred and eighty", "180"),
    ],
)
def test_large_numbers_in_words_become_digits(text: str, expected: str) -> None:
    assert with_cardinals(text, least=10) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15 bean soup, a cup and a half", "bean soup, 1.5 cup"),
        ("a slice and a half avocado", "a slice and 0.5 avocado"),
        ("about 1 and half bowl", "about 1.5 bowl"),
        ("on 2026-11-21", "on 2026-11-21"),
        ("we lost 5-0", "we lost 5-0"),
        ("a bit more than 2 c of rice", "2 cup of rice"),
        ("2 oz. cheese", "2 oz cheese"),
        ("I ate 2 oz. The rest was rice", "i ate 2 oz. the rest was rice"),
        ("2 lb 3 oz beef", "35 oz beef"),
        ("50 percent", "50%"),
        ("zero eggs and zero sugar cola", "0 eggs and zero sugar cola"),
        ("12 grain bread", "grain bread"),
        ("five guys burger", "guys burger"),
        ("2 cheese sticks", "2 cheese sticks"),
        ("my g7 alarm", "my g7 alarm"),
        ("rice about a cup", "rice about 1 cup"),
        ("noodles in a cup", "noodles in a cup"),
        ("a 1/2 cup of rice", "0.5 cup of rice"),
    ],
)
def test_the_numbers_of_a_text_become_digits(text: str, expected: str) -> None:
    assert amount_text(text) == expected


def test_the_tables_state_each_number_once() -> None:
    tables = (CARDINALS, TENS, SCALES, PARTS)
    assert len({word for table in tables for word in table}) == sum(map(len, tables))
    assert set(ONES) < set(CARDINALS)
