"""Hashed features of a food and a measure, for the portion model.

A feature is a measure, or the combination of a measure with a property of the food: its food group,
the words of its name or its energy density. The names of the features are hashed into `BUCKETS`
buckets (Weinberger et al. 2009, doi:10.1145/1553374.1553516), so the model does not need a
vocabulary.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import lru_cache

from postmeal.foods.portions.units import VOLUMES_ML
from postmeal.foods.words import name_words

BUCKETS = 1 << 18
"""Number of buckets. With half as many, the share of weights that are predicted within 30% is
1 percentage point lower."""

_MEASURE, _GROUP, _HEAD, _WORD, _ENERGY = 2.0, 2.0, 1.0, 0.5, 0.5
"""Values of the features, chosen on held-out foods. The weights of features with larger values are
shrunk less toward 0."""

_ENERGY_STEP = 0.5
_MOST_WORDS = 10
_SAYS_NOTHING = frozenset({"nf", "ns", "as", "to", "of", "and", "or", "with", "from", "in", "the",
                           "a", "made", "type", "added", "no", "for", "not",
                           "specified"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Described:
    """Properties of a food that the portion model uses."""

    words: tuple[str, ...]
    head: str
    group: str
    energy: int | None


@lru_cache(16_384)
def describe(name: str, group: str, energy_kcal: float | None) -> Described:
    """Return the properties of a food that the portion model uses."""
    found, identifying = name_words(name)
    distinct = dict.fromkeys(word for word in found if word not in _SAYS_NOTHING)
    head = found[identifying - 1] if identifying else ""
    energy = None if energy_kcal is None else round(math.log(energy_kcal + 10) / _ENERGY_STEP)
    return Described(tuple(distinct)[:_MOST_WORDS], head, group, energy)


def features_of(food: Described, unit: str, size: str) -> tuple[list[int], list[float]]:
    """Return the features of a food and a measure."""
    measures = [f"{unit}|{size}", "volume" if unit in VOLUMES_ML else unit]
    if unit not in VOLUMES_ML:  # an exact volume is not a feature by itself
        measures = list(dict.fromkeys((*measures, f"|{size}", unit)))
    traits = _traits(food)
    names = measures + [f"{measure}&{name}" for measure in measures for name, _ in traits]
    values = [_MEASURE] * len(measures) + [value for _, value in traits] * len(measures)
    return [bucket(name) for name in names], values


def bucket(name: str) -> int:
    """Return the bucket into which a feature's name is hashed."""
    return zlib.crc32(name.encode()) % BUCKETS


def _traits(food: Described) -> list[tuple[str, float]]:
    traits = [
        (f"c:{food.group}", _GROUP),
        (f"h:{food.head}", _HEAD),
        (f"hc:{food.head}|{food.group}", _HEAD),
        *((f"w:{word}", _WORD) for word in food.words),
    ]
    if len(food.words) > 1:
        traits.append((f"b:{food.words[0]} {food.words[1]}", _WORD))
    if food.energy is not None:
        traits.append((f"e:{food.energy}", _ENERGY))
        traits.append((f"ce:{food.group}:{food.energy}", _ENERGY))
    return traits
