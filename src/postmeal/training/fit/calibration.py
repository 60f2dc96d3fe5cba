"""Calibrate the band, the impact scale, the chances of high peaks and the ranges.

They are fitted to predictions for held-out people. All people have the same weight, regardless of
the number of their meals. Bands and ranges are quantiles, which are inaccurate for few people. Each
state of glucose regulation therefore also uses meals of its neighboring states, with a total weight
of five people per neighboring state.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from postmeal.glucose.population.band import Band, widening
from postmeal.glucose.population.glucose_range import OUTSIDE
from postmeal.glucose.population.impact import RISE_CUTS_MG_DL, ImpactScale
from postmeal.glucose.population.peak_scale import PEAK_CUTS_MG_DL, PeakDistribution
from postmeal.glucose.population.states import STATES
from postmeal.training.fit.metrics import macro_f1

Array = NDArray[np.float64]

COVERAGE = 0.9
_BORROWED_PEOPLE = 5.0
_TYPE_1 = STATES.index("type_1")

_USUAL_SLOPE = float(np.log(19.0))  # with this, 90% of a logistic distribution are within a unit
_PEAK_SD = 0.5


class Peaks(NamedTuple):
    """Observed and predicted peaks of meals, in sensor readings; see `PeakDistribution.chances`."""

    person: NDArray[np.object_]
    state: NDArray[np.intp]
    start_mg_dl: Array
    rise_mg_dl: Array
    unit_mg_dl: Array
    observed_mg_dl: Array
    weight: Array


def person_weights(person: NDArray[np.object_], weight: Array | None = None) -> Array:
    """Return weights of meals that give all people the same total weight.

    If a weight is given for each meal, the results are multiplied by these weights.
    """
    _, index, count = np.unique(person.astype(str), return_inverse=True, return_counts=True)
    result: Array = 1.0 / count[index]
    return result if weight is None else result * weight


def weighted_quantile(values: Array, weights: Array, q: float) -> float:
    """Return the weighted quantile: the smallest value up to which the weights reach a share q."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    position = int(np.searchsorted(share, q - 1e-12))
    return float(values[order][min(position, len(values) - 1)])


def borrowed_weights(index: int, state: NDArray[np.intp], weight: Array) -> Array:
    """Return the weights of meals for the quantiles of one state, including borrowed meals."""
    result: Array = np.where(state == index, weight, 0.0)
    neighbors = () if index == _TYPE_1 else (index - 1, index + 1)
    for neighbor in neighbors:
        rows = (state == neighbor) & (neighbor != _TYPE_1)
        if rows.any():
            result[rows] = weight[rows] * min(_BORROWED_PEOPLE / weight[rows].sum(), 1.0)
    if not result.any():
        known = np.unique(state).tolist()
        nearest = min(known, key=lambda one: (one < index, abs(one - index)))
        result[state == nearest] = weight[state == nearest]
    return result


def fit_band(error_mg_dl: Array, state: NDArray[np.intp], weight: Array) -> Band:
    """Fit a conformal 90% band to the errors of held-out people.

    The limits are the 5% and 95% quantiles of observed minus predicted readings, by state and
    minute, smoothed over minutes.
    """
    below, above = np.zeros((2, len(STATES), error_mg_dl.shape[1]))
    tail = (1 - COVERAGE) / 2
    for index in range(len(STATES)):
        share = borrowed_weights(index, state, weight)
        for minute, errors in enumerate(error_mg_dl.T):
            below[index, minute] = max(-weighted_quantile(errors, share, tail), 0.0)
            above[index, minute] = max(weighted_quantile(errors, share, 1 - tail), 0.0)
    return Band(smooth_over_minutes(below), smooth_over_minutes(above))


def smooth_over_minutes(values: Array) -> Array:
    """Smooth values on the standard grid, along the last axis, with the weights 1, 2 and 1."""
    before, after = values[..., :-1], values[..., 1:]
    middle = (before[..., :-1] + 2 * values[..., 1:-1] + after[..., 1:]) / 4
    first = (2 * values[..., :1] + values[..., 1:2]) / 3
    last = (2 * values[..., -1:] + values[..., -2:-1]) / 3
    return np.concatenate([first, middle, last], axis=-1)


def fit_impact_scale(predicted_rise: Array, observed_rise: Array, weight: Array) -> ImpactScale:
    """Fit a proportional-odds model of the observed rise, and thresholds that maximize macro-F1."""
    reached = observed_rise[:, None] >= np.array(RISE_CUTS_MG_DL)
    share = weight / weight.sum()

    def loss(p: Array) -> float:
        odds = np.array([p[1], p[1] - np.exp(p[2])]) + np.exp(p[0]) * predicted_rise[:, None] / 20
        return float((share[:, None] * (np.logaddexp(0, odds) - reached * odds)).sum())

    p = minimize(loss, np.array([0.0, -1.0, 0.0]), method="BFGS", options={"gtol": 1e-10}).x
    slope, to_medium = float(np.exp(p[0]) / 20), float(p[1])
    to_high = float(p[1] - np.exp(p[2]))
    chances = 1 / (1 + np.exp(-(np.array([to_medium, to_high]) + slope * predicted_rise[:, None])))
    observed = reached.sum(axis=1)
    cuts = np.arange(0.15, 0.61, 0.01)

    def score(medium: float, high: float) -> float:
        label = np.where(chances[:, 1] >= high, 2, np.where(chances[:, 0] >= medium, 1, 0))
        return macro_f1(observed, label)

    medium, high = max(product(cuts, cuts), key=lambda cut: score(*cut))
    return ImpactScale(slope, to_medium, to_high, round(float(medium), 2), round(float(high), 2))


def fit_peak_distribution(peaks: Peaks) -> PeakDistribution:
    """Fit the distribution of observed peaks around the predicted ones.

    The coefficients have the highest posterior probability under weak normal priors. The prior of
    the log slope is centered at that of a logistic distribution whose 90% interval is the band, and
    has a standard deviation of 0.5; so have the shifts, whose prior is centered at zero.
    """
    share = peaks.weight / peaks.weight.sum() * len(np.unique(peaks.person))
    above = np.stack(
        [
            (peaks.start_mg_dl + peaks.rise_mg_dl - cut)
            / (peaks.unit_mg_dl * widening(cut - peaks.start_mg_dl))
            for cut in PEAK_CUTS_MG_DL
        ],
        axis=1,
    )
    reached = peaks.observed_mg_dl[:, None] >= np.array(PEAK_CUTS_MG_DL)

    def loss(p: Array) -> float:
        odds = np.exp(p[0]) * (above + p[1:][peaks.state][:, None])
        fit = (share[:, None] * (np.logaddexp(0, odds) - reached * odds)).sum()
        from_prior = np.append(p[0] - np.log(_USUAL_SLOPE), p[1:]) / _PEAK_SD
        return float(fit + (from_prior**2).sum() / 2)

    start = np.append(np.log(_USUAL_SLOPE), np.zeros(len(STATES)))
    p = minimize(loss, start, method="BFGS", options={"gtol": 1e-8}).x
    return PeakDistribution(float(np.exp(p[0])), tuple(p[1:].tolist()))


def fit_ranges(
    blood_mg_dl: Array, is_artefact: NDArray[np.bool_], state: NDArray[np.intp], weight: Array
) -> dict[str, tuple[float, float]]:
    """Fit the range that holds 95% of the readings after meals, in blood glucose, by state."""
    n_times = blood_mg_dl.shape[1]
    ranges: dict[str, tuple[float, float]] = {}
    for index, name in enumerate(STATES):
        share = np.repeat(borrowed_weights(index, state, weight), n_times)
        values, share = blood_mg_dl.ravel(), np.where(is_artefact.ravel(), 0.0, share)
        low, high = (weighted_quantile(values, share, q) for q in (OUTSIDE, 1 - OUTSIDE))
        ranges[name] = low, high
    return ranges
