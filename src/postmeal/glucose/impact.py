"""The impact score: low, medium or high, and the probability of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["IMPACTS", "Impact", "ImpactScale"]

Impact = Literal["low", "medium", "high"]
IMPACTS: tuple[Impact, ...] = ("low", "medium", "high")


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

    def chances(self, rise_mg_dl: float) -> tuple[float, float]:
        """Chance that the observed rise reaches 30, and 50 mg/dL, given the predicted rise."""
        growth = self.slope_per_mg_dl * rise_mg_dl
        return _logistic(self.log_odds_30 + growth), _logistic(self.log_odds_50 + growth)

    def label(self, rise_mg_dl: float) -> Impact:
        """Choose the label for a predicted rise.

        Examples
        --------
        >>> scale = ImpactScale(0.05, -1.5, -3.0, cut_medium=0.4, cut_high=0.35)
        >>> [scale.label(rise) for rise in (5.0, 25.0, 60.0)]
        ['low', 'medium', 'high']
        """
        reaches_30, reaches_50 = self.chances(rise_mg_dl)
        if reaches_50 >= self.cut_high:
            return "high"
        return "medium" if reaches_30 >= self.cut_medium else "low"

    def probabilities(self, rise_mg_dl: float) -> dict[str, float]:
        """Probability of each impact for a predicted rise; they add up to one."""
        reaches_30, reaches_50 = self.chances(rise_mg_dl)
        return {"low": 1 - reaches_30, "medium": reaches_30 - reaches_50, "high": reaches_50}


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
