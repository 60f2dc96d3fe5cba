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

__all__ = [
    "LEAST_MOVE_SD",
    "LEAST_NARROWING",
    "CoefficientPosterior",
    "central_jacobian",
    "laplace_posterior",
]

Array = NDArray[np.float64]

LEAST_NARROWING = 0.9
"""Ratio of posterior to prior standard deviation above which the data counts as uninformative."""

LEAST_MOVE_SD = 0.5
"""Change of the mean, in prior standard deviations, below which the data counts as uninformative.

Both conditions must hold.
"""


_STEP = 1e-3


class CoefficientPosterior(NamedTuple):
    """Prior and posterior of one coefficient.

    Attributes
    ----------
    prior_mean, prior_sd : float
        Mean and standard deviation of the prior, as the fit uses it.
    mean, sd : float
        Mean and standard deviation of the posterior.
    """

    prior_mean: float
    prior_sd: float
    mean: float
    sd: float

    @property
    def is_prior(self) -> bool:
        """Whether the posterior hardly differs from the prior.

        Examples
        --------
        >>> CoefficientPosterior(0.3, 0.05, 0.31, 0.048).is_prior
        True
        >>> CoefficientPosterior(0.3, 0.05, 0.31, 0.02).is_prior
        False
        """
        move = abs(self.mean - self.prior_mean)
        is_narrower = self.sd <= LEAST_NARROWING * self.prior_sd
        return not is_narrower and move < LEAST_MOVE_SD * self.prior_sd


def laplace_posterior(
    priors: Mapping[str, tuple[float, float]], mean: Array, jacobian: Array
) -> dict[str, CoefficientPosterior]:
    """Compute the posterior of the coefficients from the residuals at the maximum.

    Parameters
    ----------
    priors : mapping of str to tuple of float
        Mean and standard deviation of the prior of each coefficient.
    mean : ndarray of shape (n_coefficients,)
        Coefficients with the highest posterior probability.
    jacobian : ndarray of shape (n_residuals, n_coefficients)
        Derivatives of the residuals with respect to the coefficients. Half of the sum of the
        squared residuals is the negative log posterior.

    Returns
    -------
    dict of str to CoefficientPosterior
        The posterior of each coefficient.

    Examples
    --------
    One observation of 2 with a noise of 1, and a prior with a mean of 0 and a standard deviation
    of 1, give a posterior with a mean of 1 and a standard deviation of √½:

    >>> found = laplace_posterior({"a": (0.0, 1.0)}, np.array([1.0]), np.array([[1.0], [1.0]]))
    >>> round(found["a"].sd, 4)
    0.7071
    """
    sd = np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)))
    return {
        name: CoefficientPosterior(*prior, *moments)
        for (name, prior), moments in zip(
            priors.items(), zip(mean.tolist(), sd.tolist(), strict=True), strict=True
        )
    }


def central_jacobian(residuals: Callable[[Array], Array], at: Array) -> Array:
    """Return the derivatives of residuals, as central differences with a step of 0.001.

    Parameters
    ----------
    residuals : callable
        Function of an array of shape (n_coefficients,) that returns an array of shape
        (n_residuals,).
    at : ndarray of shape (n_coefficients,)
        Coefficients, in units in which a step of 0.001 is small.

    Returns
    -------
    ndarray of shape (n_residuals, n_coefficients)

    Examples
    --------
    >>> central_jacobian(lambda z: np.array([z[0] ** 2, 3 * z[1]]), np.array([1.0, 5.0])).round(6)
    array([[2., 0.],
           [0., 3.]])
    """
    steps = _STEP * np.eye(len(at))
    columns = [(residuals(at + step) - residuals(at - step)) / (2 * _STEP) for step in steps]
    return np.stack(columns, axis=1)
