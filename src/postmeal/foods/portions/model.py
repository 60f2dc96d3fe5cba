"""The portion model, which predicts the weight of one unit of a food.

The model is fitted to published household portions. The logarithm of the weight is a linear
function of the features of the food and the measure (see `postmeal.foods.portions.features`). If
the weights of other servings of the food are known, part of the model's error for these servings is
added to the prediction. This part is large for closely related measures, such as a slice and a
large slice. It is small for less related measures, such as a slice and a cup.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import DataSetError
from postmeal.foods.portions.features import BUCKETS, Described, bucket, features_of
from postmeal.foods.portions.units import BARE, USUAL, VOLUMES_ML, nominal

Key = tuple[str, str]
"""A unit and a size."""

MOST = "most"
"""Unit that stands for the largest plausible amount of a food in its food group."""

_FILE = "portion_model.npz"


@dataclass(frozen=True)
class PortionModel:
    """A fitted portion model."""

    weights: NDArray[np.int16]
    step: float
    usual_g: Mapping[int, float]
    countable: frozenset[int]
    model_first: frozenset[str]
    shares: Mapping[str, float]
    errors: Mapping[str, tuple[float, float]]

    @classmethod
    @lru_cache(1)
    def shipped(cls) -> PortionModel:
        """Return the model shipped with the package."""
        with files("postmeal.foods.portions").joinpath(_FILE).open("rb") as file:
            return cls._from(np.load(file, allow_pickle=False))

    @classmethod
    def read(cls, path: Path) -> PortionModel:
        """Read a model from a file written by `write`."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return cls._from(arrays)
        except (OSError, ValueError, KeyError) as error:
            raise DataSetError(f"{path} is not a portion model: {error}") from error

    @classmethod
    def _from(cls, arrays: Mapping[str, NDArray[np.generic]]) -> PortionModel:
        tables = json.loads(arrays["tables"].tobytes())
        weights = arrays["weights"].astype(np.int16)
        if weights.shape != (BUCKETS,):
            raise ValueError(f"the weights must have the shape ({BUCKETS},), got {weights.shape}")
        grams = arrays["usual_g"].astype(np.float64)
        return cls(
            weights,
            tables["step"],
            dict(zip(arrays["usual_id"].tolist(), grams.tolist(), strict=True)),
            frozenset(arrays["countable"].tolist()),
            frozenset(tables["model_first"]),
            tables["shares"],
            {unit: (low, high) for unit, (low, high) in tables["errors"].items()},
        )

    def write(self, path: Path) -> None:
        """Write the model as a compressed NumPy archive; equal models result in equal bytes."""
        tables = {
            "step": self.step,
            "model_first": sorted(self.model_first),
            "shares": dict(self.shares),
            "errors": dict(self.errors),
        }
        ids = sorted(self.usual_g)
        np.savez_compressed(
            path,
            weights=self.weights,
            usual_id=np.array(ids, dtype=np.int32),
            usual_g=np.array([self.usual_g[one] for one in ids], dtype=np.float32),
            countable=np.array(sorted(self.countable), dtype=np.int32),
            tables=np.frombuffer(json.dumps(tables, sort_keys=True).encode(), dtype=np.uint8),
        )

    def grams(self, food: Described, unit: str, size: str, known: Mapping[Key, float]) -> float:
        """Predict the weight of one unit of a food."""
        log_g = self._log_g(food, unit, size)
        related: dict[str, list[float]] = {}
        for key, own_g in known.items():
            name = relation((unit, size), key)
            if own_g > 0 and self.shares.get(name, 0.0) > 0:
                related.setdefault(name, []).append(math.log(own_g) - self._log_g(food, *key))
        if related:
            best = max(related, key=lambda name: self.shares[name])
            log_g += self.shares[best] * sum(related[best]) / len(related[best])
        return math.exp(log_g)

    def is_countable(self, food: Described) -> bool:
        """Return whether foods with the same head word are counted by the piece."""
        return bucket(food.head) in self.countable

    def _log_g(self, food: Described, unit: str, size: str) -> float:
        buckets, values = features_of(food, unit, size)
        total = float(self.weights[buckets] @ np.array(values)) * self.step
        return total + math.log(nominal(unit))


def relation(wanted: Key, known: Key) -> str:
    """Return the relation of two measures, which is a key of `PortionModel.shares`."""
    if wanted[0] == known[0]:
        return "same unit"
    forms = [_form(wanted[0]), _form(known[0])]
    if forms == ["volume", "volume"]:
        return "volumes"
    return " from ".join(forms)


def _form(unit: str) -> str:
    if unit in VOLUMES_ML:
        return "volume"
    return {USUAL: "usual", BARE: "bare", MOST: "most"}.get(unit, "piece")
