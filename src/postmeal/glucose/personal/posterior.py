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

from postmeal.glucose.personal.features import RECENT
from postmeal.glucose.personal.prior import FADING_DAYS, LEVEL, PersonalPrior

__all__ = ["Effects", "MealEquations"]

Array = NDArray[np.float64]


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
    """One equation for each reading after a person's meals, scaled to independent unit errors.

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
        self._prior, self._varies = prior, prior.variance > 0
        self._days, self._day_of = np.unique(day, return_inverse=True)
        self._known = ~np.isnan(left_mg_dl)
        patterns, pattern_of = np.unique(self._known, axis=0, return_inverse=True)
        roots = [np.linalg.cholesky(prior.noise[np.ix_(one, one)]) for one in patterns]
        self._roots = [roots[one] * wide for one, wide in zip(pattern_of, widening, strict=True)]
        units = [np.linalg.solve(root, np.eye(len(root))) for root in roots]
        shape, column = np.nonzero(self._varies)
        curve_of = np.concatenate([shape, np.full(len(self._days), LEVEL)])
        curves = [
            unit @ prior.curves[one][:, curve_of] for unit, one in zip(units, patterns, strict=True)
        ]
        by_meal = np.hstack([features[:, column], np.eye(len(self._days))[self._day_of]])
        by_meal /= widening[:, None]
        left = left_mg_dl - np.outer(features[:, RECENT], prior.recent) @ prior.curves.T
        left /= widening[:, None]
        self._design = np.concatenate([curves[k] * by_meal[i] for i, k in enumerate(pattern_of)])
        self._side = np.concatenate(
            [units[k] @ left[i, self._known[i]] for i, k in enumerate(pattern_of)]
        )
        self._meal = np.repeat(np.arange(len(features)), self._known.sum(axis=1))
        precision = self._design.T @ self._design + self._prior_precision()
        self._half = _inverse_root(precision)
        self._solution = self._half.T @ (self._half @ (self._design.T @ self._side))

    def _prior_precision(self) -> Array:
        n_effects = int(self._varies.sum())
        precision = np.zeros((n_effects + len(self._days),) * 2)
        precision[range(n_effects), range(n_effects)] = 1 / self._prior.variance[self._varies]
        apart = np.abs(self._days[:, None] - self._days[None, :])
        covariance = self._prior.day_variance * np.exp(-apart / FADING_DAYS)
        half = _inverse_root(covariance)
        precision[n_effects:, n_effects:] = half.T @ half
        return precision

    def effects(self) -> Effects:
        """Give the posterior means."""
        n_effects = int(self._varies.sum())
        effects = np.zeros(self._varies.shape)
        effects[self._varies] = self._solution[:n_effects]
        of_day = zip(self._days.tolist(), self._solution[n_effects:].tolist(), strict=True)
        return Effects(effects, dict(of_day))

    def errors_on_days_left_out(self) -> Array:
        """Observed less predicted, each day left out of what is learned from in turn.

        With the rows R of a day, A⁻¹ the posterior covariance and r the errors when nothing is
        left out, they are ``(1 − R A⁻¹ Rᵀ)⁻¹ r`` (Cook and Weisberg 1982, Residuals and Influence
        in Regression, ch. 2): one system is solved, not one for each day.

        Returns
        -------
        ndarray of shape (n_meals, 9)
            Errors in mg/dL, NaN where nothing was read.
        """
        errors = np.full(self._known.shape, np.nan)
        rest = self._side - self._design @ self._solution
        for number in range(len(self._days)):
            rows = np.flatnonzero(self._day_of[self._meal] == number)
            design = self._design[rows] @ self._half.T
            inner = np.eye(len(rows)) - design @ design.T
            left_out = np.linalg.solve(inner, rest[rows])
            for meal in np.flatnonzero(self._day_of == number):
                own = left_out[self._meal[rows] == meal]
                errors[meal, self._known[meal]] = self._roots[meal] @ own
        return errors


def _inverse_root(matrix: Array) -> Array:
    """Return W with WᵀW = A⁻¹, for a symmetric positive definite A.

    With the Cholesky factor L of A, W is L⁻¹.

    Raises
    ------
    numpy.linalg.LinAlgError
        A is not positive definite, such as after features that are not finite.
    """
    return np.linalg.solve(np.linalg.cholesky(matrix), np.eye(len(matrix)))
