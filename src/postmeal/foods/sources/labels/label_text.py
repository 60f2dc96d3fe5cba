"""Text of labels: cleaned words, and servings such as "2 cookies (29 g)"."""

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
"""Units as people write them; capitals of three letters are UN/ECE Recommendation 20."""
_AMOUNT = re.compile(r"(?:(\d{1,4}) )?(\d{1,4})/(\d{1,4})|(\d+(?:[.,]\d+)?)")
_METRIC = re.compile(
    r"\(?\s*(?<!\d)\d+(?:[.,]\d+)?\s*(?:g|gr|gramm?s?|grm|ml|mlt|cl|l)\b\.?\s*\)?", re.I
)
_MAX_SERVING = 5000.0


def clean(text: str, most: int = 600) -> str:
    """Make one line of a text: entities, controls and doubly encoded letters are put right.

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
    return " ".join(text.split())[:most].rstrip()


def household_measure(text: str) -> tuple[float, str] | None:
    """Read the quantity and unit of a household measure.

    Parameters
    ----------
    text : str
        A label's words; a mass or volume in them is left out.

    Returns
    -------
    (float, str) or None
        None when no number of something is named.

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
    unit = re.sub(r"\s*\([^)]*$", "", unit)  # a bracket that does not close
    unit = _UNITS.get(unit, unit)
    if not unit or unit in ("g", "ml") or not unit[0].isalpha() or not 0 < quantity <= 1000:
        return None
    return quantity, unit[:60]


def serving_portions(
    size: float | None, basis: Basis, household: tuple[float, str] | None
) -> tuple[Portion, ...]:
    """Make the servings of a labelled food: its own, the default one, and 100 g or 100 ml.

    Nothing is known of densities: amounts per 100 ml are kept as such, and the mass of a millilitre
    is taken as one gram.

    Parameters
    ----------
    size : float or None
        The serving in g or ml; None when it is not known.
    basis : {"g", "ml"}
        Its unit.
    household : (float, str) or None
        What the serving is called; "1 serving" when None.

    Returns
    -------
    tuple of Portion
        The default one first.

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
    """Part a text into the number that it begins with, and the rest.

    Examples
    --------
    >>> leading_number("1 1/2 cups"), leading_number("0.333 cup"), leading_number("a cup")
    ((1.5, ' cups'), (0.333, ' cup'), None)
    """
    if (found := _AMOUNT.match(text)) is None:
        return None
    whole, over, under, plain = found.groups()
    rest = text[found.end() :]
    if plain:
        return float(plain.replace(",", ".")), rest
    return float(int(whole or 0) + (Fraction(int(over), int(under)) if int(under) else 0)), rest
