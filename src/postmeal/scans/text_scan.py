"""Scans of meals that are described in plain English."""

from __future__ import annotations

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import Detection, MealReading, read_meal
from postmeal.scans.scan import Confidence, Scan, ScannedFood

__all__ = ["confidence_of", "scan_of", "scan_text"]


_SURELY = 0.9


def scan_text(text: str, catalog: Catalog, *, country: str | None = None) -> Scan:
    """Scan a meal that is described in plain English.

    Parameters
    ----------
    text : str
        The meal.
    catalog : Catalog
        The foods that may be named.
    country : str, optional
        Where the meal was eaten, as an ISO 3166-1 alpha-2 code.

    Returns
    -------
    Scan
        The foods that were found. A text without foods gives an empty scan.

    Raises
    ------
    InputError
        The country is not a code of ISO 3166-1.

    Examples
    --------
    >>> scan = scan_text("200 g of white rice and some broccoli", Catalog.open())
    >>> [(food.said, round(food.grams), food.confidence) for food in scan.foods]
    [('200 g of white rice', 200, 'medium'), ('some broccoli', 90, 'low')]
    """
    return scan_of(read_meal(text, catalog, country=country))


def scan_of(reading: MealReading) -> Scan:
    """Return the scan of a meal text that was read."""
    foods = tuple(
        ScannedFood(
            one.selection.food.name,
            weight_g,
            one.selection.food,
            confidence_of(one),
            "text",
            one.said,
        )
        for one in reading.detections
        if (weight_g := one.selection.weight_g)
    )
    return Scan(foods, unread=reading.unread, may_hold_more=bool(reading.unread))


def confidence_of(detection: Detection) -> Confidence:
    """Return ``medium`` if the text states the amount and surely names the food, else ``low``."""
    return "medium" if detection.amount_said and detection.confidence >= _SURELY else "low"
