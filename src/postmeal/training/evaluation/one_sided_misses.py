"""Compute the shares of readings above and below the 90% band, for all meals and at breakfast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BREAKFAST_UNTIL_H = 11.0
"""Local hour before which a meal counts as breakfast."""


def misses_at_breakfast(
    observed: Array, lower: Array, upper: Array, hour: Array
) -> dict[str, dict[str, float]]:
    """Compute the shares of readings outside a band, for all meals and for breakfasts.

    Meals that start before `BREAKFAST_UNTIL_H` count as breakfasts.
    """
    groups = {"all": np.ones(len(hour), dtype=bool), "breakfast": hour < BREAKFAST_UNTIL_H}
    return {
        name: miss_shares(observed[rows], lower[rows], upper[rows])
        for name, rows in groups.items()
        if rows.any()
    }


def miss_shares(observed: Array, lower: Array, upper: Array) -> dict[str, float]:
    """Compute the shares of readings above and below a band."""
    return {
        "n_meals": len(observed),
        "share_above": float((observed > upper).mean()),
        "share_below": float((observed < lower).mean()),
    }
