"""Units of length, mass and glucose, and their conversions.

Internally, lengths are in centimeters, body mass is in kilograms, food mass is in grams and glucose
is in mg/dL. The functions in this module convert values in other units. The conversion factors of
the inch and the pound are exact by definition (International Yard and Pound Agreement, 1959). The
factor of 18.016 mg/dL per mmol/L follows from the molar mass of glucose, 180.16 g/mol.
"""

from __future__ import annotations

import re
from numbers import Real

from postmeal.arguments import check_type
from postmeal.errors import InputError

__all__ = [
    "CM_PER_INCH",
    "KG_PER_POUND",
    "MG_DL_PER_MMOL_L",
    "length_cm",
    "mass_kg",
    "parse_length_cm",
    "parse_mass_kg",
]

CM_PER_INCH = 2.54
KG_PER_POUND = 0.45359237
MG_DL_PER_MMOL_L = 18.016

_CM = {"cm": 1.0, "in": CM_PER_INCH, "m": 100.0}
_KG = {"kg": 1.0, "lb": KG_PER_POUND}
_SPELLED = {
    "inch": "in", "inches": "in", "centimeter": "cm", "centimeters": "cm", "centimetre": "cm",
    "centimetres": "cm", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "lbs": "lb",
    "pound": "lb", "pounds": "lb", "kgs": "kg", "kilo": "kg", "kilos": "kg", "kilogram": "kg",
    "kilograms": "kg",
}  # fmt: skip
_NUMBER_AND_UNIT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.IGNORECASE)
_FEET = re.compile(
    r"\s*(\d+)\s*(?:ft|feet|foot|')\s*"
    r"(?:((?:\d|1[01])(?:\.\d+)?)\s*(?:inch(?:es)?|in|\"|'')?)?\s*",
    re.IGNORECASE,
)


def length_cm(value: float, unit: str, field: str = "height") -> float:
    """Convert a length to centimeters.

    Parameters
    ----------
    value : float
        The length in the given unit.
    unit : {"cm", "in", "m"}
        Unit of the length.
    field : str, default="height"
        Field name for error messages.

    Returns
    -------
    float
        The length in centimeters.

    Raises
    ------
    InputError
        The unit is not supported.

    Examples
    --------
    >>> round(length_cm(66, "in"), 2)
    167.64
    """
    return _number(value, field) * _factor(_CM, unit, field)


def mass_kg(value: float, unit: str, field: str = "weight") -> float:
    """Convert a body mass to kilograms.

    Parameters
    ----------
    value : float
        The mass in the given unit.
    unit : {"kg", "lb"}
        Unit of the mass.
    field : str, default="weight"
        Field name for error messages.

    Returns
    -------
    float
        The mass in kilograms.

    Raises
    ------
    InputError
        The unit is not supported.

    Examples
    --------
    >>> round(mass_kg(150, "lb"), 3)
    68.039
    """
    return _number(value, field) * _factor(_KG, unit, field)


def parse_length_cm(text: str, field: str = "height") -> float:
    """Parse a length such as ``66in``, ``168 cm``, ``1.68 m``, ``5ft6`` or ``5'6"``.

    Parameters
    ----------
    text : str
        The length with its unit.
    field : str, default="height"
        Field name for error messages.

    Returns
    -------
    float
        The length in centimeters.

    Raises
    ------
    InputError
        The text is not a number with a supported unit.

    Examples
    --------
    >>> round(parse_length_cm("66in"), 2)
    167.64
    >>> round(parse_length_cm("5'6"), 2)
    167.64
    """
    if not isinstance(text, str):
        raise InputError(field, "must be a str such as 66in or 168cm", text)
    if match := _FEET.fullmatch(text):
        return (12 * float(match[1]) + float(match[2] or 0)) * CM_PER_INCH
    if match := _NUMBER_AND_UNIT.fullmatch(text):
        unit = _SPELLED.get(match[2].lower(), match[2].lower())
        if unit in _CM:
            return length_cm(float(match[1]), unit, field)
    raise InputError(
        field, "must be a number with the unit in, cm or m, such as 66in or 168cm", text
    )


def parse_mass_kg(text: str, field: str = "weight") -> float:
    """Parse a body mass such as ``150lb`` or ``68 kg``.

    Parameters
    ----------
    text : str
        The mass with its unit.
    field : str, default="weight"
        Field name for error messages.

    Returns
    -------
    float
        The mass in kilograms.

    Raises
    ------
    InputError
        The text is not a number with a supported unit.

    Examples
    --------
    >>> round(parse_mass_kg("150 lbs"), 3)
    68.039
    """
    if not isinstance(text, str):
        raise InputError(field, "must be a str such as 150lb or 68kg", text)
    if match := _NUMBER_AND_UNIT.fullmatch(text):
        unit = _SPELLED.get(match[2].lower(), match[2].lower())
        if unit in _KG:
            return mass_kg(float(match[1]), unit, field)
    raise InputError(field, "must be a number with the unit lb or kg, such as 150lb or 68kg", text)


def _number(value: float, field: str) -> float:
    # The concrete types come first, because checks against abstract classes are slower.
    check_type(field, value, (float, int, Real), "must be a number")
    return value


def _factor(factors: dict[str, float], unit: str, field: str) -> float:
    try:
        return factors[unit]
    except (KeyError, TypeError):
        raise InputError(f"{field}.unit", "must be one of", unit, allowed=factors) from None
