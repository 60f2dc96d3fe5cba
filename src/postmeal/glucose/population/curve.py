"""Measures of a glucose curve: rise, peak time and incremental area."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GRID_MIN: tuple[float, ...] = (0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0)
"""Standard grid: the default minutes after the start of the meal."""


def peak_rise_mg_dl(glucose_mg_dl: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far the highest point of each curve is above its start."""
    return np.asarray(glucose_mg_dl.max(axis=1) - glucose_mg_dl[:, 0])


def peak_min(
    glucose_mg_dl: NDArray[np.float64], minutes: NDArray[np.float64] | tuple[float, ...] = GRID_MIN
) -> NDArray[np.float64]:
    """Return the minute of each curve's first maximum."""
    times = np.asarray(minutes, dtype=np.float64)
    return np.asarray(times[glucose_mg_dl.argmax(axis=1)])


def iauc_mg_dl_min(
    glucose_mg_dl: NDArray[np.float64], minutes: NDArray[np.float64] | tuple[float, ...] = GRID_MIN
) -> NDArray[np.float64]:
    """Compute the incremental area under each curve: the area above the start value.

    The points are connected by straight lines. Only the area above the start value is included, as
    specified by ISO 26642:2010 for the glycemic index.
    """
    above = glucose_mg_dl - glucose_mg_dl[:, :1]
    left, right = above[:, :-1], above[:, 1:]
    high, low = np.maximum(left, right), np.minimum(left, right)
    width = np.diff(np.asarray(minutes, dtype=np.float64))
    # Share of each step that is above the start value.
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(low >= 0, 1.0, np.where(high > 0, high / (high - low), 0.0))
    mean = np.where(low >= 0, (high + low) / 2, high / 2)
    return np.asarray((width * share * mean).sum(axis=1))
