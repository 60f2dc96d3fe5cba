"""Rounding where amounts are written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal import Nutrients
from postmeal.rounding import rounded

units = st.sampled_from(["mg/dL", "g", "mg", "kcal", "IU", "mcg"])


@pytest.mark.parametrize(
    ("amount", "expected"),
    [(112.3456789, 112.3), (112.35001, 112.4), (-3.26, -3.3), (0.0, 0.0), (0.06, 0.1),
     (0.05, 0.1), (0.04999, 0.05), (0.0412, 0.04), (-0.0412, -0.04), (400.0, 400.0)],
)  # fmt: skip
def test_glucose_is_rounded_to_a_tenth_and_never_to_zero(amount, expected):
    assert rounded(amount, "mg/dL") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("amount", "expected"),
    [(123.45678, 123.46), (12.3456, 12.35), (1.23456, 1.23), (0.98765, 0.988), (0.0123456, 0.0123),
     (0.000012345, 0.0000123), (0.0, 0.0), (1234567.891, 1234567.89), (1.0, 1.0)],
)  # fmt: skip
def test_nutrients_are_rounded_to_a_hundredth_or_to_three_significant_digits(amount, expected):
    assert rounded(amount, "g") == pytest.approx(expected, rel=1e-12)


@given(st.floats(-1e9, 1e9), units)
def test_rounding_is_close_keeps_the_sign_and_repeats_itself(amount, unit):
    found = rounded(amount, unit)
    assert abs(found - amount) <= max(0.0501 if unit == "mg/dL" else 0.00501, 1e-12)
    assert (found == 0) == (amount == 0)
    assert found == 0 or math.copysign(1, found) == math.copysign(1, amount)
    assert rounded(found, unit) == found


@given(st.floats(0, 1e6), st.floats(0, 1e6), units)
def test_rounding_keeps_the_order(one, other, unit):
    low, high = sorted([one, other])
    assert rounded(low, unit) <= rounded(high, unit)


def test_zero_has_no_sign_and_unknown_stays_unknown():
    assert math.copysign(1, rounded(-0.0, "mg/dL")) == 1
    assert math.isnan(rounded(math.nan, "g"))
    assert math.isnan(rounded(math.nan, "mg/dL"))


def test_nutrients_keep_their_precision_and_are_written_rounded():
    nutrients = Nutrients({"carbs_g": 27.123456, "iron_mg": 0.0123456})
    assert nutrients["carbs_g"] == 27.123456
    assert nutrients.rounded() == {"carbs_g": 27.12, "iron_mg": 0.0123}
