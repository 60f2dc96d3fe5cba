"""The 90 % band around a predicted curve, by conformal calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.curve import GRID_MIN
from postmeal.glucose.states import STATES

__all__ = ["UNTRAINED_FACTOR", "Band"]

Array = NDArray[np.float64]

UNTRAINED_FACTOR = 1.25
"""How much wider the band is for a condition that no training data back: a chosen margin."""


@dataclass(frozen=True)
class Band:
    """Distances from the curve to the lower and the upper end of its band.

    They are quantiles of the errors at people the model had not seen, by state of regulation and
    minute (split conformal prediction: Lei et al. 2018, doi:10.1080/01621459.2017.1307116).

    Attributes
    ----------
    below_mg_dl, above_mg_dl : ndarray of shape (4, 9)
        Distances in mg/dL, by state and minute of the standard grid. They are the same for every
        sensor: most of the error is the person's own level, which no gain scales.
    """

    below_mg_dl: Array
    above_mg_dl: Array

    def distances(
        self, state: int, minutes: Array, *, is_trained: bool = True
    ) -> tuple[Array, Array]:
        """Distances below and above a curve, each of shape (n_times,), at any minutes.

        Between the minutes of the standard grid they are interpolated; after 120 min the last
        ones hold.
        """
        factor = 1.0 if is_trained else UNTRAINED_FACTOR
        below = np.interp(minutes, GRID_MIN, self.below_mg_dl[state])
        above = np.interp(minutes, GRID_MIN, self.above_mg_dl[state])
        return below * factor, above * factor

    @classmethod
    def from_dict(cls, values: dict[str, dict[str, list[float]]]) -> Band:
        """Make the band from plain values: ``{state: {"below": [...], "above": [...]}}``."""
        return cls(
            np.array([values[state]["below"] for state in STATES]),
            np.array([values[state]["above"] for state in STATES]),
        )
