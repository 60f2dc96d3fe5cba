"""Convert foods to and from rows of the catalog file."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

from postmeal.foods.catalog.packed_amounts import known_amounts, pack_amounts, unpack_amounts
from postmeal.foods.diets.verdicts import Diets
from postmeal.foods.food import CatalogKind, Food, GISource, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.foods.table import Portion, TableFood


class FoodRow(NamedTuple):
    """The columns of a food in SQLite; those needed for ranking come first."""

    head: int
    words: str
    also: str
    id: int
    name: str
    display_name: str | None
    brand_name: str | None
    category: int
    glycemic_index: float | None
    gi_source: int
    gi_sd: float | None
    gi_in_model: int
    added_sugars_estimated: int
    known: int
    amounts: bytes
    servings: str
    barcode: int | None
    image: str | None
    diets: int


FOOD_COLUMNS = FoodRow._fields

DAMAGE = (ValueError, TypeError, IndexError, ArithmeticError, struct.error)
"""Exceptions that reading a damaged row may raise."""

_GI_SOURCES: tuple[GISource, ...] = get_args(GISource)
_FIELD, _NEXT = "\x1f", "\x1e"  # unit separator and record separator
_PICTURES = "https://images.openfoodfacts.org/images/products/"
_FRONT = ("front_", ".400.jpg")


def food_row(
    food: TableFood, name: tuple[list[str], int], also: Sequence[str], category: int, diets: Diets
) -> FoodRow:
    """Build the row of a food."""
    known, amounts = pack_amounts(food.per_100_g)
    return FoodRow(
        name[1],
        " ".join(name[0]),
        ";".join(also),
        food.id,
        food.name,
        food.display_name or None,
        food.brand_name or None,
        category,
        food.glycemic_index,
        _GI_SOURCES.index(food.gi_source),
        food.gi_sd,
        int(food.gi_in_model),
        int(food.added_sugars_estimated),
        known,
        amounts,
        _NEXT.join(_pack_portion(portion) for portion in food.portions),
        int(food.barcode) if food.barcode else None,
        _pack_image(food.image_url, food.barcode) if food.image_url else None,
        diets.bits,
    )


def food_from_row(kind: CatalogKind, category: str, row: Sequence[Any]) -> Food:
    """Build a food from a row of `FOOD_COLUMNS`."""
    columns = FoodRow._make(row)
    portions = [_portion(text) for text in columns.servings.split(_NEXT)]
    default_g = portions[0].weight_g
    amounts = unpack_amounts(columns.known, columns.amounts)
    amounts *= default_g / 100
    servings = tuple(
        Serving(p.id, p.quantity, p.unit, p.weight_g / default_g, p.weight_g, place == 0)
        for place, p in enumerate(portions)
    )
    return Food(
        columns.id,
        columns.display_name or columns.name,
        "generic" if kind == "dish" else kind,
        category,
        Nutrients.of_amounts(amounts),
        servings,
        columns.brand_name,
        columns.glycemic_index,
        _GI_SOURCES[columns.gi_source],
        None if columns.barcode is None else printed_barcode(columns.barcode),
        None if columns.image is None else image_url(columns.image, columns.barcode),
        Diets(columns.diets),
        kind in ("dish", "recipe"),
        columns.name,
        columns.gi_sd,
        bool(columns.gi_in_model),
        bool(columns.added_sugars_estimated),
    )


def printed_barcode(gtin: int) -> str:
    """Format a GTIN with the number of digits printed on the product: 8, 12, 13 or 14."""
    for digits in (8, 12, 13):
        if gtin < 10**digits:
            return f"{gtin:0{digits}d}"
    return f"{gtin:014d}"


def image_url(packed: str, barcode: int | None) -> str:
    """Return the full URL of a picture from its packed form in a catalog row."""
    if barcode is None:
        return packed
    name = packed[1:]
    if packed[0] == "=":
        return name
    return _folder(barcode) + (_FRONT[0] + name + _FRONT[1] if packed[0] == "*" else name)


def energy_kcal(known: int, packed: bytes, servings: str) -> float:
    """Return the energy of the default serving in kcal; NaN if unknown."""
    if not known & 1:  # energy is the first of `NUTRIENTS`
        return math.nan
    default_g = _portion(servings.partition(_NEXT)[0]).weight_g
    return known_amounts(known, packed, 1)[0] * (default_g / 100)


def _pack_portion(portion: Portion) -> str:
    if (portion.quantity, portion.unit, portion.weight_g) == (100, "g", 100):
        return str(portion.id)  # stored in a short form, because every food has this portion
    unit = portion.unit.replace(_FIELD, " ").replace(_NEXT, " ")
    fields = (str(portion.id), _number(portion.quantity), unit, _number(portion.weight_g))
    return _FIELD.join(fields)


def _portion(text: str) -> Portion:
    number, *fields = text.split(_FIELD)
    if not fields:
        return Portion(int(number), 100.0, "g", 100.0)
    quantity, unit, grams = fields
    return Portion(int(number), float(quantity), unit, float(grams))


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _pack_image(url: str, barcode: str) -> str:
    """Remove the part of an Open Food Facts picture URL that can be derived from the barcode."""
    if not barcode:
        return url
    folder = _folder(int(barcode))
    if not url.startswith(folder):
        return "=" + url
    name = url[len(folder) :]
    if name.startswith(_FRONT[0]) and name.endswith(_FRONT[1]):
        return "*" + name[len(_FRONT[0]) : -len(_FRONT[1])]
    return "/" + name


def _folder(gtin: int) -> str:
    """Return the folder URL of a product's pictures; only long codes are split into parts."""
    code = f"{gtin:013d}"
    if gtin < 10**8:
        return f"{_PICTURES}{gtin:08d}/"
    return f"{_PICTURES}{code[:3]}/{code[3:6]}/{code[6:9]}/{code[9:]}/"
