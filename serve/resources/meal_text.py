"""Parsing of meal texts: foods and amounts in plain English."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import MealReading, read_meal
from postmeal.foods.language.countries import country_code
from postmeal.foods.language.reading import read_phrases
from serve.runtime.offload import offload, offload_long

__all__ = ["LONGEST_MEAL_TEXT", "PhraseReader", "read_meal_text"]

LONGEST_MEAL_TEXT = 1000
"""Maximum length of a meal text, in characters."""

_LONG_TEXT = 300  # number of characters that take 2 ms to parse


class PhraseReader(Protocol):
    """An object that splits meal texts, such as `serve.upstreams.meal_reader.MealReader`."""

    async def phrases(self, text: str) -> list[str] | None:
        """Return one phrase per food, such as ``2 slice toast``; None if the model fails."""


async def read_meal_text(
    text: str, catalog: Catalog, reader: PhraseReader | None, country: str | None = None
) -> MealReading:
    """Find the foods and amounts in a meal text. The text is neither stored nor logged.

    A `reader` first splits the text into phrases, which the library parses. Without a `reader`, or
    if it fails or finds no food, the library parses the whole text.

    Parameters
    ----------
    text : str
        The meal in plain English.
    catalog : Catalog
        Catalog in which the foods are searched.
    reader : PhraseReader or None
        Language model that splits meal texts; None if none is configured.
    country : str, optional
        Where the meal was eaten, as an ISO 3166-1 alpha-2 code.

    Returns
    -------
    MealReading
        The foods that were found, and the text that matches no food.

    Raises
    ------
    CatalogError
        The catalog is damaged, cannot be reached or does not respond in time.
    InputError
        The country is not an ISO 3166-1 alpha-2 code.
    """
    country_code(country)
    if not text.strip():
        return MealReading((), ())
    run = offload_long if len(text) > _LONG_TEXT else offload
    phrases = await reader.phrases(text) if reader else None
    if phrases:
        reading = await run(partial(read_phrases, phrases, catalog, country=country, whole=text))
        if reading.detections:
            return reading
    return await run(partial(read_meal, text, catalog, country=country))
