"""Compute the shares of readings above and below the 90% band, for all meals and at breakfast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BREAKFAST_UNTIL_H", "miss_shares", "misses_at_breakfast"]

Array = NDArray[np.float64]

BREAKFAST_UNTIL_H = 11.0
"""Local hour before which a meal counts as breakfast."""


def misses_at_breakfast(
    observed: Array, lower: Array, upper: Array, hour: Array
) -> dict[str, dict[str, float]]:
    """Compute the shares of readings outside a band, for all meals and for breakfasts.

    Meals that start before `BREAKFAST_UNTIL_H` count as breakfasts.

    Parameters
    ----------
    observed, lower, upper : ndarray of shape (n_meals, n_times)
        Readings and limits of the band in mg/dL.
    hour : ndarray of shape (n_meals,)
        Local hour of the start of the meal.

    Returns
    -------
    dict of str to dict
        `miss_shares` of ``all`` meals and, if there are any breakfasts, of ``breakfast``.
    """
    groups = {"all": np.ones(len(hour), dtype=bool), "breakfast": hour < BREAKFAST_UNTIL_H}
    return {
        name: miss_shares(observed[rows], lower[rows], upper[rows])
        for name, rows in groups.items()
        if rows.any()
    }


def miss_shares(observed: Array, lower: Array, upper: Array) -> dict[str, float]:
    """Compute the shares of readings above and below a band.

    Parameters
    ----------
    observed, lower, upper : ndarray of shape (n_meals, n_times)
        Readings and limits of the band in mg/dL.

    Returns
    -------
    dict of str to float
        ``n_meals``, ``share_above`` and ``share_below``. A reading on a limit is inside the band.

    Examples
    --------
    >>> miss_shares(np.array([[90.0, 190.0]]), np.array([[80.0, 90.0]]), np.array([[100.0, 150.0]]))
    {'n_meals': 1, 'share_above': 0.5, 'share_below': 0.0}
    """
    return {
        "n_meals": len(observed),
        "share_above": float((observed > upper).mean()),
        "share_below": float((observed < lower).mean()),
    }
