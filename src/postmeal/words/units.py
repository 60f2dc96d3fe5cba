"""Units of mass and volume, with the words for them."""

from __future__ import annotations

from collections.abc import Iterable

MASS_G: dict[str, float] = {
    "g": 1.0, "gr": 1.0, "gm": 1.0, "gram": 1.0, "gramme": 1.0, "mg": 0.001, "milligram": 0.001,
    "kg": 1000.0, "kilo": 1000.0, "kilogram": 1000.0, "oz": 28.349523125, "ounce": 28.349523125,
    "lb": 453.59237, "pound": 453.59237,
}  # fmt: skip
"""Grams in each unit of mass; ounces and pounds as defined by the 1959 international agreement."""

VOLUME_ML: dict[str, float] = {
    "ml": 1.0, "milliliter": 1.0, "millilitre": 1.0, "cl": 10.0, "dl": 100.0, "l": 1000.0,
    "liter": 1000.0, "litre": 1000.0, "tsp": 4.92892, "teaspoon": 4.92892, "tbsp": 14.78676,
    "tablespoon": 14.78676, "fl oz": 29.57353, "fluid ounce": 29.57353, "cup": 236.58824,
    "pint": 473.17647, "quart": 946.35295, "gallon": 3785.4118,
}  # fmt: skip
"""Milliliters in each unit of volume; cups, pints and other household units are US customary."""

HOUSEHOLD: frozenset[str] = frozenset({"cup", "tablespoon", "tbsp", "teaspoon", "tsp"})
"""Units of volume that are measures of a food: a cup of oats has its own mass."""

SHORT_UNITS: dict[str, str] = {"c": "cup", "tbs": "tbsp", "tbl": "tbsp"}
"""Abbreviations, each with the unit."""


def unit_pattern(units: Iterable[str]) -> str:
    """Return the words for units, in the singular and the plural, as a regular expression."""
    return rf"(?:{'|'.join(sorted(units, key=len, reverse=True))})s?\b"
