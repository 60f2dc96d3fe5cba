"""Predict the chances that glucose after a meal reaches 140 and 180 mg/dL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.population.band import Band
from postmeal.glucose.population.states import STATES

__all__ = ["PEAK_CUTS_MG_DL", "PeakChances", "PeakScale"]

Array = NDArray[np.float64]

PEAK_CUTS_MG_DL = (140.0, 180.0)
"""Glucose levels, in mg/dL, for which the chances of reaching them are predicted.

People without diabetes rarely exceed 140 mg/dL (Shah et al. 2019, doi:10.1210/jc.2018-02763), and
180 mg/dL is the upper end of the target range in diabetes (Battelino et al. 2019,
doi:10.2337/dci19-0028).
"""

_WIDTH_90 = 2 * float(np.log(19.0))
"""Distance between the 5% and 95% quantiles of the standard logistic distribution."""


@dataclass(frozen=True)
class PeakChances:
    """Probabilities of high peaks in the two hours after a meal.

    Attributes
    ----------
    peak_140, peak_180 : float
        Probabilities that the highest reading is at least 140 and 180 mg/dL; see `PeakScale`.
    """

    peak_140: float
    peak_180: float


@dataclass(frozen=True)
class PeakScale:
    """Model of the observed peak, given the predicted peak.

    The peak of a mean curve is lower than the mean of the peaks, so the chance of a peak cannot be
    taken from the predicted curve. Instead, the chances that the highest reading within two hours
    reaches 140 and 180 mg/dL are logistic functions of the highest point of the predicted curve on
    the standard grid. Both levels have the same slope (proportional odds: McCullagh 1980,
    doi:10.1111/j.2517-6161.1980.tb01109.x), and each state of glucose regulation has separate
    coefficients. The slope is positive, so a higher predicted peak never lowers a chance.

    Attributes
    ----------
    slope_per_mg_dl : tuple of float
        Increase of the log odds per mg/dL of predicted peak, by state in `STATES`; positive.
    log_odds_140, log_odds_180 : tuple of float
        Log odds of reaching 140 and 180 mg/dL if a peak of 140 mg/dL is predicted, by state.
    """

    slope_per_mg_dl: tuple[float, ...]
    log_odds_140: tuple[float, ...]
    log_odds_180: tuple[float, ...]

    @classmethod
    def from_dict(cls, values: dict[str, dict[str, float]]) -> PeakScale:
        """Create the scale from the output of `to_dict`."""
        columns: dict[str, Any] = {
            name: tuple(float(values[state][name]) for state in STATES)
            for name in cls.__dataclass_fields__
        }
        return cls(**columns)

    @classmethod
    def from_band(cls, band: Band) -> PeakScale:
        """Derive a scale from a 90% band, for weights that were released without a scale.

        The observed peak is assumed to have a logistic distribution with the median and the 5% and
        95% quantiles of the band, averaged over the grid.
        """
        below, above = band.below_mg_dl.mean(axis=1), band.above_mg_dl.mean(axis=1)
        slope = _WIDTH_90 / (below + above)
        middle = PEAK_CUTS_MG_DL[0] + (above - below) / 2
        columns = (slope, *(slope * (middle - cut) for cut in PEAK_CUTS_MG_DL))
        return cls(*(tuple(column.tolist()) for column in columns))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the coefficients by state as a JSON-serializable dict."""
        columns = vars(self).items()
        return {
            state: {name: values[position] for name, values in columns}
            for position, state in enumerate(STATES)
        }

    def chances(self, peak_mg_dl: ArrayLike, state: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return the probabilities that the observed peaks reach 140 and 180 mg/dL.

        Parameters
        ----------
        peak_mg_dl : array_like of shape (n_meals,)
            Predicted peaks of the sensor readings in mg/dL.
        state : ndarray of int of shape (n_meals,)
            Positions in `STATES`.

        Returns
        -------
        tuple of ndarray of shape (n_meals,)
            Probability of reaching 140 mg/dL, and of reaching 180 mg/dL, for each meal.

        Examples
        --------
        >>> scale = PeakScale((0.04,) * 4, (0.5,) * 4, (-1.0,) * 4)
        >>> [chance.round(2).tolist() for chance in scale.chances([110.0, 150.0], np.array([0, 0]))]
        [[0.33, 0.71], [0.1, 0.35]]
        """
        above = np.asarray(peak_mg_dl, dtype=np.float64) - PEAK_CUTS_MG_DL[0]
        growth = np.array(self.slope_per_mg_dl)[state] * above
        return (
            _logistic(np.array(self.log_odds_140)[state] + growth),
            _logistic(np.array(self.log_odds_180)[state] + growth),
        )


def _logistic(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(np.minimum(-x, 700.0))))  # NaN stays NaN
