"""Personal effects given the person's meals: Bayesian regression on complete and partial curves.

The curve of meal i is the population curve plus ``C (B φ_i + d_i) + e_i``. C contains the shapes of
the rise and the level, φ_i the features of the meal, B the person's effects and d_i the level of
the day. The errors e_i have the same covariance for all meals, scaled up after a larger predicted
rise. B and d are normal with the variances of the prior, so their posterior mean is the solution of
a linear system (Laird and Ware 1982, doi:10.2307/2529876). A curve that is cut short by the next
meal contributes the points before that meal.

If the sensor was changed during the history, d_i is the sum of the level of the day and of an
offset of the sensor. The variance of these offsets is taken from the variance of the mean level,
which contains the offset of a single sensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.personal.features import ALWAYS, RECENT
from postmeal.glucose.personal.prior import FADING_DAYS, LEVEL, SENSOR_VARIANCE, PersonalPrior

Array = NDArray[np.float64]


class Effects(NamedTuple):
    """Posterior means of the effects."""

    effects: Array
    of_day: dict[float, float]
    of_sensor: Array


class HeldOutDay(NamedTuple):
    """The meals of a day, and the effects learned from all other days."""

    meals: NDArray[np.intp]
    sensor: NDArray[np.intp]
    learned: Effects


class MealEquations:
    """Linear equations for a person's effects, with one equation per reading after a meal.

    The equations are scaled so that their errors are independent and have unit variance.
    """

    def __init__(
        self,
        prior: PersonalPrior,
        features: Array,
        residual_mg_dl: Array,
        day: Array,
        widening: Array,
        sensor: NDArray[np.intp] | None = None,
    ) -> None:
        self._prior, self._varies = prior, prior.variance > 0
        number = np.zeros(len(day), dtype=np.intp) if sensor is None else sensor
        levels, self._level_of = np.unique(
            np.column_stack([day, number]), axis=0, return_inverse=True
        )
        self._days, self._sensors = levels[:, 0], levels[:, 1].astype(np.intp)
        self._known = ~np.isnan(residual_mg_dl)
        patterns, pattern_of = np.unique(self._known, axis=0, return_inverse=True)
        roots = [np.linalg.cholesky(prior.noise[np.ix_(known, known)]) for known in patterns]
        self._roots = [roots[k] * factor for k, factor in zip(pattern_of, widening, strict=True)]
        whiteners = [np.linalg.solve(root, np.eye(len(root))) for root in roots]
        shape, column = np.nonzero(self._varies)
        curve_of = np.concatenate([shape, np.full(len(self._days), LEVEL)])
        curves = [
            whitener @ prior.curves[known][:, curve_of]
            for whitener, known in zip(whiteners, patterns, strict=True)
        ]
        by_meal = np.hstack([features[:, column], np.eye(len(self._days))[self._level_of]])
        by_meal /= widening[:, None]
        residuals = residual_mg_dl - np.outer(features[:, RECENT], prior.recent) @ prior.curves.T
        residuals /= widening[:, None]
        self._design = np.concatenate([curves[k] * by_meal[i] for i, k in enumerate(pattern_of)])
        self._target = np.concatenate(
            [whiteners[k] @ residuals[i, self._known[i]] for i, k in enumerate(pattern_of)]
        )
        self._meal = np.repeat(np.arange(len(features)), self._known.sum(axis=1))
        precision = self._design.T @ self._design + self._prior_precision()
        self._inverse_root = _inverse_root(precision)
        self._solution = self._inverse_root.T @ (
            self._inverse_root @ (self._design.T @ self._target)
        )

    def _prior_precision(self) -> Array:
        variance = self._prior.variance.copy()
        distance = np.abs(self._days[:, None] - self._days[None, :])
        covariance = self._prior.day_variance * np.exp(-distance / FADING_DAYS)
        n_sensors = self._sensors.max() + 1
        self._from_levels = np.zeros((n_sensors, len(self._days)))
        if n_sensors > 1:
            offset_variance = min(SENSOR_VARIANCE, variance[LEVEL, ALWAYS] / 2)
            variance[LEVEL, ALWAYS] -= offset_variance
            is_same = np.arange(n_sensors)[:, None] == self._sensors
            covariance += offset_variance * is_same[self._sensors]
        root = _inverse_root(covariance)
        inverse = root.T @ root
        if n_sensors > 1:
            self._from_levels = offset_variance * is_same @ inverse
        n_effects = int(self._varies.sum())
        precision = np.zeros((n_effects + len(self._days),) * 2)
        precision[range(n_effects), range(n_effects)] = 1 / variance[self._varies]
        precision[n_effects:, n_effects:] = inverse
        return precision

    def effects(self) -> Effects:
        """Return the posterior means of the effects."""
        return self._effects_of(self._solution)

    def _effects_of(self, solution: Array) -> Effects:
        n_effects = int(self._varies.sum())
        effects = np.zeros(self._varies.shape)
        effects[self._varies] = solution[:n_effects]
        levels = solution[n_effects:]
        of_sensor = self._from_levels @ levels
        of_day = zip(self._days.tolist(), (levels - of_sensor[self._sensors]).tolist(), strict=True)
        return Effects(effects, dict(of_day), of_sensor)

    def held_out_days(self) -> Iterator[HeldOutDay]:
        """Fit the effects to all days but one, for each day in turn.

        Removing the rows R of a day changes the solution by ``A⁻¹ Rᵀ (1 − R A⁻¹ Rᵀ)⁻¹ r``, where
        A⁻¹ is the posterior covariance and r are the residuals. Reference: Cook and Weisberg 1982,
        Residuals and Influence in Regression, ch. 3.
        """
        for meals, rows, errors in self._held_out:
            change = self._inverse_root.T @ (self._inverse_root @ (self._design[rows].T @ errors))
            sensor = self._sensors[self._level_of[meals]]
            yield HeldOutDay(meals, sensor, self._effects_of(self._solution - change))

    def held_out_errors(self) -> Array:
        """Compute the errors on each day when that day is held out of the fit.

        The errors are ``(1 − R A⁻¹ Rᵀ)⁻¹ r``, where R are the rows of a day, A⁻¹ is the posterior
        covariance and r are the residuals of the full fit. The model is therefore fitted only once.
        Reference: Cook and Weisberg 1982, Residuals and Influence in Regression, ch. 2.
        """
        errors = np.full(self._known.shape, np.nan)
        for meals, rows, held_out in self._held_out:
            for meal in meals:
                meal_errors = held_out[self._meal[rows] == meal]
                errors[meal, self._known[meal]] = self._roots[meal] @ meal_errors
        return errors

    @cached_property
    def _held_out(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp], Array]]:
        """Positions of the meals and rows of each day, and the scaled errors without this day."""
        result = []
        residuals = self._target - self._design @ self._solution
        day_of = self._days[self._level_of]
        for day in np.unique(self._days):
            rows = np.flatnonzero(day_of[self._meal] == day)
            design = self._design[rows] @ self._inverse_root.T
            inner = np.eye(len(rows)) - design @ design.T
            errors = np.linalg.solve(inner, residuals[rows])
            result.append((np.flatnonzero(day_of == day), rows, errors))
        return result


def _inverse_root(matrix: Array) -> Array:
    """Return W with WᵀW = A⁻¹, for a symmetric positive definite A.

    With the Cholesky factor L of A, W is L⁻¹.
    """
    return np.linalg.solve(np.linalg.cholesky(matrix), np.eye(len(matrix)))
