"""Meal reading: the foods and amounts that a text about a meal tells of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import MealReading, read_meal
from serve.runtime.offload import offload, offload_long

__all__ = ["LONGEST_MEAL_TEXT", "PhraseReader", "reading_of"]

LONGEST_MEAL_TEXT = 1000
"""Characters of the longest text that is read."""

_LONG_TEXT = 300  # characters, which take 2 ms


class PhraseReader(Protocol):
    """Splits a text into phrases; `serve.upstreams.meal_reader.MealReader` does."""

    async def phrases(self, text: str) -> list[str] | None:
        """Return the phrases, each a food with its amount; None if there was no usable answer."""


async def reading_of(text: str, catalog: Catalog, reader: PhraseReader | None) -> MealReading:
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
    run = offload_long if len(text) > _LONG_TEXT else offload
    phrases = await reader.phrases(text) if reader else None
    if phrases:
        reading = await run(_read_each, phrases, catalog)
        if reading.detections:
            return reading
    return await run(_read_each, [text], catalog)


def _read_each(texts: Iterable[str], catalog: Catalog) -> MealReading:
    readings = [read_meal(text, catalog) for text in texts]
    return MealReading(
        tuple(detection for reading in readings for detection in reading.detections),
        tuple(phrase for reading in readings for phrase in reading.unread),
    )
