"""Body height and body mass in a text."""

from __future__ import annotations

import math
import re

from postmeal.units import CM_PER_INCH, KG_PER_POUND

_CM = re.compile(r"\b(1\d\d|2[0-4]\d) ?(?:cm|centimet\w+)\b")
_METERS = re.compile(r"\b([12][.,]\d\d?) ?(?:m\b|meters?\b|metres?\b)")
_METERS_AND_CM = re.compile(r"\b([12]) ?m ?(\d\d)\b")
_FEET = re.compile(
    r"(?<![\d.,])([4-7]) ?(?:'|ft\b|feet\b|foot\b) ?(1[01]|\d)?(?!\d) ?(?:\"|''|in\b|inch\w*)?"
)
_UNIT_NAME = r"(?:%|(?:[kcm]?m|k?gs?|st|lbs?|in|ft|feet|foot|(?:kilo|pound|stone|inch|met)\w*)\b)"
_BARE_HEIGHT = re.compile(
    rf"\bheight\b[ :=]*(?:is |of )?(1\d\d|2[0-4]\d|[12][.,]\d\d)(?![\w']| ?{_UNIT_NAME})"
)
_KG = re.compile(r"\b(\d{2,3}(?:[.,]\d)?) ?(?:kg|kgs|kilos?|kilograms?)\b")
_POUNDS = re.compile(r"\b(\d{2,3}(?:[.,]\d)?) ?(?:lbs?|pounds?)\b")
_STONES = re.compile(
    r"\b(\d{1,2}) ?(?:st|stones?)\b(?:,? ?(?:and )?(\d{1,2})(?: ?(?:lbs?|pounds?))?\b)?"
)
_BARE_MASS = re.compile(
    rf"\b(?:weight|weigh|weighing|weighs)\b[ :=]*(?:is |of )?(\d{{2,3}}(?:[.,]\d)?)"
    rf"(?!\w| ?{_UNIT_NAME})"
)
_SIZE_WORD = re.compile(r"\b(?:weigh\w*|height|tall)\b")
_SIZES = (
    _CM,
    _METERS,
    _METERS_AND_CM,
    _FEET,
    _BARE_HEIGHT,
    _KG,
    _STONES,
    _POUNDS,
    _BARE_MASS,
    _SIZE_WORD,
)
_POUNDS_PER_STONE = 14


def height_cm(text: str) -> float | None:
    """Return the body height that a plain text states, in cm; None if it states none."""
    if match := _CM.search(text):
        return float(match.group(1))
    if match := _METERS.search(text):
        return float(match.group(1).replace(",", ".")) * 100
    if match := _METERS_AND_CM.search(text):
        return 100 * float(match.group(1)) + float(match.group(2))
    if match := _FEET.search(text):
        return (12 * int(match.group(1)) + int(match.group(2) or 0)) * CM_PER_INCH
    if match := _BARE_HEIGHT.search(text):
        value = float(match.group(1).replace(",", "."))
        return value if value >= 100 else value * 100  # meters
    return None


def mass_kg(text: str) -> float | None:
    """Return the body mass that a plain text states, in kg; None if it states none.

    Examples
    --------
    >>> mass_kg("41 kg"), round(mass_kg("92 lb"), 1), round(mass_kg("7 stone 2"), 1)
    (41.0, 41.7, 45.4)
    """
    if match := _KG.search(text):
        return float(match.group(1).replace(",", "."))
    if match := _STONES.search(text):
        pounds = _POUNDS_PER_STONE * int(match.group(1)) + int(match.group(2) or 0)
        return pounds * KG_PER_POUND
    if match := _POUNDS.search(text):
        return float(match.group(1).replace(",", ".")) * KG_PER_POUND
    if match := _BARE_MASS.search(text):
        return float(match.group(1).replace(",", "."))
    return None


def body_mass_index(text: str) -> float:
    """Return the body mass index that a plain text states, in kg/m²; NaN if it states none."""
    height, mass = height_cm(text), mass_kg(text)
    return math.nan if height is None or mass is None else mass / (height / 100) ** 2


def without_size(text: str) -> str:
    """Replace body heights and body masses in a plain text by blanks of the same length."""
    for expression in _SIZES:
        text = expression.sub(lambda match: " " * len(match.group()), text)
    return text
