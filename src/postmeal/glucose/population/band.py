"""The 90 % band around a predicted curve, by conformal calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.states import STATES

__all__ = ["GROWTH_PER_MG_DL", "UNTRAINED_FACTOR", "Band", "widening"]

Array = NDArray[np.float64]

UNTRAINED_FACTOR = 1.25
"""How much wider the band is for a condition that no training data back: a chosen margin."""

GROWTH_PER_MG_DL = 0.01
"""How much the band widens with each mg/dL of predicted rise, as a share.

Of 0, 0.005, 0.01, 0.02 and 0.03 the one with the narrowest band at people of the training sets who
were left out, and with the fewest of them under 80 % coverage.
"""


@dataclass(frozen=True)
class Band:
    """Distances from the curve to the lower and the upper end of its band.

    They are quantiles of the errors at people the model had not seen, by state of regulation and
    minute: conformal prediction (Lei et al. 2018, doi:10.1080/01621459.2017.1307116) with the
    people in ten folds, each predicted from the others, and with weights. Neither keeps the
    guarantee of one split, so coverage is measured and not promised; and it speaks of each minute
    by itself, not of whole curves.

    A meal that raises glucose more errs more: a distance grows by one percent for every mg/dL of
    predicted rise, which is a quarter of the band's width between a snack and a big meal.

    Attributes
    ----------
    below_mg_dl, above_mg_dl : ndarray of shape (4, 9)
        Distances in mg/dL where no rise is predicted, by state and minute of the standard grid.
        They are the same for every sensor: most of the error is the person's own level, which no
        gain scales.
    """

    below_mg_dl: Array
    above_mg_dl: Array

    def to_dict(self) -> dict[str, dict[str, list[float]]]:
        """Give the band as plain values, fit for JSON."""
        sides = zip(STATES, self.below_mg_dl.tolist(), self.above_mg_dl.tolist(), strict=True)
        return {state: {"below": below, "above": above} for state, below, above in sides}

    @classmethod
    def from_dict(cls, values: dict[str, dict[str, list[float]]]) -> Band:
        """Make the band from plain values: ``{state: {"below": [...], "above": [...]}}``."""
        return cls(
            np.array([values[state]["below"] for state in STATES]),
            np.array([values[state]["above"] for state in STATES]),
        )


def widening(rise_mg_dl: Array) -> Array:
    """How much wider than without a rise the band is, for predicted rises of any shape.

    Examples
    --------
    >>> widening(np.array([-5.0, 0.0, 50.0]))
    array([1. , 1. , 1.5])
    """
    return np.asarray(1 + GROWTH_PER_MG_DL * np.maximum(rise_mg_dl, 0.0))
