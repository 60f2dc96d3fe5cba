"""Suggest foods while the user is typing, and read only the columns that are displayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from postmeal.errors import CatalogError
from postmeal.foods.catalog.completions import completed, named
from postmeal.foods.catalog.readings import typeahead_readings
from postmeal.foods.catalog.row import DAMAGE, energy_kcal, image_url
from postmeal.foods.catalog.search import Span, search
from postmeal.foods.catalog.vocabulary import Read, Vocabulary
from postmeal.foods.food import FoodKind
from postmeal.foods.words import words

_COMPLETED = 4  # minimum number of completions; with fewer, foods with another word order are added
_MIN_RANKED = 12  # number of ranked matches of each kind, unless the limit is higher

_SHOWN = (
    "SELECT place, id, name, display_name, brand_name, image, barcode, known, amounts, servings"
    " FROM food WHERE place IN ({places})"
)


class Suggestion(NamedTuple):
    """A food as shown by typeahead."""

    id: int
    kind: FoodKind
    name: str
    brand_name: str | None
    image_url: str | None
    energy_kcal: float
    """Energy of the default serving in kcal; NaN if unknown."""
    description: str
    """The publisher's name of the food."""


def suggested(
    read: Read,
    vocabulary: Vocabulary,
    text: str,
    sections: Mapping[Literal["generic", "branded"], Sequence[Span]],
    limit: int,
) -> list[tuple[FoodKind, int]]:
    """Find the foods to suggest for a text."""
    shown: list[tuple[FoodKind, int]] = []
    if "generic" in sections:
        shown = [("generic", place) for place in completed(read, text, limit)]
    for readings in typeahead_readings(words(text), vocabulary):
        for kind, spans in sections.items():
            found = None
            if len(shown) < (limit if kind == "branded" else min(limit, _COMPLETED)):
                found = search(read, [readings], spans, max(limit, _MIN_RANKED))
            if found:
                places = named(read, found) if kind == "generic" else found.places
                new = [(kind, place) for place in places if (kind, place) not in shown]
                shown += new[: limit - len(shown)]
        if shown:
            break
    return shown


def suggestions(read: Read, found: Sequence[tuple[FoodKind, int]]) -> list[Suggestion]:
    """Read the suggestions for the given pairs of a kind and a place in the file."""
    places = tuple(place for _, place in found)
    rows = {place: row for place, *row in read(_SHOWN.format(places=_marks(len(places))), places)}
    return [_suggestion(kind, rows.get(place, ())) for kind, place in found]


@cache
def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _suggestion(kind: FoodKind, row: Sequence[Any]) -> Suggestion:
    try:
        number, description, name, brand_name, image, barcode, known, amounts, servings = row
        picture = None if image is None else image_url(image, barcode)
        energy = energy_kcal(known, amounts, servings)
        shown = name or description
        return Suggestion(number, kind, shown, brand_name, picture, energy, description)
    except DAMAGE as error:
        raise CatalogError(
            "damaged", "a row of the food catalog is damaged; compile or copy the catalog again"
        ) from error
