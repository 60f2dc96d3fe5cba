"""The units and sizes that published measures name."""

import pytest

from postmeal.foods.portions.measure import measures_of
from postmeal.foods.portions.own_servings import known_measures
from postmeal.foods.table import Portion


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("cup, NFS", ("rice",), [("cup", "")]),
        ("medium or regular slice", ("bread",), [("slice", "medium"), ("slice", "regular")]),
        ("piece/slice, any size", ("cake",), [("piece", ""), ("slice", "")]),
        ("banana", ("banana", "raw"), [("", "")]),
        ("sandwich", ("tuna", "sandwich"), [("sandwich", ""), ("", "")]),
        ("can (12 fl oz)", ("beer",), [("can", "")]),
        ("small drink", ("cola",), [("drink", "small"), ("", "small")]),
        ("Quantity not specified", ("rice",), [("usual", "")]),
        ("serving 1/2 cup", ("ice", "cream"), [("serving", "")]),
    ],
)
def test_a_measure_names_its_units_and_sizes(text, name, expected):
    assert [(m.unit, m.size) for m in measures_of(text, name)] == expected


@pytest.mark.parametrize(
    "text",
    ["oz, raw, yields", "Guideline amount on sandwich", "fl oz (with ice)", "cup, estimated"],
)
def test_measures_that_nobody_counts_in_are_left_out(text):
    assert measures_of(text, ("food",)) == ()


def test_the_plain_size_is_the_one_of_the_usual_amount():
    sizes = (Portion(3, 1, "small", 360), Portion(4, 1, "medium", 480))
    assert known_measures("Coffee, brewed", sizes, 360.0)["", ""] == pytest.approx(360)
    assert known_measures("Coffee, brewed", sizes, None)["", ""] == pytest.approx(480)


def test_several_units_of_a_serving_are_divided():
    assert known_measures("Crackers", [Portion(2, 5, "crackers", 15.0)], None)["", ""] == 3.0
