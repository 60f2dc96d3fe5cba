"""The impact score: low, medium or high, and the probability of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["IMPACTS", "RISE_CUTS_MG_DL", "Impact", "ImpactScale"]

Array = NDArray[np.float64]

Impact = Literal["low", "medium", "high"]
IMPACTS: tuple[Impact, ...] = ("low", "medium", "high")

RISE_CUTS_MG_DL = (30.0, 50.0)
"""Observed impact: low below 30 mg/dL of rise, medium up to 50, high from 50."""


@dataclass(frozen=True)
class ImpactScale:
    """From a predicted rise to the distribution of the rise that will be observed.

    A rise below 30 mg/dL is low, one of 50 or more is high. The highest point of a mean curve
    understates the mean highest point, so the label is not read off the curve. The chance that
    the observed rise reaches 30, or 50, is a logistic function of the predicted rise
    (proportional odds: McCullagh 1980, doi:10.1111/j.2517-6161.1980.tb01109.x), and the label
    follows from two cut points on these chances, fitted for the best macro-F1 at people the model
    had not seen. Both chances grow with the predicted rise, and so does the label.

    Attributes
    ----------
    slope_per_mg_dl : float
        Growth of the log odds with the predicted rise; positive.
    log_odds_30, log_odds_50 : float
        Log odds of reaching 30 and 50 mg/dL when no rise is predicted.
    cut_medium, cut_high : float
        The label is at least medium from this chance of reaching 30 on, high from this chance of
        reaching 50 on.
    """

    slope_per_mg_dl: float
    log_odds_30: float
    log_odds_50: float
    cut_medium: float
    cut_high: float

    def chances(self, rise_mg_dl: ArrayLike) -> tuple[Array, Array]:
        """Chance that each observed rise reaches 30, and 50 mg/dL, given the predicted rises."""
        growth = self.slope_per_mg_dl * np.asarray(rise_mg_dl, dtype=np.float64)
        return _logistic(self.log_odds_30 + growth), _logistic(self.log_odds_50 + growth)

    def labels(self, rise_mg_dl: ArrayLike) -> NDArray[np.intp]:
        """Choose the label for each predicted rise, as a position in `IMPACTS`.

        Examples
        --------
        >>> scale = ImpactScale(0.05, -1.5, -3.0, cut_medium=0.4, cut_high=0.35)
        >>> [IMPACTS[label] for label in scale.labels([5.0, 25.0, 60.0])]
        ['low', 'medium', 'high']
        """
        reaches_30, reaches_50 = self.chances(rise_mg_dl)
        at_least_medium = (reaches_30 >= self.cut_medium).astype(np.intp)
        return np.where(reaches_50 >= self.cut_high, 2, at_least_medium)

    def probabilities(self, rise_mg_dl: ArrayLike) -> Array:
        """Probability of each label for each predicted rise, of shape (..., 3); they sum to 1."""
        reaches_30, reaches_50 = self.chances(rise_mg_dl)
        return np.stack([1 - reaches_30, reaches_30 - reaches_50, reaches_50], axis=-1)


def _logistic(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(np.minimum(-x, 700.0))))  # NaN stays NaN
