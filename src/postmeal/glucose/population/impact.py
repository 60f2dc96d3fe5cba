"""Impact score of a meal: low, medium or high, with the probability of each.

The cut points between the scores are stated only here. All other texts and names that contain them
are derived from `RISE_CUTS_MG_DL` and `RiseChances`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "IMPACTS",
    "RISE_CUTS_MG_DL",
    "Impact",
    "ImpactScale",
    "RiseChances",
    "label_probabilities",
    "logistic",
]

Array = NDArray[np.float64]

Impact = Literal["low", "medium", "high"]
IMPACTS: tuple[Impact, ...] = ("low", "medium", "high")

RISE_CUTS_MG_DL = (30.0, 50.0)
"""Rises that separate the impacts: below 30 mg/dL is low, below 50 is medium, otherwise high."""


@dataclass(frozen=True)
class RiseChances:
    """Probabilities of large rises in the two hours after a meal.

    Attributes
    ----------
    rise_30, rise_50 : float
        Probabilities that the highest reading is at least 30 and 50 mg/dL above the first reading;
        see `ImpactScale`.
    """

    rise_30: float
    rise_50: float


@dataclass(frozen=True)
class ImpactScale:
    """Model of the observed rise, given the predicted rise.

    A rise below 30 mg/dL is low, and a rise of 50 mg/dL or more is high. The peak of a mean curve
    is lower than the mean of the peaks, so the label cannot be taken from the predicted curve.
    Instead, the probabilities that the observed rise reaches 30 and 50 mg/dL are logistic functions
    of the predicted rise (proportional odds: McCullagh 1980,
    doi:10.1111/j.2517-6161.1980.tb01109.x). A threshold for each probability determines the label.
    The thresholds were chosen to maximize the macro-F1 score for held-out people. Both
    probabilities increase with the predicted rise, and so does the label.

    Attributes
    ----------
    slope_per_mg_dl : float
        Increase of the log odds per mg/dL of predicted rise; positive.
    log_odds_30, log_odds_50 : float
        Log odds of reaching 30 and 50 mg/dL if no rise is predicted.
    cut_medium, cut_high : float
        Lowest probability of reaching 30 mg/dL at which the label is medium, and of reaching 50
        mg/dL at which it is high.
    """

    slope_per_mg_dl: float
    log_odds_30: float
    log_odds_50: float
    cut_medium: float
    cut_high: float

    def chances(self, rise_mg_dl: ArrayLike) -> tuple[Array, Array]:
        """Return the probabilities that the observed rises reach 30 and 50 mg/dL."""
        growth = self.slope_per_mg_dl * np.asarray(rise_mg_dl, dtype=np.float64)
        return _logistic(self.log_odds_30 + growth), _logistic(self.log_odds_50 + growth)

    def chances_of_rise(self, rise_mg_dl: float) -> tuple[float, float]:
        """Return the probabilities of `chances` for a single meal, computed with plain floats."""
        growth = self.slope_per_mg_dl * rise_mg_dl
        return logistic(self.log_odds_30 + growth), logistic(self.log_odds_50 + growth)

    def labels(self, reaches_30: Array, reaches_50: Array) -> NDArray[np.intp]:
        """Return the label for each pair of `chances`, as a position in `IMPACTS`.

        Examples
        --------
        >>> scale = ImpactScale(0.05, -1.5, -3.0, cut_medium=0.4, cut_high=0.35)
        >>> [IMPACTS[label] for label in scale.labels(*scale.chances([5.0, 25.0, 60.0]))]
        ['low', 'medium', 'high']
        """
        at_least_medium = (reaches_30 >= self.cut_medium).astype(np.intp)
        return np.where(reaches_50 >= self.cut_high, 2, at_least_medium)


def logistic(log_odds: float) -> float:
    """Convert log odds to a probability; large log odds of either sign do not overflow."""
    return 0.5 + 0.5 * math.tanh(log_odds / 2)


def label_probabilities(reaches_30: Array, reaches_50: Array) -> Array:
    """Return the probability of each label for each pair of chances, of shape (..., 3)."""
    return np.stack([1 - reaches_30, reaches_30 - reaches_50, reaches_50], axis=-1)


def _logistic(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(np.minimum(-x, 700.0))))  # NaN stays NaN
