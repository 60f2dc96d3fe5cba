"""cgp_min and cgp_max: the range that a person's glucose keeps to after meals."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MAX_MG_DL", "MIN_MG_DL", "GlucoseRange"]

MIN_MG_DL = 40.0
MAX_MG_DL = 400.0


@dataclass(frozen=True)
class GlucoseRange:
    """Glucose range of people with one state of regulation, in mg/dL.

    Attributes
    ----------
    low_mg_dl : float
        Low end of post-meal minima, calibrated by person, whatever reads them.
    high_mg_dl : float
        97.5th percentile of post-meal maxima of blood glucose, calibrated by person.
    """

    low_mg_dl: float
    high_mg_dl: float
