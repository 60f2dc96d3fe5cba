"""Baseline predictions: mean curves, and linear functions of carbohydrate and of all inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from postmeal.glucose.population.features import Meals, recency
from postmeal.glucose.population.formula import time_of_day
from postmeal.glucose.population.sensors import SensorConstant
from postmeal.glucose.population.states import STATES
from postmeal.training.fit.estimator import BloodCurve

__all__ = ["RIDGE_GRID", "CarbLine", "ConditionMean", "GlobalMean", "LinearCurve", "PersonMean"]

Array = NDArray[np.float64]

RIDGE_GRID = {"alpha": (10.0, 100.0, 1000.0, 10000.0)}
"""Penalties from which that of `LinearCurve` is chosen."""


class GlobalMean(BloodCurve):
    """Baseline that predicts the mean rise of all people."""

    def _fit_rise(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> None:
        self.mean_ = np.average(rise, axis=0, weights=weight)

    def _rise(self, meals: Meals) -> Array:
        return np.tile(self.mean_, (len(meals.hour), 1))


class ConditionMean(BloodCurve):
    """Baseline that predicts the mean rise of the people in the same state of glucose regulation.

    If no training data is from this state, the mean rise of all people is predicted.
    """

    def _fit_rise(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> None:
        everybody = np.average(rise, axis=0, weights=weight)
        self.means_ = np.tile(everybody, (len(STATES), 1))
        for state in np.unique(meals.state):
            rows = meals.state == state
            self.means_[state] = np.average(rise[rows], axis=0, weights=weight[rows])

    def _rise(self, meals: Meals) -> Array:
        return np.asarray(self.means_[meals.state])


class CarbLine(BloodCurve):
    """Baseline that is a linear function of carbohydrate at each minute, as in carb counting."""

    def _fit_rise(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> None:
        root = np.sqrt(weight)[:, None]
        self.line_ = np.linalg.lstsq(self._design(meals) * root, rise * root, rcond=None)[0]

    def _rise(self, meals: Meals) -> Array:
        return np.asarray(self._design(meals) @ self.line_)

    @staticmethod
    def _design(meals: Meals) -> Array:
        carbs = meals.macronutrients[:, 0]
        return np.column_stack([np.ones_like(carbs), carbs])


class LinearCurve(BloodCurve):
    """Ridge regression at each minute, with all inputs of the population model's formula.

    The macronutrients have their own slopes in each state. The other inputs are, as in the formula,
    the degree to which it is morning and evening, and how recent the previous meal is.

    Parameters
    ----------
    alpha : float, default=10.0
        Penalty of the squared slopes of standardized inputs; chosen from `RIDGE_GRID` by
        `postmeal.training.evaluation.tuning.tuned`.
    sensors : mapping of str to SensorConstant, optional
        See `BloodCurve`.
    """

    def __init__(
        self, alpha: float = 10.0, sensors: Mapping[str, SensorConstant] | None = None
    ) -> None:
        super().__init__(sensors)
        self.alpha = alpha

    def _fit_rise(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> None:
        self.ridge_ = make_pipeline(StandardScaler(), Ridge(self.alpha))
        self.ridge_.fit(self._design(meals), rise, ridge__sample_weight=weight)

    def _rise(self, meals: Meals) -> Array:
        return np.asarray(self.ridge_.predict(self._design(meals)))

    @staticmethod
    def _design(meals: Meals) -> Array:
        is_state = np.eye(len(STATES))[meals.state]
        by_state = is_state[:, :, None] * meals.macronutrients[:, None, :]
        moment = (*time_of_day(meals.hour), recency(meals))
        return np.column_stack([is_state, by_state.reshape(len(is_state), -1), *moment])


class PersonMean(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Baseline that predicts each person's mean curve; it cannot predict unknown people.

    Attributes
    ----------
    curves_ : DataFrame of shape (n_people, 9)
        Mean readings by person, in mg/dL.
    """

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Compute the mean curve of each person.

        Parameters
        ----------
        X : DataFrame of shape (n_meals, n_columns)
            Meals with the column ``person``, all with readings of the same sensor.
        y : array_like of shape (n_meals, 9)
            Sensor readings in mg/dL.

        Returns
        -------
        PersonMean
            The fitted estimator.
        """
        curves = pd.DataFrame(np.asarray(y, dtype=np.float64))
        self.curves_ = curves.groupby(X["person"].to_numpy()).mean()
        return self

    def predict(self, X: pd.DataFrame) -> Array:
        """Return the mean curve of each meal's person in mg/dL, of shape (n_meals, 9).

        Raises
        ------
        KeyError
            The estimator was not fitted to one of the people.
        """
        check_is_fitted(self)
        return np.asarray(self.curves_.loc[X["person"]])
