"""Operations by which a correction changes a scan.

A target is the index of a food in the scan before the correction. Added foods get the next free
indices, in the order of their `Add` operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from postmeal.errors import InputError
from postmeal.foods.food import Food
from postmeal.foods.portions.serving_range import serving_range_g
from postmeal.scans.scan import ScannedFood

__all__ = [
    "MAX_FACTOR",
    "MAX_GRAMS",
    "Add",
    "KeepOnly",
    "Operation",
    "Remove",
    "Rename",
    "Scale",
    "SetAmount",
    "SwapAmounts",
    "applied",
]

MAX_FACTOR = 10.0
"""Largest factor by which a correction may multiply an amount."""

MAX_GRAMS = 5000.0
"""Largest amount of a food after a correction, in grams."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Multiply the amount of a food by a factor above 0 and at most `MAX_FACTOR`.

    A factor above 1 must not increase the amount beyond `MAX_GRAMS`.
    """

    target: int
    factor: float


@dataclass(frozen=True, slots=True)
class SetAmount:
    """Set the amount of a food, in grams above 0 and at most `MAX_GRAMS`."""

    target: int
    grams: float


@dataclass(frozen=True, slots=True)
class Rename:
    """Replace one food with another, and keep the amount."""

    target: int
    food: Food
    said: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a food."""

    target: int


@dataclass(frozen=True, slots=True)
class Add:
    """Add a food with an amount in grams, above 0 and at most `MAX_GRAMS`.

    Attributes
    ----------
    food : Food
        The food.
    grams : float
        The amount.
    said : str
        Words of the correction that name the food.
    is_assumed : bool, default=False
        Whether the amount was not stated but is a typical serving.
    """

    food: Food
    grams: float
    said: str
    is_assumed: bool = False


@dataclass(frozen=True, slots=True)
class KeepOnly:
    """Remove all foods except the targets."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SwapAmounts:
    """Exchange the amounts of two foods."""

    first: int
    second: int


Operation = Scale | SetAmount | Rename | Remove | Add | KeepOnly | SwapAmounts
"""Any of the operations."""


def applied(
    operations: Sequence[Operation], foods: Sequence[ScannedFood]
) -> list[tuple[int | None, ScannedFood]]:
    """Apply operations to the foods of a scan.

    Parameters
    ----------
    operations : sequence of Operation
        The operations, in the order in which they are applied.
    foods : sequence of ScannedFood
        The foods of the scan.

    Returns
    -------
    list of tuple of int or None, and ScannedFood
        Each food after the correction, with its index in `foods`, or None if it was added.
        Unchanged foods are the same objects as before.

    Raises
    ------
    InputError
        A target does not exist, or a factor or an amount is out of bounds.

    Examples
    --------
    >>> foods = [ScannedFood("white rice", 200.0), ScannedFood("broccoli", 80.0)]
    >>> [(place, food.name, food.grams) for place, food in applied([Scale(0, 0.5)], foods)]
    [(0, 'white rice', 100.0), (1, 'broccoli', 80.0)]
    """
    after: list[ScannedFood | None] = list(foods)
    for operation in operations:
        _apply(operation, after)
    return [
        (place if place < len(foods) else None, food)
        for place, food in enumerate(after)
        if food is not None
    ]


def _apply(operation: Operation, after: list[ScannedFood | None]) -> None:
    match operation:
        case Scale(target, factor):
            if not 0 < factor <= MAX_FACTOR:
                raise InputError("factor", f"must be above 0 and at most {MAX_FACTOR:g}", factor)
            food = _at(after, target)
            if factor > 1:
                _checked(food.grams * factor)
            after[target] = _scaled(food, factor) if factor != 1 else food
        case SetAmount(target, grams):
            after[target] = replace(_at(after, target), grams=_checked(grams), serving_range_g=None)
        case Rename(target, food, said):
            before = _at(after, target)
            eaten_g = serving_range_g(food, before.grams) if before.serving_range_g else None
            after[target] = replace(
                before,
                name=food.name,
                food=food,
                source="correction",
                said=said,
                serving_range_g=eaten_g,
            )
        case Remove(target):
            _at(after, target)
            after[target] = None
        case Add(food, grams, said, is_assumed):
            added = ScannedFood.assumed if is_assumed else ScannedFood
            after.append(added(food.name, _checked(grams), food, "medium", "correction", said))
        case KeepOnly(targets):
            for target in targets:
                _at(after, target)
            for place in range(len(after)):
                if place not in targets:
                    after[place] = None
        case SwapAmounts(first, second):
            one, other = _at(after, first), _at(after, second)
            after[first] = replace(one, grams=other.grams, serving_range_g=None)
            after[second] = replace(other, grams=one.grams, serving_range_g=None)


def _scaled(food: ScannedFood, factor: float) -> ScannedFood:
    eaten_g = food.serving_range_g
    if eaten_g is not None:
        eaten_g = (eaten_g[0] * factor, eaten_g[1] * factor)
    return replace(food, grams=food.grams * factor, serving_range_g=eaten_g)


def _at(after: list[ScannedFood | None], target: int) -> ScannedFood:
    food = after[target] if 0 <= target < len(after) else None
    if food is None:
        raise InputError("target", "must be a food of the scan", target)
    return food


def _checked(grams: float) -> float:
    if not (math.isfinite(grams) and 0 < grams <= MAX_GRAMS):
        raise InputError("grams", f"must be above 0 and at most {MAX_GRAMS:g}", grams)
    return grams
