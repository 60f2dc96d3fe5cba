"""Fit the prior of personal models: shapes, variances of effects, and noise.

The effects of a person are treated as random. The variances of these effects maximize the
likelihood of the curves of many people, separately for each shape and for the level. Only complete
curves are used. A weak log-normal prior keeps the variances finite if there are only a few people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from postmeal.glucose.personal.features import DEPEND_ON_MEAL, EFFECTS, RECENT, effect_names
from postmeal.glucose.personal.prior import FADING_DAYS, LEVEL
from postmeal.glucose.personal_fit import Observed

Array = NDArray[np.float64]

_N_SHAPES = 3
_RIDGE = 20.0
_LEAST_MEALS = 4
_READING_VARIANCE = 4.0
_PRIOR_SD = 2.0
_FARTHEST = 12.0
_DIGITS = 4


@dataclass(frozen=True, eq=False)
class Spread:
    """Parameters that describe how people differ from each other."""

    shapes: Array
    recent: Array
    variance: dict[str, list[float]]
    day_variance: float
    noise: Array


def rise_shapes(rises: list[Array]) -> Array:
    """Compute the principal components of observed rises.

    A person with n meals has a weight of √n.
    """
    curves = np.concatenate(rises)
    weight = np.concatenate([np.full(len(one), len(one) ** -0.5) for one in rises])
    centred = (curves - np.average(curves, axis=0, weights=weight)) * np.sqrt(weight)[:, None]
    shapes = np.linalg.svd(centred, full_matrices=False)[2][:_N_SHAPES]
    return np.asarray(shapes * np.sign(shapes.sum(axis=1))[:, None])


def fit_spread(people: list[Observed], shapes: Array, wider: list[Array]) -> Spread:
    """Fit the parameters that describe how people differ from each other."""
    curves = np.column_stack([*shapes, np.ones(shapes.shape[1])])
    left = [_along(one.residual_mg_dl, shapes) for one in people]
    recent = _mean_recent(people, left)
    left = [
        y - np.outer(one.features[:, RECENT], recent) for one, y in zip(people, left, strict=True)
    ]
    variance = {name: [0.0] * (_N_SHAPES + 1) for name in EFFECTS}
    day_variance, covariances = 0.0, []
    for output in range(_N_SHAPES + 1):
        kinds = [k for k in EFFECTS if output != LEVEL or k not in DEPEND_ON_MEAL]
        kernels = [_kernels(one, kinds, output == LEVEL) for one in people]
        found = _most_likely(kernels, [y[:, output] for y in left], wider)
        for kind, value in zip(kinds, found, strict=False):
            variance[kind][output] = _short(value)
        if output == LEVEL:
            day_variance = _short(found[-2])
        covariances.append((kernels, found))
    noise = _noise(people, left, covariances, wider, curves, recent)
    noise += _READING_VARIANCE * np.eye(len(noise))
    rounded = np.array([[_short(value) for value in row] for row in noise])
    short = np.array([_short(one) for one in recent])
    return Spread(shapes, short, variance, day_variance, rounded)


def _along(left: Array, shapes: Array) -> Array:
    return np.column_stack([(left - left[:, :1]) @ shapes.T, left[:, 0]])


def _mean_recent(people: list[Observed], left: list[Array]) -> Array:
    """Estimate the mean effect of a recent meal within people, adjusted for all other features."""
    features = np.concatenate([one.features - one.features.mean(axis=0) for one in people])
    targets = np.concatenate([y - y.mean(axis=0) for y in left])
    normal = features.T @ features + _RIDGE * np.eye(features.shape[1])
    return np.asarray(np.linalg.solve(normal, features.T @ targets)[RECENT])


def _kernels(one: Observed, kinds: list[str], with_days: bool) -> list[Array]:
    names = np.array(effect_names())
    parts = [one.features[:, names == kind] for kind in kinds]
    kernels = [part @ part.T for part in parts]
    if with_days:
        apart = np.abs(one.meals.day[:, None] - one.meals.day[None, :])
        kernels.append(np.exp(-apart / FADING_DAYS))
    return kernels


def _most_likely(kernels: list[list[Array]], left: list[Array], wider: list[Array]) -> Array:
    """Fit the variances of the kernels; the last is the variance of the noise."""
    n = len(kernels[0])
    share = np.r_[np.full(n, 0.5 / n), 0.5]
    share[0] = 0.12
    centre = np.log(np.concatenate(left).var() * share)
    stacks = [np.stack([*k, np.diag(w**2)]) for k, w in zip(kernels, wider, strict=True)]

    def loss(log_variance: Array) -> tuple[float, Array]:
        variance = np.exp(log_variance)
        value, slope = 0.0, np.zeros(len(variance))
        for stack, y in zip(stacks, left, strict=True):
            covariance = np.tensordot(variance, stack, axes=1)
            inverse = np.linalg.inv(covariance)
            weighted = inverse @ y
            value += 0.5 * float(y @ weighted + np.linalg.slogdet(covariance)[1])
            inner = inverse - np.outer(weighted, weighted)
            slope += 0.5 * variance * np.einsum("kij,ij->k", stack, inner)
        off = (log_variance - centre) / _PRIOR_SD
        return value + 0.5 * float(off @ off), slope + off / _PRIOR_SD

    bounds = [(one - _FARTHEST, one + _FARTHEST) for one in centre]
    # With the default tolerance, the fit stops so early that it differs between processors by 0.1%.
    options = {"gtol": 1e-9, "ftol": 1e-15, "maxiter": 2000}
    found = minimize(loss, centre, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return np.asarray(np.exp(found))


def _noise(
    people: list[Observed],
    left: list[Array],
    covariances: list[tuple[list[list[Array]], Array]],
    wider: list[Array],
    curves: Array,
    recent: Array,
) -> Array:
    """Return the covariance of the residuals after subtracting each person's effects."""
    total, count = np.zeros((len(curves), len(curves))), 0
    for number, (one, y, w) in enumerate(zip(people, left, wider, strict=True)):
        if len(y) < _LEAST_MEALS:
            continue
        fitted, freedom = np.empty_like(y), []
        for output, (kernels, found) in enumerate(covariances):
            own = np.tensordot(found[:-1], np.stack(kernels[number]), axes=1)
            smoother = own @ np.linalg.inv(own + found[-1] * np.diag(w**2))
            fitted[:, output] = smoother @ y[:, output]
            freedom.append(1 - np.trace(smoother) / len(y))
        fitted += np.outer(one.features[:, RECENT], recent)
        errors = (one.residual_mg_dl - fitted @ curves.T) / w[:, None]
        total += errors.T @ errors / len(y) / float(np.mean(freedom))
        count += 1
    return np.asarray(total / count)


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
