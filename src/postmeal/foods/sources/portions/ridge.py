"""Ridge regression on hashed features, by conjugate gradients (Hestenes and Stiefel 1952)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.portions.features import BUCKETS, bucket, features_of
from postmeal.foods.portions.units import nominal
from postmeal.foods.sources.portions.examples import KIND, SURVEY, TWIN, Example

__all__ = ["PENALTY", "Design", "design_of", "fit"]

PENALTY = 1.5
"""Penalty on squared weights, chosen on foods held out among 0.3, 1, 1.5, 2 and 3."""

_OTHER_SOURCES = 0.5  # weight of examples from SR28 and dishes, chosen in the same way
_STEPS = 200
_CLOSE_ENOUGH = 1e-2


@dataclass(frozen=True)
class Design:
    """Features of examples as a sparse matrix, and their targets.

    Attributes
    ----------
    buckets, values : ndarray of shape (n_features,)
        Features of all examples, one example after the other.
    rows : ndarray of shape (n_features,)
        The example that each feature belongs to.
    starts : ndarray of shape (n_examples,)
        Where the features of each example start.
    targets : ndarray of shape (n_examples,)
        Natural logarithm of grams over the nominal milliliters of the unit.
    importance : ndarray of shape (n_examples,)
        Weights of the examples.
    """

    buckets: NDArray[np.int64]
    values: NDArray[np.float64]
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    targets: NDArray[np.float64]
    importance: NDArray[np.float64]

    def part(self, chosen: NDArray[np.bool_]) -> Design:
        """Return the design of some of the examples."""
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
        """Return the sum over the examples of features times errors times importance."""
        weighted = (errors * self.importance)[self.rows]
        summed = np.bincount(self.buckets, self.values * weighted, BUCKETS)
        return summed.astype(np.float64)


def design_of(examples: Sequence[Example]) -> Design:
    """Return the features and targets of examples.

    Examples of other publishers also have features of the publisher and the unit, which are left
    out when the model is used: its predictions follow the conventions of the survey.
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
    """Fit the weights of the features.

    Parameters
    ----------
    design : Design
        Features and targets.

    Returns
    -------
    ndarray of shape (BUCKETS,)
        The weights.
    """
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
