"""Weights of a food's own servings, by unit and size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from statistics import geometric_mean
from typing import Protocol

from postmeal.foods.portions.measure import measures_of
from postmeal.foods.portions.model import Key
from postmeal.foods.words import name_words

__all__ = ["Weighed", "known_measures", "own_measures"]

_MIDDLE = ("medium", "regular")
_SAME_G = 0.5
_SAME_KIND = 3.0  # ratio of weights from which servings in one unit are different things


class Weighed(Protocol):
    """A serving with a quantity, a unit and, if known, a weight."""

    @property
    def quantity(self) -> float:
        """Number of units."""

    @property
    def unit(self) -> str:
        """The unit, such as "slice, large"."""

    @property
    def weight_g(self) -> float | None:
        """Weight of the quantity in grams; None if unknown."""


@lru_cache(4096)
def own_measures(
    name: str, servings: tuple[Weighed, ...], usual_g: float | None
) -> dict[Key, float]:
    """Return the cached result of `known_measures`, which the caller must not change."""
    return known_measures(name, servings, usual_g)


def known_measures(
    name: str, servings: Iterable[Weighed], usual_g: float | None
) -> dict[Key, float]:
    """Return the weight of each unit and size among the servings of a food.

    If a unit occurs only with sizes, the unit without a size is added. If one of the sizes weighs
    as much as the usual amount, the added unit has the weight of this size. Otherwise, it has the
    weight of the medium or regular size.
    """
    words = tuple(name_words(name)[0])
    grams: dict[Key, list[float]] = defaultdict(list)
    for serving in servings:
        if serving.unit == "g" or not serving.weight_g or not serving.quantity > 0:
            continue
        for measure in measures_of(serving.unit, words):
            if not measure.changed:
                one_g = serving.weight_g / serving.quantity
                grams[measure.unit, measure.size].append(one_g)
    known = {
        key: values[0] if len(values) == 1 else geometric_mean(values)
        for key, values in grams.items()
        if max(values) <= _SAME_KIND * min(values) or not any((key[0], m) in grams for m in _MIDDLE)
    }
    return known | _plain_sizes(known, usual_g)


def _plain_sizes(known: Mapping[Key, float], usual_g: float | None) -> dict[Key, float]:
    plain: dict[Key, float] = {}
    for unit in {unit for unit, _ in known if (unit, "") not in known}:
        sized = {size: g for (other, size), g in known.items() if other == unit}
        usual = [g for g in sized.values() if usual_g is not None and abs(g - usual_g) < _SAME_G]
        middle = [sized[size] for size in _MIDDLE if size in sized]
        if usual or middle:
            plain[unit, ""] = (usual or middle)[0]
    return plain
