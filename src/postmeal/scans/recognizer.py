"""Interface of picture recognizers, and the candidates that they return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from postmeal.scans.picture import Picture

__all__ = ["Candidate", "Recognizer"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A dish that a picture may show.

    Attributes
    ----------
    label : str
        The recognizer's name for the dish.
    probability : float
        The recognizer's probability that the picture shows the dish, 0 to 1.
    """

    label: str
    probability: float


class Recognizer(Protocol):
    """A model that names the dish in a picture."""

    def candidates(self, picture: Picture) -> tuple[Candidate, ...]:
        """Return the dishes that a picture may show, most probable first.

        The probabilities add up to at most 1. Dishes with a probability of 0 may be omitted.
        """
        ...
