"""How one food lies in a row of the catalogue's file, and how it is read back."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

from postmeal.foods.catalog.packed_amounts import known_amounts, pack_amounts, unpack_amounts
from postmeal.foods.diets.verdicts import Diets
from postmeal.foods.food import Food, FoodKind, GISource, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.foods.table import Portion, TableFood

__all__ = [
    "DAMAGE",
    "FOOD_COLUMNS",
    "FoodRow",
    "energy_kcal",
    "food_of",
    "food_row",
    "image_url",
    "printed_barcode",
]


class FoodRow(NamedTuple):
    """The columns of a food, as SQLite keeps them; what ranking reads comes first.

    Attributes
    ----------
    head : int
        How many of `words` at the start say what the food is.
    words : str
        Of the name, as `words.name_words` gives them.
    also : str
        Everyday names as words, joined by ``;``.
    known : int
        Bit n is set when the nth of `NUTRIENTS` is known.
    amounts : bytes
        The known amounts per 100 g, see `packed_amounts`.
    servings : str
        The default one first; fields and servings are parted by the ASCII separators.
    """

    head: int
    words: str
    also: str
    id: int
    name: str
    brand_name: str | None
    category: int
    glycemic_index: float | None
    gi_source: int
    known: int
    amounts: bytes
    servings: str
    barcode: int | None
    image: str | None
    diets: int


FOOD_COLUMNS = FoodRow._fields

DAMAGE = (ValueError, TypeError, IndexError, ArithmeticError, struct.error)
"""What reading a damaged row raises."""

_GI_SOURCES: tuple[GISource, ...] = get_args(GISource)
_FIELD, _NEXT = "\x1f", "\x1e"  # unit separator and record separator
_PICTURES = "https://images.openfoodfacts.org/images/products/"
_FRONT = ("front_", ".400.jpg")


def food_row(
    food: TableFood, name: tuple[list[str], int], also: Sequence[str], category: int, diets: Diets
) -> FoodRow:
    """Lay a food out.

    Parameters
    ----------
    food : TableFood
        The food.
    name : tuple of list of str, and int
        Its name as `words.name_words` gives it.
    also : sequence of str
        Its everyday names as words.
    category : int
        Number of its category.
    diets : Diets
        What is known of it by each diet rule.

    Returns
    -------
    FoodRow
        What to store.
    """
    known, amounts = pack_amounts(food.per_100_g)
    return FoodRow(
        name[1],
        " ".join(name[0]),
        ";".join(also),
        food.id,
        food.name,
        food.brand_name or None,
        category,
        food.glycemic_index,
        _GI_SOURCES.index(food.gi_source),
        known,
        amounts,
        _NEXT.join(_pack_portion(portion) for portion in food.portions),
        int(food.barcode) if food.barcode else None,
        _pack_image(food.image_url, food.barcode) if food.image_url else None,
        diets.bits,
    )


def food_of(kind: FoodKind, category: str, row: Sequence[Any]) -> Food:
    """Read a row of `FOOD_COLUMNS` back.

    Raises
    ------
    one of `DAMAGE`
        The row is damaged.
    """
    found = FoodRow._make(row)
    portions = [_portion(text) for text in found.servings.split(_NEXT)]
    default_g = portions[0].weight_g
    amounts = unpack_amounts(found.known, found.amounts)
    amounts *= default_g / 100
    servings = tuple(
        Serving(p.id, p.quantity, p.unit, p.weight_g / default_g, p.weight_g, place == 0)
        for place, p in enumerate(portions)
    )
    return Food(
        found.id,
        found.name,
        kind,
        category,
        Nutrients.of_amounts(amounts),
        servings,
        found.brand_name,
        found.glycemic_index,
        _GI_SOURCES[found.gi_source],
        None if found.barcode is None else printed_barcode(found.barcode),
        None if found.image is None else image_url(found.image, found.barcode),
        Diets(found.diets),
    )


def printed_barcode(gtin: int) -> str:
    """Write a GTIN with the digits that are printed: 8, 12, 13 or 14.

    Examples
    --------
    >>> printed_barcode(3017620422003), printed_barcode(49000006346)
    ('3017620422003', '049000006346')
    """
    for digits in (8, 12, 13):
        if gtin < 10**digits:
            return f"{gtin:0{digits}d}"
    return f"{gtin:014d}"


def image_url(packed: str, barcode: int | None) -> str:
    """Write the address of a picture in full."""
    if barcode is None:
        return packed
    name = packed[1:]
    if packed[0] == "=":
        return name
    return _folder(barcode) + (_FRONT[0] + name + _FRONT[1] if packed[0] == "*" else name)


def energy_kcal(known: int, packed: bytes, servings: str) -> float:
    """Read the energy of the default serving alone, NaN when it is unknown."""
    if not known & 1:  # the first of `NUTRIENTS`
        return math.nan
    default_g = _portion(servings.partition(_NEXT)[0]).weight_g
    return known_amounts(known, packed, 1)[0] * (default_g / 100)


def _pack_portion(portion: Portion) -> str:
    if (portion.quantity, portion.unit, portion.weight_g) == (100, "g", 100):
        return str(portion.id)  # every food has this one
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
    """Leave out what the barcode tells of a picture of Open Food Facts."""
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
    """Name the folder of a product: 13 digits split 3/3/3/4, shorter numbers as they are."""
    code = f"{gtin:013d}"
    if gtin < 10**8:
        return f"{_PICTURES}{gtin:08d}/"
    return f"{_PICTURES}{code[:3]}/{code[3:6]}/{code[6:9]}/{code[9:]}/"
