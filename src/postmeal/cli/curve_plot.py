"""A glucose curve with its band, drawn in text."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from postmeal.glucose.prediction import Prediction

__all__ = ["curve_plot"]

_WIDTH = 61
_MOST_ROWS = 13
_STEPS_MG_DL = (5, 10, 20, 25, 50)
_TICKS = 5


class _Signs(NamedTuple):
    curve: str
    band: str
    upright: str
    corner: str
    level: str


_FINE = _Signs("●", "░", "│", "└", "─")
_ASCII = _Signs("*", ".", "|", "+", "-")


def curve_plot(prediction: Prediction, *, fine_signs: bool = True) -> list[str]:
    """Draw a prediction as lines of text: glucose upwards, minutes to the right.

    Parameters
    ----------
    prediction : Prediction
        A curve of two points or more; one point is no curve, and nothing is drawn.
    fine_signs : bool, default=True
        False for terminals that take nothing but ASCII.

    Returns
    -------
    list of str
        The lines, none longer than 72 signs.
    """
    if len(prediction.minutes) < 2:
        return []
    signs = _FINE if fine_signs else _ASCII
    minutes = np.linspace(prediction.minutes[0], prediction.minutes[-1], _WIDTH)
    curves = (prediction.glucose_mg_dl, prediction.lower_mg_dl, prediction.upper_mg_dl)
    glucose, lower, upper = (np.interp(minutes, prediction.minutes, each) for each in curves)
    step = _step(float(upper.max() - lower.min()))
    first, last = math.floor(lower.min() / step), math.floor(upper.max() / step)
    lines = []
    for row in range(last, first - 1, -1):
        low, high = row * step, (row + 1) * step
        in_band = (lower < high) & (upper >= low)
        on_curve = (glucose >= low) & (glucose < high)
        cells = np.where(on_curve, signs.curve, np.where(in_band, signs.band, " "))
        label = f"{low}" if (row - first) % 2 == 0 else ""
        lines.append(f"  {label:>4} {signs.upright}{''.join(cells)}".rstrip())
    lines.append(f"       {signs.corner}{signs.level * _WIDTH}")
    ticks = np.linspace(minutes[0], minutes[-1], _TICKS)
    apart = (_WIDTH - 1) // (_TICKS - 1)
    lines.append(" " * 8 + "".join(f"{tick:<{apart}.4g}" for tick in ticks).rstrip())
    return lines


def _step(span_mg_dl: float) -> int:
    """Height of a row, so that there are few enough of them."""
    wide_enough = (step for step in _STEPS_MG_DL if span_mg_dl / step <= _MOST_ROWS)
    return next(wide_enough, _STEPS_MG_DL[-1])
