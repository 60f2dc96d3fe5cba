"""Effects of one person given their meals: Bayesian regression on whole and cut-short curves.

The curve of meal i is the population's plus ``C (B φ_i + d_i) + e_i``: C holds the shapes of the
rise and the level, φ_i what effects may depend on, B the person's effects, d_i a level of the day,
and e_i errors with one covariance for all meals, larger after a larger predicted rise. B and d are
normal with the variances of the prior, so their mean given the meals is the solution of one linear
system (Laird and Ware 1982, doi:10.2307/2529876). A curve cut short by the next meal counts with
the points it has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.personal_prior import FADING_DAYS, PersonalPrior

__all__ = ["Effects", "MealEquations", "posterior"]

Array = NDArray[np.float64]

_LEVEL = 3


class Effects(NamedTuple):
    """Posterior means.

    Attributes
    ----------
    effects : ndarray of shape (4, 36)
        Effects on the rise along each shape and on the level.
    of_day : dict of float to float
        How far the level was off on each day, mg/dL.
    """

    effects: Array
    of_day: dict[float, float]


class MealEquations:
    """The equations of a person's meals, summed by day so that days can be left out.

    Parameters
    ----------
    prior : PersonalPrior
        How people differ.
    features : ndarray of shape (n_meals, 36)
        What effects depend on.
    left_mg_dl : ndarray of shape (n_meals, 9)
        Observed less the population's curve; NaN where nothing was read.
    day : ndarray of shape (n_meals,)
        Local day of each meal, ascending.
    widening : ndarray of shape (n_meals,)
        How much larger than without a rise the errors of each meal are.
    """

    def __init__(
        self, prior: PersonalPrior, features: Array, left_mg_dl: Array, day: Array, widening: Array
    ) -> None:
        self.days, which = np.unique(day, return_inverse=True)
        n_effects, n_days = features.shape[1], len(self.days)
        width = n_effects + n_days
        extended = np.hstack([features, np.eye(n_days)[which]])
        recent = np.outer(features[:, 2], prior.recent)
        left = left_mg_dl - recent @ prior.curves.T
        is_known = ~np.isnan(left)
        self._varies = prior.variance > 0
        output, column = np.nonzero(self._varies)
        self._kept = np.r_[output * width + column, _LEVEL * width + n_effects + np.arange(n_days)]
        size = len(self._kept)
        self._matrix = np.zeros((n_days, size, size))
        self._right = np.zeros((n_days, size))
        patterns, of_meal = np.unique(is_known, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            curves = prior.curves[pattern]
            weighted = np.linalg.solve(prior.noise[np.ix_(pattern, pattern)], curves)
            inner = curves.T @ weighted
            for one in np.unique(which[of_meal == number]):
                rows = (of_meal == number) & (which == one)
                scaled = extended[rows] / widening[rows, None] ** 2
                block = np.kron(inner, scaled.T @ extended[rows])
                self._matrix[one] += block[np.ix_(self._kept, self._kept)]
                right = (left[np.ix_(rows, pattern)] @ weighted).T @ scaled
                self._right[one] += right.ravel()[self._kept]
        self._precision = self._prior_precision(prior, n_days)

    def _prior_precision(self, prior: PersonalPrior, n_days: int) -> Array:
        size = len(self._kept)
        precision = np.zeros((size, size))
        n_first = size - n_days
        precision[range(n_first), range(n_first)] = 1 / prior.variance[self._varies]
        apart = np.abs(self.days[:, None] - self.days[None, :])
        covariance = prior.day_variance * np.exp(-apart / FADING_DAYS)
        precision[n_first:, n_first:] = np.linalg.inv(covariance)
        return precision

    def solve(self, without: int | None = None) -> Effects:
        """Solve for the effects, with all days or without one.

        Parameters
        ----------
        without : int, optional
            Position in `days` of the day to leave out.

        Returns
        -------
        Effects
            Posterior means, the effect of a day left out included.
        """
        matrix, right = self._matrix.sum(axis=0), self._right.sum(axis=0)
        if without is not None:
            matrix, right = matrix - self._matrix[without], right - self._right[without]
        solution = np.linalg.solve(matrix + self._precision, right)
        n_first = len(solution) - len(self.days)
        of_day = dict(zip(self.days.tolist(), solution[n_first:].tolist(), strict=True))
        effects = np.zeros(self._varies.shape)
        effects[self._varies] = solution[:n_first]
        return Effects(effects, of_day)


def posterior(
    prior: PersonalPrior, features: Array, left_mg_dl: Array, day: Array, widening: Array
) -> Effects:
    """Posterior means given all meals; see `MealEquations`."""
    return MealEquations(prior, features, left_mg_dl, day, widening).solve()
