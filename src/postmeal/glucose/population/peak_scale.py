"""Predict the chances that glucose after a meal reaches 140 and 180 mg/dL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.population.band import Band, widening
from postmeal.glucose.population.states import STATES

__all__ = [
    "PEAK_CUTS_MG_DL",
    "PEAK_ROWS",
    "PeakChances",
    "PeakDistribution",
    "PeakScale",
    "peak_chances_of",
]

Array = NDArray[np.float64]

PEAK_CUTS_MG_DL = (140.0, 180.0)
"""Glucose levels, in mg/dL, for which the chances of reaching them are predicted.

People without diabetes rarely exceed 140 mg/dL (Shah et al. 2019, doi:10.1210/jc.2018-02763), and
180 mg/dL is the upper end of the target range in diabetes (Battelino et al. 2019,
doi:10.2337/dci19-0028).
"""

PEAK_ROWS = slice(2, 7)
"""Rows of the standard grid at which most curves are highest: 30 to 90 minutes."""

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


@dataclass(frozen=True)
class PeakDistribution:
    """Distribution of the observed peak around the highest point of the predicted curve.

    It is a logistic distribution in the readings of the sensor. Its unit is the half-width of the
    band from 30 to 90 minutes, which is narrower if more is known about the person. The width is
    that of a curve that just reaches the level, so a higher predicted peak never lowers a chance.
    The maximum of single meals is higher than that of their mean curve, by `shift` units.

    Attributes
    ----------
    slope : float
        Increase of the log odds per unit of predicted peak; positive.
    shift : tuple of float
        Median of the observed minus the predicted peak, in units, by state in `STATES`.
    """

    slope: float
    shift: tuple[float, ...]

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PeakDistribution:
        """Create the distribution from the output of `to_dict`."""
        return cls(values["slope"], tuple(values["shift"][state] for state in STATES))

    def to_dict(self) -> dict[str, Any]:
        """Return the coefficients as a JSON-serializable dict."""
        return {"slope": self.slope, "shift": dict(zip(STATES, self.shift, strict=True))}

    def chances(
        self, start_mg_dl: Array, rise_mg_dl: Array, unit_mg_dl: Array, state: NDArray[np.intp]
    ) -> tuple[Array, Array]:
        """Return the probabilities that the observed peaks reach 140 and 180 mg/dL.

        The start, the rise to the highest point and the unit of each meal are of its sensor, the
        unit before the rise widens it.

        Examples
        --------
        >>> peaks = PeakDistribution(2.6, (0.2,) * 4)
        >>> columns = np.array([[100.0, 100.0], [20.0, 60.0], [30.0, 30.0]])
        >>> [chance.round(2).tolist() for chance in peaks.chances(*columns, np.array([0, 0]))]
        [[0.33, 0.85], [0.09, 0.39]]
        """
        shift = np.array(self.shift)[state]

        def reaches(cut: float) -> Array:
            to_cut = cut - start_mg_dl
            above = (rise_mg_dl - to_cut) / (unit_mg_dl * widening(to_cut))
            return _logistic(self.slope * (above + shift))

        reaches_140, reaches_180 = map(reaches, PEAK_CUTS_MG_DL)
        return reaches_140, reaches_180


def peak_chances_of(weights: dict[str, Any]) -> PeakScale | PeakDistribution | None:
    """Return the parameters of the chances of a high peak, None if weights do not have them."""
    if "peak_distribution" in weights:
        return PeakDistribution.from_dict(weights["peak_distribution"])
    return PeakScale.from_dict(weights["peak_scale"]) if "peak_scale" in weights else None


def _logistic(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(np.minimum(-x, 700.0))))  # NaN stays NaN
