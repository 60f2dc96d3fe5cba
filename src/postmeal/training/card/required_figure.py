"""A figure that the model is required to reach, and its comparison with the measured value."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

__all__ = ["RequiredFigure", "result_of"]


class RequiredFigure(NamedTuple):
    """A figure that the model is required to reach.

    Attributes
    ----------
    topic : str
        Key of the explanation in `postmeal.training.card.missed_figures.MISSED`.
    title : str
        Description of the measured value.
    measure : callable
        Function that returns the measured value from the metrics. It raises a KeyError if the
        metrics do not contain the value.
    low, high : float
        Limits of the required range.
    digits : int
        Number of decimal places.
    """

    topic: str
    title: str
    measure: Callable[[dict[str, Any]], float]
    low: float
    high: float
    digits: int

    def is_reached(self, value: float) -> bool:
        """Return whether a value is in the required range."""
        return self.low <= value <= self.high

    def required_text(self) -> str:
        """Format the required range, as in "≤ 20.0"."""
        if self.low == -inf:
            return f"≤ {self.high:.{self.digits}f}"
        if self.high == inf:
            return f"≥ {self.low:.{self.digits}f}"
        return f"{self.low:.{self.digits}f} to {self.high:.{self.digits}f}"

    def measured_text(self, value: float) -> str:
        """Format a value with enough decimal places to show whether it is in the required range."""
        for digits in range(self.digits, 4):
            text = f"{value:.{digits}f}"
            if self.is_reached(float(text)) == self.is_reached(value):
                return text
        return f"{value:.4f}"


def result_of(figure: RequiredFigure, metrics: dict[str, Any]) -> tuple[float, bool] | None:
    """Return the measured value and whether it is in range, or None if it was not measured."""
    try:
        value = figure.measure(metrics)
    except KeyError:
        return None
    return value, figure.is_reached(value)
