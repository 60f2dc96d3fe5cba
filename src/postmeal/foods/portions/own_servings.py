"""Weights of a food's own servings, by unit and size."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import geometric_mean
from typing import Protocol

from postmeal.foods.portions.model import Key
from postmeal.foods.portions.units import (
    BARE,
    SIZES,
    SYNONYMS,
    UNITS,
    USUAL,
    VOLUMES_ML,
    sizes_in,
    unit_named,
)
from postmeal.foods.words import name_words, words

__all__ = ["Measure", "Weighed", "known_measures", "measures_of", "own_measures"]

_MIDDLE = ("medium", "regular")
_SAME_G = 0.5


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


_NOT_SPECIFIED = "quantity not specified"
_UNUSABLE = re.compile(
    r"^guideline|yields\b|yield \(|yield from|^oz\b|^lb\b|^g$|estimated|unpopped|in shell|^inch\b|"
    r"with (?:shell|bone|refuse|skin and bone)|excluding refuse|recipe|\d+ calorie|"
    r"package yield|dry\b|raw\b"
)
_ASIDE = re.compile(r"\([^()]*\)")
_OUNCES_EACH = re.compile(r"(?:\d+(?:\.\d+)?|\d+/\d+)[ -](?:fl )?(?:oz|ounce)s?\b")
_CHANGED = re.compile(r"mashed|pureed|crushed|packed|crumb|crust not eaten|melted|powder|sifted")
_UNIT = re.compile(
    r"(?<!\w)(?:"
    + "|".join(map(re.escape, sorted(filter(None, UNITS | SYNONYMS.keys()), key=len, reverse=True)))
    + r")(?:e?s)?(?!\w)"
)
_SEVERAL = re.compile(r"\d ?(?:cup|tbsp|tsp|tablespoon|teaspoon)")
_FL_OZ = re.compile(r"^(?:fl\.? oz|fluid ounces?)\b")
_SIZE_FIRST = tuple(f"{size}," for size in SIZES)
_NO_PIECE = frozenset({"cup", "slice", "piece", "small", "medium", "large"})
_FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a food: a unit and a size."""

    unit: str
    size: str = ""
    changed: bool = False


@lru_cache(65_536)
def measures_of(text: str, name: tuple[str, ...]) -> tuple[Measure, ...]:
    """Return all units and sizes that a published measure applies to."""
    plain = text.casefold().strip()
    if plain == _NOT_SPECIFIED:
        return (Measure(USUAL),)
    if _FL_OZ.match(plain):
        return () if "with ice" in plain else (Measure("fl oz"),)
    plain = _OUNCES_EACH.sub(" ", _ASIDE.sub(" ", plain)).strip()
    if _UNUSABLE.search(plain):
        return ()
    main = plain if plain.startswith(_SIZE_FIRST) else plain.partition(",")[0]
    if plain.startswith("serving"):
        main = "serving"
    units = list(dict.fromkeys(unit_named(_singular(found[0])) for found in _UNIT.finditer(main)))
    sizes = sizes_in(plain) or [""]
    if volumes := [unit for unit in units if unit in VOLUMES_ML]:
        keys = [] if _SEVERAL.search(main) else volumes
    else:
        keys = [unit for unit in units if unit != BARE]
        if BARE in units or units == ["drink"] or _is_piece(main, units, sizes, name):
            keys.append(BARE)
    changed = bool(_CHANGED.search(plain))
    return tuple(Measure(unit, size, changed) for unit in keys for size in sizes)


def _is_piece(main: str, units: list[str], sizes: list[str], name: tuple[str, ...]) -> bool:
    """Return whether a measure counts the food itself, such as "large" or "banana" for a banana."""
    main_words = words(main)
    if any(word in name for word in main_words if word not in _NO_PIECE) or any(
        u in name for u in units
    ):
        return True
    return not units and (sizes != [""] or 0 < len(main_words) <= _FEW_WORDS)


def _singular(unit: str) -> str:
    stems = (unit, unit.removesuffix("s"), unit.removesuffix("es"))
    return next((stem for stem in stems if stem in UNITS or stem in SYNONYMS), unit)
