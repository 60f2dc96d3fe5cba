"""Calibrate the band, the impact scale, the peak scale and the ranges.

They are fitted to predictions for held-out people. All people have the same weight, regardless of
the number of their meals. Bands and ranges are quantiles, which are inaccurate for few people. Each
state of glucose regulation therefore also uses meals of its neighboring states, with a total weight
of five people per neighboring state.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from postmeal.glucose.population.band import Band
from postmeal.glucose.population.impact import RISE_CUTS_MG_DL, ImpactScale
from postmeal.glucose.population.peak_scale import PEAK_CUTS_MG_DL, PeakScale
from postmeal.glucose.population.states import STATES
from postmeal.training.fit.metrics import macro_f1

__all__ = [
    "COVERAGE",
    "borrowed_weights",
    "fit_band",
    "fit_impact_scale",
    "fit_peak_scale",
    "fit_ranges",
    "person_weights",
    "weighted_quantile",
]

Array = NDArray[np.float64]

COVERAGE = 0.9
_UPPER_COVERAGE = 0.975
_LOWER_COVERAGE = 0.995
_BORROWED_PEOPLE = 5.0
_TYPE_1 = STATES.index("type_1")

_PEAK_SLOPE_PER_MG_DL = 0.04
_PEAK_SLOPE_LOG_SD = 0.5
_PEAK_LOG_ODDS_SD = 3.0


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
    minute.
    """
    below, above = np.zeros((2, len(STATES), error_mg_dl.shape[1]))
    tail = (1 - COVERAGE) / 2
    for index in range(len(STATES)):
        share = borrowed_weights(index, state, weight)
        for minute, errors in enumerate(error_mg_dl.T):
            below[index, minute] = max(-weighted_quantile(errors, share, tail), 0.0)
            above[index, minute] = max(weighted_quantile(errors, share, 1 - tail), 0.0)
    return Band(below, above)


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


def fit_peak_scale(
    predicted_mg_dl: Array, observed_mg_dl: Array, state: NDArray[np.intp], weight: Array
) -> PeakScale:
    """Fit the chances of peaks of 140 and 180 mg/dL, separately for each state.

    The coefficients have the highest posterior probability under weak normal priors. The prior of
    the log slope is centered at 0.04 per mg/dL (errors of 45 mg/dL) and has a standard deviation of
    0.5. The prior of the logarithm of the distance between the two log odds corresponds to the same
    slope and has the same standard deviation. The prior of the first log odds has a standard
    deviation of 3. Standard deviations of the log slope between 0.25 and 3 change the log loss for
    held-out people by less than 0.02.
    """
    predicted, observed = predicted_mg_dl.max(axis=1), observed_mg_dl.max(axis=1)
    columns = []
    for index in range(len(STATES)):
        own = np.where(state == index, weight, 0.0)
        share = own if own.any() else borrowed_weights(index, state, weight)
        rows = share > 0
        columns.append(_fit_peak_chances(predicted[rows], observed[rows], share[rows]))
    return PeakScale(*zip(*columns, strict=True))


def _fit_peak_chances(predicted: Array, observed: Array, weight: Array) -> tuple[float, ...]:
    """Fit the slope, and the log odds of both levels, to the peaks of one state."""
    reached = observed[:, None] >= np.array(PEAK_CUTS_MG_DL)
    above = predicted[:, None] - PEAK_CUTS_MG_DL[0]
    log_slope = np.log(_PEAK_SLOPE_PER_MG_DL)
    log_gap = np.log(_PEAK_SLOPE_PER_MG_DL * (PEAK_CUTS_MG_DL[1] - PEAK_CUTS_MG_DL[0]))
    middle = np.array([log_slope, 0.0, log_gap])
    spread = np.array([_PEAK_SLOPE_LOG_SD, _PEAK_LOG_ODDS_SD, _PEAK_SLOPE_LOG_SD])

    def loss(p: Array) -> float:
        odds = np.array([p[1], p[1] - np.exp(p[2])]) + np.exp(p[0]) * above
        fit = (weight[:, None] * (np.logaddexp(0, odds) - reached * odds)).sum()
        return float(fit + (((p - middle) / spread) ** 2).sum() / 2)

    p = minimize(loss, middle, method="BFGS", options={"gtol": 1e-8}).x
    return float(np.exp(p[0])), float(p[1]), float(p[1] - np.exp(p[2]))


def fit_ranges(
    curves_mg_dl: Array,
    blood_mg_dl: Array,
    state: NDArray[np.intp],
    person: NDArray[np.object_],
    weight: Array,
) -> dict[str, tuple[float, float]]:
    """Fit the glucose range of each state, wide enough for people who are left out of the fit.

    The upper limit is the 97.5% quantile of the highest points after meals, by state. It is raised
    so that 97.5% of the curves stay below it even if each person in turn is left out of the fit.
    The lower limit is computed in the same way from the lowest points, but for 99.5% of the curves.
    It is the same for all states except type 1 diabetes, because the lowest readings differ more
    between sensors than between states, and a different sensor may read lower.
    """
    lowest, highest = curves_mg_dl.min(axis=1), blood_mg_dl.max(axis=1)
    names = person.astype(str)
    without_type_1 = np.where(state == _TYPE_1, 0.0, weight)
    ranges: dict[str, tuple[float, float]] = {}
    for index, state_name in enumerate(STATES):
        share = borrowed_weights(index, state, weight)
        floor_share = share if index == _TYPE_1 or not without_type_1.any() else without_type_1
        low = -_upper_end(-lowest, names, floor_share, _LOWER_COVERAGE)
        ranges[state_name] = (low, _upper_end(highest, names, share, _UPPER_COVERAGE))
    return ranges


def _upper_end(values: Array, names: NDArray[np.str_], share: Array, coverage: float) -> float:
    """Return the quantile of values, raised to keep its coverage when each person is left out."""
    excess = np.zeros(len(values))
    for one in np.unique(names[share > 0]):
        own = names == one
        rest = np.where(own, 0.0, share)
        end = weighted_quantile(values, rest if rest.any() else share, coverage)
        excess[own] = values[own] - end
    margin = max(weighted_quantile(excess, share, coverage), 0.0)
    return weighted_quantile(values, share, coverage) + margin
