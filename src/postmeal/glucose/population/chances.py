"""Chances of a high peak and of a large rise after a meal."""

from __future__ import annotations

from dataclasses import dataclass, fields

from postmeal.glucose.population.impact import RiseChances
from postmeal.glucose.population.peak_scale import PeakChances

__all__ = ["CHANCES", "Chances", "chance_title"]


@dataclass(frozen=True)
class Chances(RiseChances, PeakChances):
    """Probabilities of high peaks and large rises in the two hours after a meal.

    The fields are those of `PeakChances`, followed by those of `RiseChances`.
    """


CHANCES: tuple[str, ...] = tuple(field.name for field in fields(Chances))
"""Names of the events whose probabilities are predicted, such as ``peak_140``."""


def chance_title(name: str) -> str:
    """Return a readable title of an event in `CHANCES`.

    Examples
    --------
    >>> chance_title("peak_140")
    'peak ≥ 140 mg/dL'
    """
    kind, cut = name.split("_")
    return f"{kind} ≥ {cut} mg/dL"
