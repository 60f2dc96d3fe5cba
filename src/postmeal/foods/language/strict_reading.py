"""Reading of meal texts that refuses what is not certain.

The text is read by `postmeal.foods.language.read_meal`, with the same foods and grams. The only
difference is that nothing is left unread and no amount is guessed from a wide range.
"""

from __future__ import annotations

import re

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import MAX_QUANTITY, Selection
from postmeal.foods.language.meal_reading import Detection, read_meal
from postmeal.foods.language.phrases.phrase_splitting import MAX_LETTERS, MAX_PHRASES
from postmeal.foods.language.thresholds import DEFAULT_TUNING
from postmeal.foods.portions import most_plausible_grams
from postmeal.foods.portions.serving_range import serving_range_g
from postmeal.words.plain import amount_text
from postmeal.words.quantities import masses_and_volumes, quantities

__all__ = ["parse_meal"]

_BLANK = " \t\r\n\f\v,;.()+"
_IMPOSSIBLE = re.compile(r"(?<![\w.)])[-−]\.?\d[\d.]*|(?<!\d)\d+\s*/\s*0+(?:\.0*)?(?![\d.])")
_LONGEST_QUOTED = 60  # maximum number of characters of a quotation
_WIDEST_GUESS = 2.5  # maximum ratio of the upper and the lower end of usual amounts


def parse_meal(text: str, catalog: Catalog, *, country: str | None = None) -> list[Selection]:
    """Read a meal text, and raise an error where `read_meal` is not certain.

    Parameters
    ----------
    text : str
        Foods with their amounts, such as ``"2 eggs, 1 slice toast and a glass of milk"``.
    catalog : Catalog
        Catalog with the foods that may be named.
    country : str, optional
        Country where the meal was eaten, as an ISO 3166-1 alpha-2 code such as ``"LA"``. It has the
        same effect as in `postmeal.foods.language.read_meal`.

    Returns
    -------
    list of Selection
        The foods and amounts that `postmeal.foods.language.read_meal` finds, in the same order.

    Raises
    ------
    InputError
        A part of the text names no food, or names it only vaguely; an amount is negative, zero or
        implausible; an amount is missing, and usual amounts of the food differ by a factor of more
        than 2.5; the text names no food or too many foods; or the country is not an ISO 3166-1
        alpha-2 code.

    Examples
    --------
    >>> for selection in parse_meal("1 cup oatmeal, 1 banana", Catalog.open()):
    ...     print(f"{selection.weight_g:.0f} g", selection.nutrients["carbs_g"].__round__())
    240 g 29
    118 g 27
    """
    reading = read_meal(text, catalog, country=country)
    if not text.strip(_BLANK):
        raise InputError("meal", "must name at least one food", text)
    if impossible := _IMPOSSIBLE.search(text):
        raise InputError("quantity", "must be a number above 0", impossible[0])
    if len(text) > MAX_LETTERS or len(reading.detections) + len(reading.unread) >= MAX_PHRASES:
        raise InputError("meal", f"must name fewer than {MAX_PHRASES} foods", text[:100])
    for detection in reading.detections:
        _check(detection)
    for said in reading.unread:
        raise _unread(said)
    if not reading.detections:
        raise _unread(text)
    return [detection.selection for detection in reading.detections]


def _check(detection: Detection) -> None:
    """Raise an error if the amount or the food of a detection is not certain."""
    said, selection = detection.said, detection.selection
    food, weight_g = selection.food, selection.weight_g or 0.0
    for stated in masses_and_volumes(amount_text(said)):
        unit = "g" if stated.mass_g is not None else "ml"
        if (stated.mass_g or stated.volume_ml or 0.0) > MAX_QUANTITY:
            problem = f"the quantity must be above 0 and at most {MAX_QUANTITY:g} {unit}"
            raise InputError("meal", f"contains {_quoted(said)}; {problem}")
    if detection.implausible and not detection.amount_said:
        raise InputError(
            "meal",
            f"contains {_quoted(said)}; people eat at most about"
            f" {most_plausible_grams(food):.0f} g of {food.name}, and a larger amount must be in g,"
            " oz or ml",
        )
    if detection.lacking:
        raise InputError(
            "meal",
            f"contains {_quoted(said)}, but {food.name} does not reflect"
            f" {_quoted(detection.lacking[0])}; use a more general name",
        )
    if detection.confidence < DEFAULT_TUNING.vague and not detection.implausible:
        raise _unread(said)
    least_g, most_g = serving_range_g(food, weight_g) if weight_g else (1.0, 1.0)
    if not detection.amount_said and most_g > _WIDEST_GUESS * least_g:
        raise InputError(
            "meal",
            f"contains {_quoted(said)}, of which people eat {least_g:.0f} to {most_g:.0f} g; state"
            " the amount",
        )


def _unread(said: str) -> InputError:
    if any(one.high == 0 for one in quantities(said)):
        return InputError("quantity", "must be a number above 0", said)
    problem = f"contains {_quoted(said)}, which matches no food in the catalog"
    return InputError("meal", f"{problem}; check the spelling or use a more general name")


def _quoted(said: str) -> str:
    return repr(said if len(said) <= _LONGEST_QUOTED else f"{said[: _LONGEST_QUOTED - 3]}...")
