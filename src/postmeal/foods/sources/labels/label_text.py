"""Clean label texts and parse servings such as "2 cookies (29 g)"."""

from __future__ import annotations

import html
import re
from fractions import Fraction

from postmeal.foods.sources.labels.plausible_amounts import Basis
from postmeal.foods.table import Portion

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_TWICE_ENCODED = re.compile("[ÃÂâ]")
_UNITS = {
    "onz": "oz", "ounce": "oz", "ounces": "oz", "oz.": "oz", "oza": "fl oz", "fl. oz.": "fl oz",
    "floz": "fl oz", "grm": "g", "gm": "g", "gram": "g", "grams": "g", "gramm": "g", "gr": "g",
    "mlt": "ml", "milliliter": "ml", "milliliters": "ml", "tablespoon": "tbsp", "tbs": "tbsp",
    "tablespoons": "tbsp", "tbsp.": "tbsp", "teaspoon": "tsp", "teaspoons": "tsp", "tsp.": "tsp",
    "c": "cup", "cups": "cup", "pcs": "pieces", "pcs.": "pieces", "pc": "piece", "pc.": "piece",
    "ea": "piece", "h87": "piece",
}  # fmt: skip
"""Units as written on labels; three-letter codes are from UN/ECE Recommendation 20."""
_AMOUNT = re.compile(r"(?:(\d{1,4}) )?(\d{1,4})/(\d{1,4})|(\d+(?:[.,]\d+)?)")
_METRIC = re.compile(
    r"\(?\s*(?<!\d)\d+(?:[.,]\d+)?\s*(?:g|gr|gramm?s?|grm|ml|mlt|cl|l)\b\.?\s*\)?", re.I
)
_MAX_SERVING = 5000.0


def clean(text: str, max_length: int = 600) -> str:
    """Convert a text to one line, without HTML entities, control characters or double encoding."""
    if "&" in text:
        text = html.unescape(text)
    for _ in range(2):
        if not _TWICE_ENCODED.search(text):
            break
        try:
            text = text.encode("cp1252").decode()
        except UnicodeError:
            break
    if not text.isprintable():
        text = _CONTROLS.sub(" ", text)
    return " ".join(text.split())[:max_length].rstrip()


def household_measure(text: str) -> tuple[float, str] | None:
    """Parse the quantity and unit of a household measure."""
    text = _METRIC.sub(" ", clean(text)).split("|")[0].strip(" ()[],;/=-")
    counted = leading_number(text.removeprefix("about ").removeprefix("ABOUT "))
    if counted is None:
        return None
    quantity, unit = counted
    unit = unit.strip(" ()[],;/=-").lower()
    unit = re.sub(r"\s*\([^)]*$", "", unit)  # an unclosed parenthesis
    unit = _UNITS.get(unit, unit)
    if not unit or unit in ("g", "ml") or not unit[0].isalpha() or not 0 < quantity <= 1000:
        return None
    return quantity, unit[:60]


def serving_portions(
    size: float | None, basis: Basis, household: tuple[float, str] | None
) -> tuple[Portion, ...]:
    """Return the servings of a labeled food: the label's serving as default, and 100 g or 100 ml.

    The density of the food is unknown. Amounts per 100 ml are therefore stored as amounts per
    100 g, and 1 ml is treated as 1 g.
    """
    hundred = Portion(1, 100.0, basis, 100.0)
    if size is None or not 0 < size <= _MAX_SERVING:
        return (hundred,)
    quantity, unit = household or (1.0, "serving")
    return Portion(2, quantity, unit, float(f"{size:.7g}")), hundred


def leading_number(text: str) -> tuple[float, str] | None:
    """Split a text into its leading number and the rest; return None if there is no number."""
    if (found := _AMOUNT.match(text)) is None:
        return None
    whole, numerator, denominator, decimal = found.groups()
    rest = text[found.end() :]
    if decimal:
        return float(decimal.replace(",", ".")), rest
    return float(
        int(whole or 0) + (Fraction(int(numerator), int(denominator)) if int(denominator) else 0)
    ), rest
