"""Glucose readings are read with their unit."""

from __future__ import annotations

import pytest
from conversations import answer

from postmeal.chat.readings import readings


@pytest.mark.parametrize(
    ("text", "mg_dl"),
    [
        ("my sugar is 42", 42),
        ("sensor says 2.3 mmol/l", 41),
        ("bg 310 mg/dl since noon", 310),
        ("i'm at 240 right now", 240),
        ("glucose: 16,5 mmol/l", 297),
    ],
)
def test_a_reading_is_found_in_either_unit(text: str, mg_dl: float) -> None:
    (reading,) = readings(text)
    assert reading.mg_dl is not None
    assert round(reading.mg_dl) == mg_dl


@pytest.mark.parametrize(
    "text",
    ["150 g of rice", "i'm 42 years old", "my a1c is 7.2", "it raised me by 40 mg/dl", "0 mg"],
)
def test_other_numbers_are_no_readings(text: str) -> None:
    assert readings(text) == ()


def test_minutes_that_are_asked_for_are_no_reading() -> None:
    assert readings("what will rice do to my glucose at 30, 60 and 90 minutes?") == ()


@pytest.mark.parametrize(
    "text",
    [
        "my glucose is 42 and 60 minutes ago it was 90",
        "my sugar is at 45, 30 minutes after eating",
        "will i be ok, my glucose is at 42 and 30 minutes ago it was 60",
    ],
)
def test_a_low_reading_before_minutes_stays_a_reading(text: str) -> None:
    assert readings(text)[0].said < 54


def test_a_reading_that_could_be_in_both_units_is_asked_back() -> None:
    found = answer("my glucose is 7.2")
    assert found.route == "clarify"
    assert "mmol/L or mg/dL" in found.text


def test_a_low_reading_is_repeated_in_both_units() -> None:
    assert "2.3 mmol/L (41 mg/dL)" in answer("my glucose is 2.3 mmol/L").text
