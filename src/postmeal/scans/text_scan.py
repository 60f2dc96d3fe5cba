"""Scan meals that are described in plain English."""

from __future__ import annotations

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import Detection, MealReading, read_meal
from postmeal.scans.corrections.operations import MAX_GRAMS
from postmeal.scans.scan import Confidence, Scan, ScannedFood

__all__ = ["confidence_of", "scan_of", "scan_text"]


_SURELY = 0.9


def scan_text(text: str, catalog: Catalog, *, country: str | None = None) -> Scan:
    """Scan a meal that is described in plain English.

    Parameters
    ----------
    text : str
        Description of the meal.
    catalog : Catalog
        Catalog in which the foods of the text are looked up.
    country : str, optional
        Country where the meal was eaten, as an ISO 3166-1 alpha-2 code.

    Returns
    -------
    Scan
        The foods that were found. A food without a stated amount has a range of typical servings.
        The scan of a text without foods is empty.

    Raises
    ------
    InputError
        The text is not a str, or the country is not an ISO 3166-1 alpha-2 code.

    Examples
    --------
    >>> scan = scan_text("200 g of white rice and some broccoli", Catalog.open())
    >>> [(food.said, round(food.grams), food.confidence) for food in scan.foods]
    [('200 g of white rice', 200, 'medium'), ('some broccoli', 90, 'low')]
    """
    return scan_of(read_meal(text, catalog, country=country))


def scan_of(reading: MealReading) -> Scan:
    """Convert the reading of a meal text to a scan.

    Foods of unknown weight or of more than `MAX_GRAMS` are omitted. The words for these foods are
    added to `Scan.unread`.
    """
    foods, unread = [], list(reading.unread)
    for one in reading.detections:
        weight_g = one.selection.weight_g
        if not weight_g or weight_g > MAX_GRAMS:
            unread.append(one.said)
            continue
        food, confidence = one.selection.food, confidence_of(one)
        if one.amount_said:
            foods.append(ScannedFood(food.name, weight_g, food, confidence, "text", one.said))
        else:
            foods.append(
                ScannedFood.assumed(food.name, weight_g, food, confidence, "text", one.said)
            )
    return Scan(tuple(foods), unread=tuple(unread), may_hold_more=bool(unread))


def confidence_of(detection: Detection) -> Confidence:
    """Return ``medium`` if the food and its amount are clear from the text, otherwise ``low``."""
    return "medium" if detection.amount_said and detection.confidence >= _SURELY else "low"
