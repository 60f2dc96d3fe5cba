"""Glucose range after meals, reported as ``cgp_min`` and ``cgp_max``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MIN_MG_DL = 40.0
"""Lowest glucose that sensors report, in mg/dL."""

MAX_MG_DL = 400.0
"""Highest glucose that sensors report, in mg/dL."""

OUTSIDE = 0.025
"""Share of the readings below a range, and above it."""

_LOW_MG_DL, _DIP_MG_DL = 70.0, 20.0


@dataclass(frozen=True)
class GlucoseRange:
    """Glucose range of people in one state of glucose regulation.

    From population-4 on, it holds 95% of the readings in the two hours after meals, and both ends
    are blood glucose. Until population-3, it holds 95% of whole curves, and the low end is the same
    for the readings of all sensors.
    """

    low_mg_dl: float
    high_mg_dl: float
    is_blood: bool = False


def are_artefacts(glucose_mg_dl: Array) -> NDArray[np.bool_]:
    """Return which readings of each row, 15 minutes apart, are dips that a body cannot cause.

    Pressure on a sensor lowers its readings for half an hour (Helton et al. 2011,
    doi:10.1177/193229681100500508). A reading below 70 mg/dL is such a dip if glucose was higher by
    20 mg/dL in the half hour before it, and again in the half hour after it.
    """
    aside = np.full((len(glucose_mg_dl), 2), -np.inf)
    padded = np.concatenate([aside, glucose_mg_dl, aside], axis=1)
    n_times = glucose_mg_dl.shape[1]
    before, after = (
        np.maximum(padded[:, start : start + n_times], padded[:, start + 1 : start + 1 + n_times])
        for start in (0, 3)
    )
    depth = np.minimum(before, after) - glucose_mg_dl
    return np.asarray((glucose_mg_dl < _LOW_MG_DL) & (depth >= _DIP_MG_DL))


def ends_of_readings(glucose_mg_dl: Array) -> tuple[float, float]:
    """Return the ends of a range that holds 95% of readings; each row is 15 minutes apart."""
    readings = np.sort(glucose_mg_dl[~are_artefacts(glucose_mg_dl)])
    ends = np.array([OUTSIDE, 1 - OUTSIDE]) * (len(readings) - 1)
    low, high = np.interp(ends, np.arange(len(readings)), readings).tolist()
    return low, high
