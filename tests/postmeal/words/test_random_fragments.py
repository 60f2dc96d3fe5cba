"""Texts made of random fragments of amounts are read or refused, never an unexpected error."""

import contextlib
import random

import pytest

from postmeal import InputError, parse_meal, read_meal
from postmeal.scans import correct, scan_text

FRAGMENTS = (
    *("9" * 400, "1e999", "1e3", "1/0", "0/0", "1/3", "½", "2 1/2", "-1", "١٢", "²", "1,000", "0"),
    *("1.000,5", "0.0", "1e", "nan", "million", "dozen", "half", "a", "and", "to", "-", "–", "/"),
    *("x", "×", "2x", "of", "g", "ml", "cup", "slices", "rice", "bread", "milk", "with", "without"),
    *("no", "each", "respectively", ".", ",", ";", "(", ")", "%", "between", "twenty-one", "1½"),
    *("\u200b", "🍕", "3-4", "times", "instead", "my coffee had", "only ate", "half of it"),
)


@pytest.mark.sampled(cases=5000)
def test_random_fragments_of_amounts_are_read_or_refused(catalog, cases):
    chance = random.Random(11)
    scan = scan_text("100 g rice and 2 eggs with milk", catalog)
    for _ in range(cases):
        parts = (
            chance.choice(FRAGMENTS) + chance.choice("  ,-/")
            for _ in range(chance.randrange(1, 14))
        )
        text = "".join(parts)
        read_meal(text, catalog)
        for read in (parse_meal, lambda text, catalog: correct(scan, text, catalog)):
            with contextlib.suppress(InputError):
                read(text, catalog)


@pytest.mark.parametrize(
    "text", ["9" * 400, f"{'9' * 400} g rice", f"{'9' * 300} million cups of milk"]
)
def test_a_number_of_hundreds_of_digits_is_no_amount(catalog, text):
    meal = read_meal(text, catalog)
    assert meal.unread or all(detection.selection.weight_g < 5000 for detection in meal.detections)


def test_a_correction_to_0_ml_is_left_unread(catalog):
    scan = scan_text("1 cup of milk", catalog)
    assert correct(scan, "only 0 ml milk", catalog).unread == ("only 0 ml milk",)
