"""Approximate the posterior of the fitted coefficients by a normal distribution.

The fit maximizes the posterior probability. The posterior is approximated around its maximum by a
normal distribution (Laplace approximation). The covariance of this distribution is the inverse of
the curvature of the negative log posterior. The curvature is computed from the derivatives of the
residuals (Gauss–Newton). These are central differences with a large step: those of the optimizer
have a step of 1e-8, and their rounding errors changed standard deviations by up to 6% on another
kind of processor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEAST_NARROWING = 0.9
"""Ratio of posterior to prior standard deviation above which the data counts as uninformative."""

LEAST_MOVE_SD = 0.5
"""Change of the mean, in prior standard deviations, below which the data counts as uninformative.

Both conditions must hold.
"""


_STEP = 1e-3


class CoefficientPosterior(NamedTuple):
    """Prior and posterior of one coefficient."""

    prior_mean: float
    prior_sd: float
    mean: float
    sd: float

    @property
    def is_prior(self) -> bool:
        """Whether the posterior hardly differs from the prior."""
        move = abs(self.mean - self.prior_mean)
        is_narrower = self.sd <= LEAST_NARROWING * self.prior_sd
        return not is_narrower and move < LEAST_MOVE_SD * self.prior_sd


def laplace_posterior(
    priors: Mapping[str, tuple[float, float]], mean: Array, jacobian: Array
) -> dict[str, CoefficientPosterior]:
    """Compute the posterior of the coefficients from the residuals at the maximum."""
    sd = np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)))
    return {
        name: CoefficientPosterior(*prior, *moments)
        for (name, prior), moments in zip(
            priors.items(), zip(mean.tolist(), sd.tolist(), strict=True), strict=True
        )
    }


def central_jacobian(residuals: Callable[[Array], Array], at: Array) -> Array:
    """Return the derivatives of residuals, as central differences with a step of 0.001."""
    steps = _STEP * np.eye(len(at))
    columns = [(residuals(at + step) - residuals(at - step)) / (2 * _STEP) for step in steps]
    return np.stack(columns, axis=1)
