"""Lengths and masses as people write them."""

import pytest

from postmeal import InputError
from postmeal.units import parse_length_cm, parse_mass_kg


@pytest.mark.parametrize(
    "text",
    ["66in", "66 inches", "5'6", "5'6\"", "5ft6", "5 ft 6 in", "5 feet 6 inches", "167.64 cm",
     "1.6764 m", "167.64 centimeters"],
)  # fmt: skip
def test_a_length_is_read_however_it_is_written(text):
    assert parse_length_cm(text) == pytest.approx(167.64)


@pytest.mark.parametrize(
    "text", ["150lb", "150 lbs", "150 pounds", "68.0388555 kg", "68.0388555 kilos"]
)
def test_a_mass_is_read_however_it_is_written(text):
    assert parse_mass_kg(text) == pytest.approx(68.0388555)


@pytest.mark.parametrize("text", ["168", "-168cm", "5'13", "tall", "", "168 lb"])
def test_a_length_without_a_unit_or_meaning_is_refused(text):
    with pytest.raises(InputError, match=r"^height"):
        parse_length_cm(text)


@pytest.mark.parametrize("text", ["68", "-68kg", "heavy", "68 cm"])
def test_a_mass_without_a_unit_or_meaning_is_refused(text):
    with pytest.raises(InputError, match=r"^weight"):
        parse_mass_kg(text)
