"""Chances of a high peak and of a large rise after a meal."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["CHANCES", "Chances"]


@dataclass(frozen=True)
class Chances:
    """Probabilities that the readings in the two hours after a meal reach a level or a rise.

    Attributes
    ----------
    peak_140, peak_180 : float
        Probability that the highest reading is at least 140 and 180 mg/dL; see `PeakScale`.
    rise_30, rise_50 : float
        Probability that the highest reading is at least 30 and 50 mg/dL above the first; see
        `ImpactScale`.
    """

    peak_140: float
    peak_180: float
    rise_30: float
    rise_50: float


CHANCES: tuple[str, ...] = tuple(field.name for field in fields(Chances))
"""Names of the chances."""
