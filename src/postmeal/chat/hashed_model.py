"""Linear models over hashed text features. The files store each weight in one byte."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

N_FEATURES = 2**15
"""Number of features. A text has feature number `n` if `n` is the hash of one of its parts."""


class HashedModel(NamedTuple):
    """Weights of a multinomial logistic regression."""

    weights: npt.NDArray[np.floating]
    intercepts: npt.NDArray[np.floating]

    def logits(self, present: npt.NDArray[np.int64], value: float = 1.0) -> npt.NDArray[np.float64]:
        """Return the unnormalized log-probability of each class."""
        sums = self.weights[:, present].sum(axis=1, dtype=np.float64)
        return np.asarray(self.intercepts + sums * value, dtype=np.float64)

    def likelihoods(
        self, present: npt.NDArray[np.int64], value: float = 1.0
    ) -> npt.NDArray[np.float64]:
        """Return the probability of each class; the probabilities add up to 1."""
        logits = self.logits(present, value)
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), dtype=np.float64)

    @classmethod
    def read(cls, name: str, classes: Sequence[str]) -> HashedModel:
        """Read a model from a file of this package."""
        with files("postmeal.chat").joinpath(name).open("rb") as file:
            arrays = np.load(file, allow_pickle=False)
            model = cls(arrays["weights"] * arrays["scales"][:, None], arrays["intercepts"])
        if model.weights.shape != (len(classes), N_FEATURES):
            raise ValueError(
                f"the weights in {name} must have the shape {(len(classes), N_FEATURES)}, got"
                f" {model.weights.shape}; fit the model again"
            )
        return model
