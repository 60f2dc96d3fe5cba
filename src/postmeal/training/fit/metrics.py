"""The one implementation of every metric that postmeal reports.

Curves are compared at the points of one minute grid. The *rise* of a curve is the curve less its
own first point, so that the unknown level of a person does not enter; the absolute error keeps it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.population.curve import iauc_mg_dl_min, peak_min, peak_rise_mg_dl
from postmeal.glucose.population.impact import RISE_CUTS_MG_DL

__all__ = [
    "band_metrics",
    "curve_metrics",
    "macro_f1",
    "observed_impact",
    "paired_bootstrap",
    "per_person",
    "rise_rmse_mg_dl",
    "rmse_mg_dl",
]

Array = NDArray[np.float64]


def rmse_mg_dl(observed: Array, predicted: Array) -> float:
    """Root mean square error over all points of curves, mg/dL."""
    return float(np.sqrt(np.mean((predicted - observed) ** 2)))


def rise_rmse_mg_dl(observed: Array, predicted: Array) -> float:
    """Root mean square error of the rise over all points, the first of which is zero by nature.

    Parameters
    ----------
    observed, predicted : ndarray of shape (n_meals, n_times)
        Curves in mg/dL.

    Returns
    -------
    float
        Error in mg/dL.
    """
    return rmse_mg_dl(observed - observed[:, :1], predicted - predicted[:, :1])


def observed_impact(curves: Array) -> NDArray[np.int64]:
    """Class of each observed curve by its rise: 0 low, 1 medium, 2 high."""
    return np.digitize(peak_rise_mg_dl(curves), RISE_CUTS_MG_DL).astype(np.int64)


def macro_f1(observed: ArrayLike, predicted: ArrayLike, n_classes: int = 3) -> float:
    """Mean over the classes of F1, the harmonic mean of precision and recall.

    A class that neither side holds is left out of the mean.

    Examples
    --------
    >>> round(macro_f1([0, 0, 1, 2], [0, 1, 1, 2]), 3)
    0.778
    """
    observed, predicted = np.asarray(observed), np.asarray(predicted)
    scores = []
    for label in range(n_classes):
        hits = int(((observed == label) & (predicted == label)).sum())
        total = int((observed == label).sum() + (predicted == label).sum())
        if total:
            scores.append(2 * hits / total)
    return float(np.mean(scores))


def curve_metrics(
    observed: Array, predicted: Array, person: ArrayLike, label: ArrayLike | None = None
) -> dict[str, float]:
    """Every metric of predicted curves.

    Parameters
    ----------
    observed, predicted : ndarray of shape (n_meals, n_times)
        Curves in mg/dL on the standard grid.
    person : array_like of shape (n_meals,)
        Whose meal it is.
    label : array_like of int of shape (n_meals,), optional
        Predicted impact class; that of the predicted curve's own rise when omitted.

    Returns
    -------
    dict of str to float
        ``n_meals``, ``n_people``; ``rise_rmse_mg_dl``; ``within_person_iauc_r``, the median over
        people with at least five meals of the correlation of predicted and observed incremental
        area; ``absolute_rmse_mg_dl``; ``iauc_r`` over all meals; ``rise_r`` and
        ``rise_mae_mg_dl`` of the highest rise; ``peak_time_mae_min``; ``macro_f1``.
    """
    person = np.asarray(person)
    iauc, iauc_hat = iauc_mg_dl_min(observed), iauc_mg_dl_min(predicted)
    rise, rise_hat = peak_rise_mg_dl(observed), peak_rise_mg_dl(predicted)
    within = [
        _correlation(iauc[person == one], iauc_hat[person == one])
        for one in np.unique(person)
        if (person == one).sum() >= 5
    ]
    label = observed_impact(predicted) if label is None else np.asarray(label)
    return {
        "n_meals": len(observed),
        "n_people": len(np.unique(person)),
        "rise_rmse_mg_dl": rise_rmse_mg_dl(observed, predicted),
        "within_person_iauc_r": float(np.median(within)) if within else float("nan"),
        "absolute_rmse_mg_dl": rmse_mg_dl(observed, predicted),
        "iauc_r": _correlation(iauc, iauc_hat),
        "rise_r": _correlation(rise, rise_hat),
        "rise_mae_mg_dl": float(np.mean(np.abs(rise - rise_hat))),
        "peak_time_mae_min": float(np.mean(np.abs(peak_min(observed) - peak_min(predicted)))),
        "macro_f1": macro_f1(observed_impact(observed), label),
    }


def band_metrics(
    observed: Array, lower: Array, upper: Array, person: ArrayLike
) -> dict[str, float]:
    """Coverage and width of a band over all points.

    Parameters
    ----------
    observed, lower, upper : ndarray of shape (n_meals, n_times)
        Curves in mg/dL.
    person : array_like of shape (n_meals,)
        Whose meal it is.

    Returns
    -------
    dict of str to float
        ``coverage`` (share of points inside), ``width_mg_dl`` (mean), and
        ``people_under_80_percent`` (share of people whose own coverage is below 0.8).
    """
    inside = ((observed >= lower) & (observed <= upper)).mean(axis=1)
    by_person = per_person(person, lambda rows: float(inside[rows].mean()))
    return {
        "coverage": float(inside.mean()),
        "width_mg_dl": float(np.mean(upper - lower)),
        "people_under_80_percent": float(np.mean(by_person < 0.8)),
    }


def per_person(person: ArrayLike, measure: Callable[[NDArray[np.bool_]], float]) -> Array:
    """Apply a measure to each person's rows; the result is ordered by person."""
    person = np.asarray(person)
    return np.array([measure(person == one) for one in np.unique(person)])


def paired_bootstrap(
    difference: ArrayLike, n_draws: int = 4000, seed: int = 0
) -> tuple[float, float, float]:
    """Mean of per-person differences with its 95 % percentile bootstrap interval.

    People are drawn with replacement, so the interval speaks of new people like these (Efron and
    Tibshirani 1993, An Introduction to the Bootstrap, ch. 13).

    Parameters
    ----------
    difference : array_like of shape (n_people,)
        One number a person: this model's measure less the other's.
    n_draws : int, default=4000
        Bootstrap samples.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    tuple of float
        Mean, lower end, upper end.

    Examples
    --------
    >>> mean, low, high = paired_bootstrap([-1.0, -2.0, -1.5, -0.5])
    >>> mean, low <= mean <= high < 0
    (-1.25, True)
    """
    values = np.asarray(difference, dtype=np.float64)
    draws = np.random.default_rng(seed).integers(0, len(values), size=(n_draws, len(values)))
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def _correlation(a: Array, b: Array) -> float:
    """Pearson's correlation, 0 where one side is constant but for rounding."""
    if min(np.ptp(a), np.ptp(b)) < 1e-6:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
