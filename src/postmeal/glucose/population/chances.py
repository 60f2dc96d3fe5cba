"""Chances of a high peak and of a large rise after a meal."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["CHANCES", "Chances"]


@dataclass(frozen=True)
class Chances:
    """Probabilities of high peaks and large rises in the two hours after a meal.

    Attributes
    ----------
    peak_140, peak_180 : float
        Probabilities that the highest reading is at least 140 and 180 mg/dL; see `PeakScale`.
    rise_30, rise_50 : float
        Probabilities that the highest reading is at least 30 and 50 mg/dL above the first reading;
        see `ImpactScale`.
    """

    peak_140: float
    peak_180: float
    rise_30: float
    rise_50: float


CHANCES: tuple[str, ...] = tuple(field.name for field in fields(Chances))
"""Names of the events whose probabilities are predicted, such as ``peak_140``."""
