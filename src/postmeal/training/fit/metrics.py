"""Compute the metrics that postmeal reports.

Curves are compared at the minutes of a common grid. The *rise* of a curve is the curve minus its
first point. It does not depend on the unknown level of a person, unlike the absolute error.
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
    """Compute the root mean square error over all points of curves, in mg/dL."""
    return float(np.sqrt(np.mean((predicted - observed) ** 2)))


def rise_rmse_mg_dl(observed: Array, predicted: Array) -> float:
    """Compute the root mean square error of the rise over all points, including the first.

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
    """Return the impact of each observed curve by its rise: 0 for low, 1 for medium, 2 for high."""
    return np.digitize(peak_rise_mg_dl(curves), RISE_CUTS_MG_DL).astype(np.int64)


def macro_f1(observed: ArrayLike, predicted: ArrayLike, n_classes: int = 3) -> float:
    """Compute macro-F1: the mean over classes of F1, the harmonic mean of precision and recall.

    Classes that occur neither in the observed nor in the predicted values are excluded.

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
    """Compute all metrics of predicted curves.

    Parameters
    ----------
    observed, predicted : ndarray of shape (n_meals, n_times)
        Curves in mg/dL on the standard grid.
    person : array_like of shape (n_meals,)
        Person of each meal.
    label : array_like of int of shape (n_meals,), optional
        Predicted impact. Defaults to the impact of the predicted curve's rise.

    Returns
    -------
    dict of str to float
        ``n_meals`` and ``n_people``; ``rise_rmse_mg_dl`` and ``absolute_rmse_mg_dl``; ``iauc_r``,
        the correlation of predicted and observed incremental areas over all meals;
        ``within_person_iauc_r``, the median of this correlation over people with at least five
        meals; ``rise_r`` and ``rise_mae_mg_dl``, the correlation and the mean absolute error of the
        highest rise; ``peak_time_mae_min``; and ``macro_f1``.
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
    """Compute the coverage and width of a band over all points.

    Parameters
    ----------
    observed, lower, upper : ndarray of shape (n_meals, n_times)
        Curves in mg/dL.
    person : array_like of shape (n_meals,)
        Person of each meal.

    Returns
    -------
    dict of str to float
        ``coverage`` (share of points inside the band), ``width_mg_dl`` (mean width) and
        ``people_under_80_percent`` (share of people with a coverage below 0.8).
    """
    inside = ((observed >= lower) & (observed <= upper)).mean(axis=1)
    by_person = per_person(person, lambda rows: float(inside[rows].mean()))
    return {
        "coverage": float(inside.mean()),
        "width_mg_dl": float(np.mean(upper - lower)),
        "people_under_80_percent": float(np.mean(by_person < 0.8)),
    }


def per_person(person: ArrayLike, measure: Callable[[NDArray[np.bool_]], float]) -> Array:
    """Apply a function to the rows of each person, and return the results ordered by person."""
    person = np.asarray(person)
    return np.array([measure(person == one) for one in np.unique(person)])


def paired_bootstrap(
    difference: ArrayLike, n_draws: int = 4000, seed: int = 0
) -> tuple[float, float, float]:
    """Compute the mean of people's differences, and its 95% percentile bootstrap interval.

    People are drawn with replacement, so the interval applies to new people from the same
    population (Efron and Tibshirani 1993, An Introduction to the Bootstrap, ch. 13).

    Parameters
    ----------
    difference : array_like of shape (n_people,)
        One number per person: the figure of one model minus that of another.
    n_draws : int, default=4000
        Number of bootstrap samples.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    tuple of float
        The mean, and the lower and upper limits of the interval.

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
    """Return Pearson's correlation, or 0 if one variable is constant apart from rounding."""
    if min(np.ptp(a), np.ptp(b)) < 1e-6:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
