"""The 90% band around a predicted curve, by conformal calibration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.states import STATES

Array = NDArray[np.float64]

UNTRAINED_FACTOR = 1.25
"""Factor by which the band is wider for conditions without training data. It is an assumption."""

GROWTH_PER_MG_DL = 0.01
"""Relative increase of the band width per mg/dL of predicted rise.

Values of 0, 0.005, 0.01, 0.02 and 0.03 were compared on held-out people of the training sets. This
value gave the narrowest band and the fewest people with less than 80% coverage.
"""

_NORMAL_95 = 1.645
"""The 95% quantile of the standard normal distribution."""


@dataclass(frozen=True)
class Band:
    """Distances from the curve to the lower and the upper end of its band.

    The distances are quantiles of the errors for held-out people, by state of glucose regulation
    and minute. The method is conformal prediction (Lei et al. 2018,
    doi:10.1080/01621459.2017.1307116) with weights and ten folds of people, each predicted from the
    others. With folds and weights, the guarantee of a single split does not hold, so coverage is
    measured, not guaranteed. Coverage refers to each minute, not to whole curves.

    Errors are larger after meals with a larger rise. The distances therefore grow by one percent
    per mg/dL of predicted rise. The band is about a quarter wider for a large meal than for a
    snack.
    """

    below_mg_dl: Array
    above_mg_dl: Array

    @cached_property
    def rows(self) -> tuple[tuple[list[float], list[float]], ...]:
        """The distances below and above the curve as lists, by state."""
        return tuple(zip(self.below_mg_dl.tolist(), self.above_mg_dl.tolist(), strict=True))

    def to_dict(self) -> dict[str, dict[str, list[float]]]:
        """Return the band as a JSON-serializable dict."""
        sides = zip(STATES, self.below_mg_dl.tolist(), self.above_mg_dl.tolist(), strict=True)
        return {state: {"below": below, "above": above} for state, below, above in sides}

    @classmethod
    def from_dict(cls, values: dict[str, dict[str, list[float]]]) -> Band:
        """Create the band from ``{state: {"below": [...], "above": [...]}}``."""
        return cls(
            np.array([values[state]["below"] for state in STATES]),
            np.array([values[state]["above"] for state in STATES]),
        )


def widening(rise_mg_dl: Array) -> Array:
    """Return the factor by which each predicted rise widens the band."""
    return np.asarray(1 + GROWTH_PER_MG_DL * np.maximum(rise_mg_dl, 0.0))


def with_spread(distance_mg_dl: Array, sd_mg_dl: Array) -> Array:
    """Widen distances from the curve to an end of its band by an additional, independent error.

    The variances are added, as if both errors were normal.
    """
    return np.asarray(np.hypot(distance_mg_dl, _NORMAL_95 * sd_mg_dl))
