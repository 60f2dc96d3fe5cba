"""Convert the amounts in a correction to grams."""

from __future__ import annotations

from dataclasses import replace

from postmeal.foods.food import Food
from postmeal.foods.language.measure_weights import weight_of
from postmeal.foods.language.phrases.phrase import Phrase

_LEAST_BARE_G = 5  # "butter 3" may be 3 g or 3 pats
_MOST_COUNTED = 6
_VESSELS = frozenset({"bowl", "glass", "mug", "plate"})
_VAGUE = frozenset({"helping", "item", "piece", "portion", "serving", "unit"})
_LIKE_WATER = 0.08
_NEARLY_WHOLE = 0.2
_SURELY_WHOLE = 0.06
_MOST_PIECES = 40


def usual_grams_of(name: str, food: Food) -> float:
    """Return the weight, in grams, that is assumed for a food named without an amount."""
    return weight_of(Phrase(name, name), food).grams


def grams_of(
    amount: Phrase,
    name: str,
    food: Food | None,
    now_g: float | None,
    *,
    in_pieces: bool = False,
    is_plural: bool = False,
    follows: bool = False,
) -> float | None:
    """Return the weight of an amount of a food in grams.

    If the density of a food is within 8% of the density of water, 1 ml counts as 1 g, because
    people do not fill cups and glasses more precisely.
    """
    if amount.mass_g is not None and not (amount.in_ounces and food is not None):
        return amount.mass_g
    if amount.volume_ml is not None and food is None:
        return amount.volume_ml
    if food is None:
        return None if now_g is None or amount.unit or not amount.count else now_g * amount.count
    if now_g is not None and amount.count and not amount.unit and not _measured(amount):
        if amount.size:
            return _sized(amount, name, food, now_g)
        if follows and not is_plural and now_g / 4 <= amount.count <= 4 * now_g:
            return amount.count if amount.count >= _LEAST_BARE_G else None
        if follows and not is_plural and not _is_counted(name, food, now_g, amount.count):
            return None  # "rice 3"
        return amount.count * _piece(name, food, now_g, in_pieces, is_plural)
    weight = weight_of(replace(amount, name=name), food)
    if weight.implausible and not _measured(amount):
        return None
    grams = weight.grams
    if amount.volume_ml:
        density = grams / amount.volume_ml
        return amount.volume_ml if abs(density - 1) <= _LIKE_WATER else grams
    if amount.mass_g and abs(grams / amount.mass_g - 1) > _LIKE_WATER + 0.05:
        return grams if amount.in_ounces else amount.mass_g
    if now_g is not None and amount.count and amount.unit:
        one_g = grams / amount.count
        tolerance = _NEARLY_WHOLE if amount.unit in _VESSELS else _NEARLY_WHOLE / 2
        pieces = _pieces(now_g, one_g, tolerance)
        if pieces:
            return amount.count * now_g / pieces
        if amount.unit in _VAGUE:
            return None  # "the wrap is one piece"
    return grams


def _measured(amount: Phrase) -> bool:
    return amount.mass_g is not None or amount.volume_ml is not None


def _sized(amount: Phrase, name: str, food: Food, now_g: float) -> float | None:
    count = amount.count or 1.0
    return count * weight_of(replace(amount, name=name, count=1.0), food).grams if now_g else None


def _piece(name: str, food: Food, now_g: float, in_pieces: bool, is_plural: bool) -> float:
    """Return the weight of one piece of a food in the scan, in grams."""
    one_g = weight_of(Phrase("1", name, 1.0), food).grams
    pieces = _pieces(now_g, one_g, _NEARLY_WHOLE if is_plural else _SURELY_WHOLE)
    if pieces and (in_pieces or "egg" in name.casefold()):
        return now_g / pieces
    return one_g if is_plural and one_g < now_g else now_g


def _is_counted(name: str, food: Food, now_g: float, count: float) -> bool:
    """Return whether a number may count pieces of a food, as in "banana 2"."""
    one_g = weight_of(Phrase("1", name, 1.0), food).grams
    return count <= _MOST_COUNTED and _pieces(now_g, one_g, _NEARLY_WHOLE) is not None


def _pieces(now_g: float, one_g: float, tolerance: float) -> int | None:
    pieces = round(now_g / one_g) if one_g > 0 else 0
    if not 1 <= pieces <= _MOST_PIECES:
        return None
    return pieces if abs(now_g / one_g - pieces) <= tolerance * min(pieces, 2) else None
