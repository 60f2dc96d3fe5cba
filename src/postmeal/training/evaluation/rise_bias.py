"""Compute systematic errors of the predicted rise: the mean bias by minute and the gain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.states import STATES

__all__ = ["BIAS_MIN", "bias_by_state", "least_squares_gain", "rise_bias"]

Array = NDArray[np.float64]

BIAS_MIN = (30, 60, 90, 120)
"""Minutes after the start of the meal for which the bias is reported."""

_COLUMNS = [GRID_MIN.index(minute) for minute in BIAS_MIN]


def bias_by_state(observed: Array, predicted: Array, state: ArrayLike) -> dict[str, Any]:
    """Compute the systematic errors of the predicted rise, for all meals and by state.

    Parameters
    ----------
    observed, predicted : ndarray of shape (n_meals, 9)
        Curves in mg/dL.
    state : array_like of str of shape (n_meals,)
        State of glucose regulation of each meal's person.

    Returns
    -------
    dict
        `rise_bias` of ``all`` meals and of each state with meals.
    """
    states = np.asarray(state, dtype=object)
    groups = {name: states == name for name in STATES if (states == name).any()}
    return {"all": rise_bias(observed, predicted)} | {
        name: rise_bias(observed[rows], predicted[rows]) for name, rows in groups.items()
    }


def rise_bias(observed: Array, predicted: Array) -> dict[str, Any]:
    """Compute the mean bias of the predicted rise at each of `BIAS_MIN`, and the gain.

    Parameters
    ----------
    observed, predicted : ndarray of shape (n_meals, 9)
        Curves in mg/dL.

    Returns
    -------
    dict
        ``n_meals``, ``observed_mg_dl`` (mean observed rise by minute), ``bias_mg_dl`` (mean of the
        predicted minus the observed rise, by minute) and ``gain`` (see `least_squares_gain`).

    Examples
    --------
    >>> observed = np.arange(0.0, 81.0, 10.0)[None, :]
    >>> rise_bias(observed, 0.5 * observed)["bias_mg_dl"]
    {'30': -10.0, '60': -20.0, '90': -30.0, '120': -40.0}
    """
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
    """Return the factor that scales the predicted rise to best fit the observed rise.

    Parameters
    ----------
    observed, predicted : ndarray of shape (n_meals, n_times)
        Curves in mg/dL.

    Returns
    -------
    float
        The factor with the smallest sum of squared errors. It is above 1 if the predicted rise is
        too low.

    Examples
    --------
    >>> curve = np.array([[100.0, 130.0, 110.0]])
    >>> least_squares_gain(curve, 100 + (curve - 100) / 2)
    2.0
    """
    rise, rise_hat = observed - observed[:, :1], predicted - predicted[:, :1]
    return float((rise * rise_hat).sum() / (rise_hat**2).sum())
