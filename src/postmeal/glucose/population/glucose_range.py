"""Glucose range after meals, reported as ``cgp_min`` and ``cgp_max``."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MAX_MG_DL", "MIN_MG_DL", "GlucoseRange"]

MIN_MG_DL = 40.0
"""Lowest glucose that sensors report, in mg/dL."""

MAX_MG_DL = 400.0
"""Highest glucose that sensors report, in mg/dL."""


@dataclass(frozen=True)
class GlucoseRange:
    """Glucose range of people in one state of glucose regulation.

    Attributes
    ----------
    low_mg_dl : float
        0.5th percentile of the post-meal minima of sensor readings, calibrated by person. It is the
        same for all sensors.
    high_mg_dl : float
        97.5th percentile of the post-meal maxima of blood glucose, calibrated by person.
    """

    low_mg_dl: float
    high_mg_dl: float
