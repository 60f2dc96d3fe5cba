"""Units of length, mass, glucose and HbA1c, and their conversions.

Internally, lengths are in centimeters, body mass is in kilograms, food mass is in grams, glucose is
in mg/dL and HbA1c is in percent (NGSP). The functions in this module convert values in other units.
The conversion factors of the inch and the pound are exact by definition (International Yard and
Pound Agreement, 1959). The factor of 18.016 mg/dL per mmol/L follows from the molar mass of
glucose, 180.16 g/mol. HbA1c in percent is 0.09148 times HbA1c in mmol/mol (IFCC) plus 2.152
(Hoelzel et al. 2004, doi:10.1373/clinchem.2003.024802).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TypeVar

from postmeal.arguments import check_type
from postmeal.errors import InputError

__all__ = [
    "CM_PER_INCH",
    "FASTING_GLUCOSE",
    "GLUCOSE",
    "HBA1C",
    "KG_PER_POUND",
    "MG_DL_PER_MMOL_L",
    "Quantity",
    "length_cm",
    "mass_kg",
    "parse_length_cm",
    "parse_mass_kg",
]

CM_PER_INCH = 2.54
KG_PER_POUND = 0.45359237
MG_DL_PER_MMOL_L = 18.016

Factor = TypeVar("Factor")

_CM = {"cm": 1.0, "in": CM_PER_INCH, "m": 100.0}
_KG = {"kg": 1.0, "lb": KG_PER_POUND}
_SPELLED = {
    "inch": "in", "inches": "in", "centimeter": "cm", "centimeters": "cm", "centimetre": "cm",
    "centimetres": "cm", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "lbs": "lb",
    "pound": "lb", "pounds": "lb", "kgs": "kg", "kilo": "kg", "kilos": "kg", "kilogram": "kg",
    "kilograms": "kg",
}  # fmt: skip
_NUMBER_AND_UNIT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.IGNORECASE)
_VALUE_AND_UNIT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z/%]+)\s*", re.IGNORECASE)
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


def _factor(factors: Mapping[str, Factor], unit: str, field: str) -> Factor:
    try:
        return factors[unit]
    except (KeyError, TypeError):
        raise InputError(f"{field}.unit", "must be one of", unit, allowed=factors) from None


@dataclass(frozen=True)
class Quantity:
    """A quantity that laboratories and meters measure in one of two units.

    Attributes
    ----------
    low, high : float
        Lowest and highest accepted value in the first unit.
    units : mapping of str to (float, float)
        Slope and intercept that convert a value in each unit to the first unit.
    """

    low: float
    high: float
    units: Mapping[str, tuple[float, float]]

    def convert(self, value: float, unit: str, field: str) -> float:
        """Check a value, and convert it to the first unit.

        Parameters
        ----------
        value : float
            The value in the given unit.
        unit : str
            One of `units`.
        field : str
            Field name for error messages.

        Returns
        -------
        float
            The value in the first unit.

        Raises
        ------
        InputError
            The unit is not supported, or the value is out of range. If it would be in range in the
            other unit, the message states this.

        Examples
        --------
        >>> round(GLUCOSE.convert(5.5, "mmol/L", "reading"), 1)
        99.1
        >>> round(HBA1C.convert(38, "mmol/mol", "hba1c"), 1)
        5.6
        >>> HBA1C.convert(55, "%", "a1c")
        Traceback (most recent call last):
            ...
        postmeal.errors.InputError: a1c must be 3 to 20 %; the value seems to be in mmol/mol, got 55
        """
        slope, intercept = _factor(self.units, unit, field)
        converted = slope * _number(value, field) + intercept
        if self.low <= converted <= self.high:
            return converted
        low, high = self._limits(unit)
        problem = f"must be {low:g} to {high:g} {unit}"
        for other in self.units:
            least, most = self._limits(other)
            if least <= value <= most:
                problem += f"; the value seems to be in {other}"
        raise InputError(field, problem, value)

    def parse(self, text: str, field: str) -> float:
        """Parse a value with its unit, such as ``5.5 mmol/L``, and convert it to the first unit.

        Parameters
        ----------
        text : str
            The value and its unit, in upper or lower case.
        field : str
            Field name for error messages.

        Returns
        -------
        float
            The value in the first unit.

        Raises
        ------
        InputError
            The text is not a number with a supported unit, or the value is out of range.

        Examples
        --------
        >>> HBA1C.parse("5.6%", "hba1c")
        5.6
        """
        match = _VALUE_AND_UNIT.fullmatch(text) if isinstance(text, str) else None
        known = {unit.lower(): unit for unit in self.units}
        if match is None or match[2].lower() not in known:
            units = " or ".join(self.units)
            raise InputError(field, f"must be a number with the unit {units}", text)
        return self.convert(float(match[1]), known[match[2].lower()], field)

    def _limits(self, unit: str) -> tuple[float, float]:
        """Return the accepted range in a unit, rounded inward to hundredths."""
        slope, intercept = self.units[unit]
        low, high = ((limit - intercept) / slope for limit in (self.low, self.high))
        return math.ceil(round(100 * low, 9)) / 100, math.floor(round(100 * high, 9)) / 100


_GLUCOSE_UNITS = {"mg/dL": (1.0, 0.0), "mmol/L": (MG_DL_PER_MMOL_L, 0.0)}

GLUCOSE = Quantity(20.0, 600.0, _GLUCOSE_UNITS)
"""A reading of a sensor or meter, in mg/dL."""

FASTING_GLUCOSE = Quantity(40.0, 500.0, _GLUCOSE_UNITS)
"""Fasting plasma glucose, in mg/dL."""

HBA1C = Quantity(3.0, 20.0, {"%": (1.0, 0.0), "mmol/mol": (0.09148, 2.152)})
"""HbA1c, in percent (NGSP)."""
