"""Lengths and masses as people write them."""

import math

import pytest

from postmeal import InputError
from postmeal.units import (
    FASTING_GLUCOSE,
    GLUCOSE,
    HBA1C,
    MG_DL_PER_MMOL_L,
    length_cm,
    mass_kg,
    parse_length_cm,
    parse_mass_kg,
)

INCH_CM, POUND_KG = 2.54, 0.45359237
"""By definition: International Yard and Pound Agreement, 1959."""
MASSES_OF_ATOMS = {"C": 12.011, "H": 1.008, "O": 15.999}
"""IUPAC, abridged standard atomic weights."""


@pytest.mark.parametrize(
    "text",
    ["66in", "66 inches", "66 inch", "66 IN", " 66in ", "5'6", "5'6\"", "5' 6''", "5ft6", "5FT6",
     "5 ft 6 in", "5 feet 6 inches", "5 foot 6 inch", " 5'6 ", "5'6.0", "167.64 cm", "167.64CM",
     "1.6764 m", "1.6764 meters", "1.6764 meter", "1.6764 metre", "1.6764 metres",
     "167.64 centimeters", "167.64 centimeter", "167.64 centimetre", "167.64 centimetres"],
)  # fmt: skip
def test_a_length_is_read_however_it_is_written(text):
    assert parse_length_cm(text) == pytest.approx(66 * INCH_CM)


@pytest.mark.parametrize(
    ("text", "inches"),
    [("5'", 60), ("6ft", 72), ("5'0", 60), ("5'9", 69), ("5'10", 70), ("5'11", 71),
     ("5'11.75", 71.75), ("4 ft 2.5 in", 50.5), ("10ft", 120)],
)  # fmt: skip
def test_a_foot_has_twelve_inches(text, inches):
    assert parse_length_cm(text) == pytest.approx(inches * INCH_CM)


@pytest.mark.parametrize(
    "text",
    ["150lb", "150 lbs", "150 LB", " 150lb ", "150 pound", "150 pounds", "68.0388555 kg",
     "68.0388555kgs", "68.0388555 kilo", "68.0388555 kilos", "68.0388555 kilogram",
     "68.0388555 Kilograms"],
)  # fmt: skip
def test_a_mass_is_read_however_it_is_written(text):
    assert parse_mass_kg(text) == pytest.approx(150 * POUND_KG)


@pytest.mark.parametrize(
    "text", ["168", "-168cm", "5'12", "5'13", "5.5'6", "tall", "", "168 cm 3", "1,68 m", "cm 168"]
)
def test_a_length_without_a_unit_or_meaning_is_refused(text):
    with pytest.raises(InputError) as caught:
        parse_length_cm(text)
    assert caught.value.field == "height"
    assert str(caught.value) == (
        f"height must be a number with the unit in, cm or m, such as 66in or 168cm, got {text!r}"
    )


@pytest.mark.parametrize("text", ["68", "-68kg", "heavy", "", "68 kg 5", "10st 7"])
def test_a_mass_without_a_unit_or_meaning_is_refused(text):
    with pytest.raises(InputError) as caught:
        parse_mass_kg(text)
    assert caught.value.field == "weight"
    assert str(caught.value) == (
        f"weight must be a number with the unit lb or kg, such as 150lb or 68kg, got {text!r}"
    )


@pytest.mark.parametrize(("unit", "factor"), [("cm", 1), ("in", INCH_CM), ("m", 100)])
def test_a_length_is_converted_to_centimeters(unit, factor):
    assert length_cm(3.0, unit) == pytest.approx(3 * factor)
    assert length_cm(0.0, unit) == 0


@pytest.mark.parametrize(("unit", "factor"), [("kg", 1), ("lb", POUND_KG)])
def test_a_mass_is_converted_to_kilograms(unit, factor):
    assert mass_kg(3.0, unit) == pytest.approx(3 * factor)
    assert mass_kg(0.0, unit) == 0


@pytest.mark.parametrize("unit", ["ft", "CM", "", None, ["cm"]])
def test_a_unit_that_is_not_of_length_is_refused_with_those_that_are(unit):
    with pytest.raises(InputError, match="must be one of: cm, in, m; got") as caught:
        length_cm(168, unit)
    assert caught.value.field == "height.unit"
    assert caught.value.__cause__ is None
    with pytest.raises(InputError, match="waist"):
        length_cm(168, unit, "waist")


@pytest.mark.parametrize("unit", ["g", "KG", "", None, ["kg"]])
def test_a_unit_that_is_not_of_mass_is_refused_with_those_that_are(unit):
    with pytest.raises(InputError, match="must be one of: kg, lb; got") as caught:
        mass_kg(68, unit)
    assert caught.value.field == "weight.unit"
    with pytest.raises(InputError, match="load"):
        mass_kg(68, unit, "load")


def test_the_text_of_another_quantity_is_refused_by_its_unit():
    said = "^height must be a number with the unit in, cm or m, such as 66in or 168cm, got '168 po"
    with pytest.raises(InputError, match=said):
        parse_length_cm("168 pounds")
    said = "^weight must be a number with the unit lb or kg, such as 150lb or 68kg, got '68 centim"
    with pytest.raises(InputError, match=said):
        parse_mass_kg("68 centimeters")


@pytest.mark.parametrize("parse", [parse_length_cm, parse_mass_kg])
@pytest.mark.parametrize("text", ["much", "3 furlongs"])
def test_an_error_names_the_field_of_the_caller(parse, text):
    with pytest.raises(InputError, match=r"^waist "):
        parse(text, "waist")


def test_a_millimole_of_glucose_in_a_liter_is_its_molar_mass_in_a_tenth():
    """C6H12O6; the mass in 1 dL is a tenth of that in 1 L."""
    grams_per_mole = sum(
        number * MASSES_OF_ATOMS[atom] for atom, number in {"C": 6, "H": 12, "O": 6}.items()
    )
    assert pytest.approx(grams_per_mole / 10, rel=5e-5) == MG_DL_PER_MMOL_L


@pytest.mark.parametrize(
    ("quantity", "value", "unit", "expected"),
    [
        (GLUCOSE, 20, "mg/dL", 20.0),
        (GLUCOSE, 600, "mg/dL", 600.0),
        (GLUCOSE, 5.5, "mmol/L", 5.5 * MG_DL_PER_MMOL_L),
        (FASTING_GLUCOSE, 40, "mg/dL", 40.0),
        (FASTING_GLUCOSE, 27.7, "mmol/L", 27.7 * MG_DL_PER_MMOL_L),
        (HBA1C, 3, "%", 3.0),
        (HBA1C, 20, "%", 20.0),
    ],
)
def test_a_measured_value_is_converted_to_its_first_unit(quantity, value, unit, expected):
    assert quantity.convert(value, unit, "value") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("mmol_mol", "percent"), [(20, 4.0), (31, 5.0), (42, 6.0), (48, 6.5), (53, 7.0), (75, 9.0)]
)
def test_hba1c_agrees_with_the_published_table_of_the_two_scales(mmol_mol, percent):
    """Pairs of the table of NGSP and IFCC, which rounds to 0.1 percent."""
    assert HBA1C.convert(mmol_mol, "mmol/mol", "value") == pytest.approx(percent, abs=0.051)


@pytest.mark.parametrize(
    ("quantity", "value", "unit", "problem"),
    [
        (GLUCOSE, 19.9, "mg/dL", "20 to 600 mg/dL; the value seems to be in mmol/L, got 19.9"),
        (GLUCOSE, 1.1, "mg/dL", "20 to 600 mg/dL, got 1.1"),
        (GLUCOSE, 1.11, "mmol/L", "1.12 to 33.3 mmol/L, got 1.11"),
        (GLUCOSE, 33.4, "mmol/L", "1.12 to 33.3 mmol/L; the value seems to be in mg/dL, got 33.4"),
        (GLUCOSE, math.nan, "mg/dL", "20 to 600 mg/dL, got nan"),
        (GLUCOSE, math.inf, "mmol/L", "1.12 to 33.3 mmol/L, got inf"),
        (FASTING_GLUCOSE, 501, "mg/dL", "40 to 500 mg/dL, got 501"),
        (HBA1C, 20.1, "%", "3 to 20 %; the value seems to be in mmol/mol, got 20.1"),
        (HBA1C, 2.9, "%", "3 to 20 %, got 2.9"),
        (HBA1C, 9, "mmol/mol", "9.27 to 195.1 mmol/mol; the value seems to be in %, got 9"),
    ],
)
def test_a_value_out_of_range_is_refused_with_the_unit_it_seems_to_be_in(
    quantity, value, unit, problem
):
    with pytest.raises(InputError) as caught:
        quantity.convert(value, unit, "value")
    assert str(caught.value) == f"value must be {problem}"


def test_a_unit_of_something_else_and_a_text_are_refused():
    with pytest.raises(InputError, match=r"a\.unit must be one of: mg/dL, mmol/L; got '%'"):
        GLUCOSE.convert(100, "%", "a")
    with pytest.raises(InputError, match="a must be a number"):
        GLUCOSE.convert("100", "mg/dL", "a")


@pytest.mark.parametrize(
    ("quantity", "text", "expected"),
    [
        (GLUCOSE, "105mg/dL", 105.0),
        (GLUCOSE, " 105 MG/DL ", 105.0),
        (GLUCOSE, "5 mmol/l", 5 * MG_DL_PER_MMOL_L),
        (HBA1C, "5.6%", 5.6),
        (HBA1C, "5.6 %", 5.6),
        (HBA1C, "48mmol/mol", 0.09148 * 48 + 2.152),
    ],
)
def test_a_measured_value_is_read_with_its_unit(quantity, text, expected):
    assert quantity.parse(text, "value") == pytest.approx(expected)


@pytest.mark.parametrize("text", ["105", "mg/dL", "105 g", "-105mg/dL", "105mg/dL5", "", None, 105])
def test_a_measured_value_without_a_unit_is_refused(text):
    with pytest.raises(InputError, match="value must be a number with the unit mg/dL or mmol/L"):
        GLUCOSE.parse(text, "value")
