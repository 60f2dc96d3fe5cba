"""One piece of a food has one weight, however the meal text is read."""

import pytest

from postmeal import parse_meal, read_meal

COUNTS = (("1 {}", 1), ("a {}", 1), ("{}", 1), ("3 {}s", 3), ("half a {}", 0.5))


@pytest.mark.parametrize("name", ["banana", "apple", "orange", "pear", "kiwi"])
def test_a_piece_is_the_medium_piece_of_the_catalog(catalog, name):
    piece = catalog.everyday(name).default_serving
    for text, count in COUNTS:
        [read] = parse_meal(text.format(name), catalog)
        assert read.weight_g == pytest.approx(count * piece.weight_g), text


def test_one_banana_is_the_serving_that_the_catalog_calls_medium(catalog):
    [banana] = read_meal("1 banana", catalog).detections
    assert (banana.selection.serving.id, banana.selection.quantity) == (6, 1)


@pytest.mark.parametrize(("text", "grams"), [("1 small banana", 101), ("1 cup banana", 150)])
def test_a_stated_size_or_measure_still_counts(catalog, text, grams):
    [detection] = read_meal(text, catalog).detections
    assert detection.selection.weight_g == pytest.approx(grams, rel=0.01)
