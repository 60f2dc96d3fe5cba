"""Typeahead suggestions, for which only the displayed columns of a food are read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from postmeal.errors import CatalogError
from postmeal.foods.catalog.row import DAMAGE, energy_kcal, image_url
from postmeal.foods.catalog.vocabulary import Read
from postmeal.foods.food import FoodKind

__all__ = ["Suggestion", "suggestions"]

_SHOWN = (
    "SELECT place, id, name, brand_name, image, barcode, known, amounts, servings FROM food"
    " WHERE place IN ({places})"
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


def suggestions(read: Read, found: Sequence[tuple[FoodKind, int]]) -> list[Suggestion]:
    """Read the suggestions at the given places in the file; each place is paired with its kind.

    Raises
    ------
    CatalogError
        A row is damaged.
    """
    places = tuple(place for _, place in found)
    rows = {place: row for place, *row in read(_SHOWN.format(places=_marks(len(places))), places)}
    return [_suggestion(kind, rows.get(place, ())) for kind, place in found]


@cache
def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _suggestion(kind: FoodKind, row: Sequence[Any]) -> Suggestion:
    try:
        number, name, brand_name, image, barcode, known, amounts, servings = row
        picture = None if image is None else image_url(image, barcode)
        energy = energy_kcal(known, amounts, servings)
        return Suggestion(number, kind, name, brand_name, picture, energy)
    except DAMAGE as error:
        raise CatalogError("damaged", "a row of the food catalog is damaged") from error
