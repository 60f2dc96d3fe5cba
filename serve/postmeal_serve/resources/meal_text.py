"""Parsing of meal texts: foods and amounts in plain English."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from postmeal.errors import CatalogError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import MealReading, read_meal
from postmeal.foods.language.countries import country_code
from postmeal.foods.language.meal_reading import read_phrases
from postmeal_serve.loaded.followed_file import Identity, identity_of
from postmeal_serve.runtime.offload import offload

__all__ = ["LONGEST_MEAL_TEXT", "PhraseReader", "RunInProcess", "read_meal_text"]

LONGEST_MEAL_TEXT = 1000
"""Maximum length of a meal text, in characters."""

_LONG_TEXT = 300  # number of characters that take 2 ms to parse

RunInProcess = Callable[..., Awaitable[MealReading]]
"""Function that calls another function in a different process, such as `Call.run_in_process`."""


class PhraseReader(Protocol):
    """An object that splits meal texts, such as `upstreams.meal_reader.MealReader`."""

    async def phrases(self, text: str) -> list[str] | None:
        """Return one phrase per food, such as ``2 slice toast``; None if the model fails."""


async def read_meal_text(
    text: str,
    catalog: Catalog,
    reader: PhraseReader | None,
    run_in_process: RunInProcess,
    country: str | None = None,
) -> MealReading:
    """Find the foods and amounts in a meal text. The text is neither stored nor logged.

    A `reader` first splits the text into phrases, which the library parses. Without a `reader`, or
    if it fails or finds no food, the library parses the whole text. Long texts would delay other
    requests, so they are parsed in another process.
    """
    country_code(country)
    if not text.strip():
        return MealReading((), ())
    phrases = await reader.phrases(text) if reader else None
    if phrases:
        reading = await _read(catalog, run_in_process, text, phrases, country)
        if reading.detections:
            return reading
    return await _read(catalog, run_in_process, text, None, country)


async def _read(
    catalog: Catalog,
    run_in_process: RunInProcess,
    text: str,
    phrases: Sequence[str] | None,
    country: str | None,
) -> MealReading:
    if len(text) > _LONG_TEXT:
        try:
            return await run_in_process(_read_from_file, catalog.path, text, phrases, country)
        except CatalogError:  # The file has been deleted or damaged since this process opened it.
            pass
    return await offload(_parse, catalog, text, phrases, country)


def _read_from_file(
    path: Path, text: str, phrases: Sequence[str] | None, country: str | None
) -> MealReading:
    return _parse(_catalog(path, identity_of(path)), text, phrases, country)


def _parse(
    catalog: Catalog, text: str, phrases: Sequence[str] | None, country: str | None
) -> MealReading:
    if phrases is None:
        return read_meal(text, catalog, country=country)
    return read_phrases(phrases, catalog, country=country, whole=text)


@lru_cache(maxsize=1)
def _catalog(path: Path, identity: Identity) -> Catalog:
    """Open a catalog once, and again when another file is renamed to its path."""
    return Catalog(path)
