"""What a fitted curve needs to become an answer: the band, the impact scale and the ranges.

All three are fitted on people whom the curve had not seen, and every person counts the same
however many meals they logged.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from postmeal.glucose.bounds import GlucoseRange
from postmeal.glucose.impact import ImpactScale
from postmeal.glucose.intervals import Band
from postmeal.glucose.states import STATES
from postmeal.training.metrics import RISE_CUTS_MG_DL, macro_f1

__all__ = ["fit_band", "fit_impact_scale", "fit_ranges", "person_weights", "weighted_quantile"]

Array = NDArray[np.float64]

COVERAGE = 0.9
RANGE_COVERAGE = 0.95


def person_weights(person: NDArray[np.object_], weight: Array | None = None) -> Array:
    """Weights with which every person counts the same, times a weight of each meal.

    Examples
    --------
    >>> person_weights(np.array(["a", "a", "b"], dtype=object))
    array([0.5, 0.5, 1. ])
    """
    _, index, count = np.unique(person.astype(str), return_inverse=True, return_counts=True)
    result: Array = 1.0 / count[index]
    return result if weight is None else result * weight


def weighted_quantile(values: Array, weights: Array, q: float) -> float:
    """Smallest value that at least a share q of the weight does not exceed.

    Examples
    --------
    >>> weighted_quantile(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0]), 0.5)
    2.0
    """
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    position = int(np.searchsorted(share, q - 1e-12))
    return float(values[order][min(position, len(values) - 1)])


def fit_band(error_mg_dl: Array, state: NDArray[np.intp], weight: Array) -> Band:
    """Conformal 90 % band from the errors at people the curve had not seen.

    Below and above are the 5 and 95 % quantiles of observed less predicted, by state and minute.
    A state without errors takes the band of the next graver one that has any, or else of the
    next milder.

    Parameters
    ----------
    error_mg_dl : ndarray of shape (n_meals, 9)
        Observed less predicted, mg/dL of blood glucose.
    state : ndarray of int of shape (n_meals,)
        Position in `STATES`.
    weight : ndarray of shape (n_meals,)
        Weight of each meal.

    Returns
    -------
    Band
        Distances below and above the curve.
    """
    below, above = np.zeros((2, len(STATES), error_mg_dl.shape[1]))
    known = [index for index in range(len(STATES)) if (state == index).any()]
    tail = (1 - COVERAGE) / 2
    for index in range(len(STATES)):
        nearest = min(known, key=lambda one: (one < index, abs(one - index)))
        rows = state == nearest
        for minute in range(error_mg_dl.shape[1]):
            errors = error_mg_dl[rows, minute]
            below[index, minute] = max(-weighted_quantile(errors, weight[rows], tail), 0.0)
            above[index, minute] = max(weighted_quantile(errors, weight[rows], 1 - tail), 0.0)
    return Band(below, above)


def fit_impact_scale(predicted_rise: Array, observed_rise: Array, weight: Array) -> ImpactScale:
    """Proportional-odds model of the observed rise, and the two cut points of best macro-F1.

    Parameters
    ----------
    predicted_rise : ndarray of shape (n_meals,)
        Highest rise of the predicted curve at people the curve had not seen, mg/dL.
    observed_rise : ndarray of shape (n_meals,)
        Highest rise of the observed curve, mg/dL.
    weight : ndarray of shape (n_meals,)
        Weight of each meal.

    Returns
    -------
    ImpactScale
        The scale.
    """
    reached = observed_rise[:, None] >= np.array(RISE_CUTS_MG_DL)
    share = weight / weight.sum()

    def loss(p: Array) -> float:
        odds = np.array([p[1], p[1] - np.exp(p[2])]) + np.exp(p[0]) * predicted_rise[:, None] / 20
        return float((share[:, None] * (np.logaddexp(0, odds) - reached * odds)).sum())

    p = minimize(loss, np.array([0.0, -1.0, 0.0]), method="BFGS", options={"gtol": 1e-10}).x
    slope, log_odds_30 = float(np.exp(p[0]) / 20), float(p[1])
    log_odds_50 = float(p[1] - np.exp(p[2]))
    chances = 1 / (
        1 + np.exp(-(np.array([log_odds_30, log_odds_50]) + slope * predicted_rise[:, None]))
    )
    observed = reached.sum(axis=1)
    cuts = np.arange(0.15, 0.61, 0.01)

    def score(medium: float, high: float) -> float:
        label = np.where(chances[:, 1] >= high, 2, np.where(chances[:, 0] >= medium, 1, 0))
        return macro_f1(observed, label)

    medium, high = max(product(cuts, cuts), key=lambda cut: score(*cut))
    return ImpactScale(
        slope, log_odds_30, log_odds_50, round(float(medium), 2), round(float(high), 2)
    )


def fit_ranges(
    blood_mg_dl: Array, state: NDArray[np.intp], person: NDArray[np.object_], weight: Array
) -> dict[str, GlucoseRange]:
    """Glucose range by state, widened until it holds for people who were left out.

    The ends are the 2.5 % quantile of the lowest and the 97.5 % quantile of the highest point
    after meals. They are widened by the same number of mg/dL at both ends, the fewest with which
    95 % of the curves of people who were left out lie inside the range of the others.

    Parameters
    ----------
    blood_mg_dl : ndarray of shape (n_meals, 9)
        Curves in mg/dL of blood glucose.
    state : ndarray of int of shape (n_meals,)
        Position in `STATES`.
    person : ndarray of shape (n_meals,)
        Whose meal it is.
    weight : ndarray of shape (n_meals,)
        Weight of each meal.

    Returns
    -------
    dict of str to GlucoseRange
        Range by state; a state without curves takes that of the next graver, or else milder.
    """
    lowest, highest = blood_mg_dl.min(axis=1), blood_mg_dl.max(axis=1)

    def ends(rows: NDArray[np.bool_]) -> tuple[float, float]:
        low = weighted_quantile(lowest[rows], weight[rows], (1 - RANGE_COVERAGE) / 2)
        return low, weighted_quantile(highest[rows], weight[rows], (1 + RANGE_COVERAGE) / 2)

    ranges: dict[int, GlucoseRange] = {}
    for index in range(len(STATES)):
        rows = state == index
        if not rows.any():
            continue
        excess = np.zeros(len(state))
        for one in np.unique(person[rows].astype(str)):
            own = rows & (person.astype(str) == one)
            others = rows & ~own
            low, high = ends(others if others.any() else rows)
            excess[own] = np.maximum(low - lowest[own], highest[own] - high)
        margin = max(weighted_quantile(excess[rows], weight[rows], RANGE_COVERAGE), 0.0)
        low, high = ends(rows)
        ranges[index] = GlucoseRange(low - margin, high + margin)
    return {
        name: ranges[min(ranges, key=lambda one: (one < index, abs(one - index)))]
        for index, name in enumerate(STATES)
    }
