"""Meal reading: the foods and amounts that a text about a meal tells of."""

from __future__ import annotations

from collections.abc import Iterable

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import MealReading, read_meal
from serve.aside import aside, leave_the_loop
from serve.service import Service

__all__ = ["LONGEST_MEAL_TEXT", "reading_of"]

LONGEST_MEAL_TEXT = 1000
"""Characters of the longest text that is read."""


async def reading_of(text: str, service: Service) -> MealReading:
    """Read a text about a meal; what names no food is passed over, and nothing is kept or logged.

    Where a setting names a language model, it splits the text into phrases and the library reads
    those. Where it fails, or leads to no food, the library reads the text as it does without one.

    Raises
    ------
    CatalogError
        The catalogue is damaged, cannot be reached or does not answer in time.
    Refusal
        The catalogue is not available.
    """
    catalog, reader = service.catalog, service.upstreams.meal_reader
    if not text.strip():
        return MealReading((), ())
    phrases = await reader.phrases(text) if reader else None
    if phrases:
        reading = await aside(0, _read_each, phrases, catalog)
        if reading.detections:
            return reading
    return await aside(0, _read_each, [text], catalog)


def _read_each(texts: Iterable[str], catalog: Catalog) -> MealReading:
    leave_the_loop()
    readings = [read_meal(text, catalog) for text in texts]
    return MealReading(
        tuple(detection for reading in readings for detection in reading.detections),
        tuple(phrase for reading in readings for phrase in reading.unread),
    )
