"""Ridge regression on hashed features, by conjugate gradients (Hestenes and Stiefel 1952)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.portions.features import BUCKETS, bucket, features_of
from postmeal.foods.portions.units import nominal
from tools.food_table.portion_examples import KIND, SURVEY, TWIN, Example

__all__ = ["PENALTY", "Design", "design_of", "fit"]

PENALTY = 1.5
"""Factor of the penalty on squared weights, chosen from 0.3, 1, 1.5, 2 and 3 on held-out foods."""

_OTHER_SOURCES = 0.5  # weight of examples that are not survey foods, chosen on held-out foods
_STEPS = 200
_CLOSE_ENOUGH = 1e-2


@dataclass(frozen=True)
class Design:
    """The features of examples, stored as a sparse matrix, and their targets."""

    buckets: NDArray[np.int64]
    values: NDArray[np.float64]
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    targets: NDArray[np.float64]
    importance: NDArray[np.float64]

    def part(self, chosen: NDArray[np.bool_]) -> Design:
        """Return the features and targets of the selected examples."""
        features = chosen[self.rows]
        counts = np.bincount(self.rows, minlength=len(chosen))[chosen]
        return Design(
            self.buckets[features],
            self.values[features],
            np.repeat(np.arange(len(counts)), counts),
            np.concatenate(([0], np.cumsum(counts)[:-1])),
            self.targets[chosen],
            self.importance[chosen],
        )

    def predict(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the prediction for each example."""
        return np.add.reduceat(self.values * weights[self.buckets], self.starts)

    def gradient(self, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of features × errors × importance over all examples."""
        weighted = (errors * self.importance)[self.rows]
        summed = np.bincount(self.buckets, self.values * weighted, BUCKETS)
        return summed.astype(np.float64)


def design_of(examples: Sequence[Example]) -> Design:
    """Build the features and targets of examples.

    Examples from publishers other than the survey have additional features for the publisher and
    the unit. Predictions are made without these features, so that they follow the conventions of
    the survey.
    """
    buckets: list[int] = []
    values: list[float] = []
    sizes = []
    for example in examples:
        found, weights = features_of(example.food, *example.key)
        if example.source not in (SURVEY, KIND, TWIN):
            unit, size = example.key
            names = (f"s:{example.source}|{unit}", f"s:{example.source}|{unit}|{size}")
            found, weights = [*found, *map(bucket, names)], [*weights, 1.0, 1.0]
        buckets += found
        values += weights
        sizes.append(len(found))
    return Design(
        np.array(buckets, dtype=np.int64),
        np.array(values),
        np.repeat(np.arange(len(examples)), sizes),
        np.concatenate(([0], np.cumsum(sizes)[:-1])),
        np.array([math.log(e.weight_g / nominal(e.key[0])) for e in examples]),
        np.array([1.0 if e.source in (SURVEY, KIND) else _OTHER_SOURCES for e in examples]),
    )


def fit(design: Design) -> NDArray[np.float64]:
    """Fit the weights of the features."""
    weights = np.zeros(BUCKETS)
    rest = design.gradient(design.targets)
    direction, squared = rest.copy(), float(rest @ rest)
    for _ in range(_STEPS):
        curved = design.gradient(design.predict(direction)) + PENALTY * direction
        length = squared / float(direction @ curved)
        weights += length * direction
        rest -= length * curved
        before, squared = squared, float(rest @ rest)
        if squared < _CLOSE_ENOUGH:
            break
        direction = rest + squared / before * direction
    return weights
