"""Text plots of glucose curves with their bands."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from postmeal.glucose.prediction import Prediction

_WIDTH = 61
_MAX_ROWS = 13
_STEPS_MG_DL = (5, 10, 20, 25, 50)
_TICKS = 5


class _Symbols(NamedTuple):
    curve: str
    band: str
    vertical: str
    corner: str
    horizontal: str


_UNICODE = _Symbols("●", "░", "│", "└", "─")
_ASCII = _Symbols("*", ".", "|", "+", "-")


def curve_plot(prediction: Prediction, *, unicode: bool = True) -> list[str]:
    """Plot a predicted curve and its band as lines of text."""
    if len(prediction.minutes) < 2:
        return []
    symbols = _UNICODE if unicode else _ASCII
    minutes = np.linspace(prediction.minutes[0], prediction.minutes[-1], _WIDTH)
    curves = (prediction.glucose_mg_dl, prediction.lower_mg_dl, prediction.upper_mg_dl)
    glucose, lower, upper = (np.interp(minutes, prediction.minutes, curve) for curve in curves)
    step = _step(float(upper.max() - lower.min()))
    first, last = math.floor(lower.min() / step), math.floor(upper.max() / step)
    lines = []
    for row in range(last, first - 1, -1):
        low, high = row * step, (row + 1) * step
        in_band = (lower < high) & (upper >= low)
        on_curve = (glucose >= low) & (glucose < high)
        cells = np.where(on_curve, symbols.curve, np.where(in_band, symbols.band, " "))
        label = f"{low}" if (row - first) % 2 == 0 else ""
        lines.append(f"  {label:>4} {symbols.vertical}{''.join(cells)}".rstrip())
    lines.append(f"       {symbols.corner}{symbols.horizontal * _WIDTH}")
    ticks = np.linspace(minutes[0], minutes[-1], _TICKS)
    spacing = (_WIDTH - 1) // (_TICKS - 1)
    lines.append(" " * 8 + "".join(f"{tick:<{spacing}.4g}" for tick in ticks).rstrip())
    return lines


def _step(span_mg_dl: float) -> int:
    """Return the smallest row height for which the plot has at most `_MAX_ROWS` rows."""
    large_enough = (step for step in _STEPS_MG_DL if span_mg_dl / step <= _MAX_ROWS)
    return next(large_enough, _STEPS_MG_DL[-1])
