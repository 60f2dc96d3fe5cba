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
    """Glucose range of people in one state of glucose regulation."""

    low_mg_dl: float
    high_mg_dl: float
