"""Meal reading: the foods and amounts that a text about a meal tells of."""

from __future__ import annotations

from collections.abc import Iterable

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import MealReading, read_meal
from serve.runtime.offload import offload_io
from serve.upstreams.meal_reader import MealReader

__all__ = ["LONGEST_MEAL_TEXT", "reading_of"]

LONGEST_MEAL_TEXT = 1000
"""Characters of the longest text that is read."""


async def reading_of(text: str, catalog: Catalog, reader: MealReader | None) -> MealReading:
    """Read a text about a meal; what names no food is passed over, and nothing is kept or logged.

    Where a setting names a language model, it splits the text into phrases and the library reads
    those. Where it fails, or leads to no food, the library reads the text as it does without one.

    Raises
    ------
    CatalogError
        The catalogue is damaged, cannot be reached or does not answer in time.
    """
    if not text.strip():
        return MealReading((), ())
    phrases = await reader.phrases(text) if reader else None
    if phrases:
        reading = await offload_io(_read_each, phrases, catalog)
        if reading.detections:
            return reading
    return await offload_io(_read_each, [text], catalog)


def _read_each(texts: Iterable[str], catalog: Catalog) -> MealReading:
    readings = [read_meal(text, catalog) for text in texts]
    return MealReading(
        tuple(detection for reading in readings for detection in reading.detections),
        tuple(phrase for reading in readings for phrase in reading.unread),
    )
