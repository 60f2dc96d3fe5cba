"""Compute systematic errors of the predicted rise: the mean bias by minute and the gain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.states import STATES

Array = NDArray[np.float64]

BIAS_MIN = (30, 60, 90, 120)
"""Minutes after the start of the meal for which the bias is reported."""

_COLUMNS = [GRID_MIN.index(minute) for minute in BIAS_MIN]


def bias_by_state(observed: Array, predicted: Array, state: ArrayLike) -> dict[str, Any]:
    """Compute the systematic errors of the predicted rise, for all meals and by state."""
    states = np.asarray(state, dtype=object)
    groups = {name: states == name for name in STATES if (states == name).any()}
    return {"all": rise_bias(observed, predicted)} | {
        name: rise_bias(observed[rows], predicted[rows]) for name, rows in groups.items()
    }


def rise_bias(observed: Array, predicted: Array) -> dict[str, Any]:
    """Compute the mean bias of the predicted rise at each of `BIAS_MIN`, and the gain."""
    rise, rise_hat = observed - observed[:, :1], predicted - predicted[:, :1]
    minutes = [str(minute) for minute in BIAS_MIN]
    mean = rise.mean(axis=0)[_COLUMNS]
    bias = (rise_hat - rise).mean(axis=0)[_COLUMNS]
    return {
        "n_meals": len(observed),
        "observed_mg_dl": dict(zip(minutes, mean.tolist(), strict=True)),
        "bias_mg_dl": dict(zip(minutes, bias.tolist(), strict=True)),
        "gain": least_squares_gain(observed, predicted),
    }


def least_squares_gain(observed: Array, predicted: Array) -> float:
    """Return the factor that scales the predicted rise to best fit the observed rise."""
    rise, rise_hat = observed - observed[:, :1], predicted - predicted[:, :1]
    return float((rise * rise_hat).sum() / (rise_hat**2).sum())
