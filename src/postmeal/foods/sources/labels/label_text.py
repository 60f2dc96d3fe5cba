"""Clean label texts and parse servings such as "2 cookies (29 g)"."""

from __future__ import annotations

import html
import re
from fractions import Fraction

from postmeal.foods.sources.labels.plausible_amounts import Basis
from postmeal.foods.table import Portion

__all__ = ["clean", "household_measure", "leading_number", "serving_portions"]

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
    """Convert a text to one line, without HTML entities, control characters or double encoding.

    Examples
    --------
    >>> clean("  CrÃ¨me  &amp; bread ")
    'Crème & bread'
    """
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
    """Parse the quantity and unit of a household measure.

    Parameters
    ----------
    text : str
        Text on a label; masses and volumes in it are ignored.

    Returns
    -------
    (float, str) or None
        The quantity and unit; None if the text does not contain them.

    Examples
    --------
    >>> household_measure("1 1/4 cup (30 g)")
    (1.25, 'cup')
    >>> household_measure("1.61 ONZ (45 g)")
    (1.61, 'oz')
    >>> household_measure("12 COOKIES | ABOUT")
    (12.0, 'cookies')
    >>> household_measure("30 GRM") is None
    True
    """
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

    Parameters
    ----------
    size : float or None
        Size of the serving in g or ml; None if unknown.
    basis : {"g", "ml"}
        Unit of the size.
    household : (float, str) or None
        Quantity and unit of the serving; None for "1 serving".

    Returns
    -------
    tuple of Portion
        The servings, the default one first.

    Examples
    --------
    >>> [(p.quantity, p.unit, p.weight_g) for p in serving_portions(30.0, "g", (2.0, "cookies"))]
    [(2.0, 'cookies', 30.0), (100.0, 'g', 100.0)]
    """
    hundred = Portion(1, 100.0, basis, 100.0)
    if size is None or not 0 < size <= _MAX_SERVING:
        return (hundred,)
    quantity, unit = household or (1.0, "serving")
    return Portion(2, quantity, unit, float(f"{size:.7g}")), hundred


def leading_number(text: str) -> tuple[float, str] | None:
    """Split a text into its leading number and the rest; return None if there is no number.

    Examples
    --------
    >>> leading_number("1 1/2 cups"), leading_number("0.333 cup"), leading_number("a cup")
    ((1.5, ' cups'), (0.333, ' cup'), None)
    """
    if (found := _AMOUNT.match(text)) is None:
        return None
    whole, numerator, denominator, decimal = found.groups()
    rest = text[found.end() :]
    if decimal:
        return float(decimal.replace(",", ".")), rest
    return float(
        int(whole or 0) + (Fraction(int(numerator), int(denominator)) if int(denominator) else 0)
    ), rest
