"""LightGBM estimators of glucose curves, with the same inputs as the population model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.sensors import SensorConstant
from postmeal.glucose.population.states import STATES
from postmeal.training.fit.arrays import as_reported, meals_of
from postmeal.training.fit.estimator import BloodCurve, mean_levels

__all__ = ["BOOSTING_GRID", "BoostedCurve", "BoostedFromKnown", "features"]

Array = NDArray[np.float64]

BOOSTING_GRID = {
    "n_estimators": (75, 150),
    "num_leaves": (8, 16, 32),
    "min_child_samples": (25, 100),
}
"""Numbers of trees, leaves and meals per leaf from which the settings are chosen."""


class BoostedCurve(BloodCurve):
    """Gradient-boosted regressors with the inputs of the population model's formula.

    There is one regressor per minute of the grid. As in the formula, more carbohydrate never lowers
    the rise. The numbers of trees, leaves and meals per leaf are chosen from `BOOSTING_GRID` by
    `postmeal.training.evaluation.tuning.tuned`.

    Parameters
    ----------
    n_estimators : int, default=150
        Number of trees per minute of the grid.
    learning_rate : float, default=0.04
        Shrinkage of each tree.
    num_leaves : int, default=8
        Maximum number of leaves per tree.
    min_child_samples : int, default=25
        Minimum number of meals per leaf.
    sensors : mapping of str to SensorConstant, optional
        See `BloodCurve`.

    Attributes
    ----------
    boosters_ : list of LGBMRegressor
        The regressors for each minute of the grid except the first.
    """

    def __init__(
        self,
        n_estimators: int = 150,
        learning_rate: float = 0.04,
        num_leaves: int = 8,
        min_child_samples: int = 25,
        sensors: Mapping[str, SensorConstant] | None = None,
    ) -> None:
        super().__init__(sensors)
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_child_samples = min_child_samples

    def _fit_rise(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> None:
        self._boost(features(meals), rise[:, 1:], weight)

    def _rise(self, meals: Meals) -> Array:
        later = self._boosted(features(meals))
        return np.column_stack([np.zeros(len(later)), later])

    def _boost(self, columns: Array, target: Array, weight: Array) -> None:
        """Fit one regressor to each column of the target."""
        self.boosters_ = [
            LGBMRegressor(
                n_estimators=self.n_estimators,
                learning_rate=self.learning_rate,
                num_leaves=self.num_leaves,
                min_child_samples=self.min_child_samples,
                subsample=0.8,
                subsample_freq=1,
                colsample_bytree=0.8,
                monotone_constraints=[1] + [0] * (columns.shape[1] - 1),
                random_state=0,
                deterministic=True,
                force_row_wise=True,
                n_jobs=1,
                verbose=-1,
            ).fit(columns, values, sample_weight=weight)
            for values in target.T
        ]

    def _boosted(self, columns: Array) -> Array:
        boosters = [one.booster_ for one in self.boosters_]
        return np.column_stack([one.predict(columns, num_threads=1) for one in boosters])


class BoostedFromKnown(BoostedCurve):
    """The same with more inputs: what is known about the person before the meal.

    The table has the additional columns `known`, without unknown values. There is a regressor for
    the first minute, too. It learns the difference from the reading at the start, without one from
    the mean of the readings before, and otherwise from the level of the condition. The regressors
    of the later minutes learn the difference from the same reading, and otherwise the rise.

    Parameters
    ----------
    n_estimators, learning_rate, num_leaves, min_child_samples, sensors : optional
        See `BoostedCurve`.
    known : tuple of str, default=("start_mg_dl",)
        Some of ``start_mg_dl``, ``mean_mg_dl``, ``sd_mg_dl``, ``hba1c_percent`` and
        ``fasting_glucose_mg_dl``.
    """

    def __init__(
        self,
        n_estimators: int = 150,
        learning_rate: float = 0.04,
        num_leaves: int = 8,
        min_child_samples: int = 25,
        sensors: Mapping[str, SensorConstant] | None = None,
        known: tuple[str, ...] = ("start_mg_dl",),
    ) -> None:
        super().__init__(n_estimators, learning_rate, num_leaves, min_child_samples, sensors)
        self.known = known

    def fit(
        self,
        X: pd.DataFrame,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        person: ArrayLike | None = None,
    ) -> Self:
        """Fit the regressors; see `BloodCurve.fit`."""
        gain, offset = self._constants(X)
        blood = (np.asarray(y) - offset) / gain
        people = np.arange(len(X)) if person is None else np.asarray(person)
        self.level_mg_dl_ = mean_levels(blood[:, 0], meals_of(as_reported(X)).state, people)
        columns, base = self._columns(X)
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        first = blood[:, :1] - base
        later = blood[:, 1:] - (base if self._starts_at_reading else blood[:, :1])
        self._boost(columns, np.hstack([first, later]), weight)
        return self

    def predict(self, X: pd.DataFrame) -> Array:
        """Predict readings; see `BloodCurve.predict`."""
        gain, offset = self._constants(X)
        columns, base = self._columns(X)
        found = self._boosted(columns)
        if not self._starts_at_reading:
            found[:, 1:] += found[:, :1]
        return np.asarray(offset + gain * (base + found))

    @property
    def _starts_at_reading(self) -> bool:
        return "start_mg_dl" in self.known

    def _columns(self, table: pd.DataFrame) -> tuple[Array, Array]:
        """Return all features, and the glucose from which the start is learned, (n_meals, 1)."""
        gain, offset = self._constants(table)
        meals, given = meals_of(table), table[list(self.known)].astype(np.float64)
        for name in {"start_mg_dl", "mean_mg_dl"} & set(self.known):
            given[name] = (given[name] - offset[:, 0]) / gain[:, 0]
        if "sd_mg_dl" in self.known:
            given["sd_mg_dl"] /= gain[:, 0]
        level = np.array([self.level_mg_dl_[state] for state in STATES])[meals.state]
        bases = [given[name] for name in ("start_mg_dl", "mean_mg_dl") if name in self.known]
        base = np.asarray([*bases, level][0])[:, None]
        return np.column_stack([features(meals), given.to_numpy()]), base


def features(meals: Meals) -> Array:
    """Return all inputs of the formula as columns, the carbohydrate first, NaN if unknown.

    Parameters
    ----------
    meals : Meals
        The meals. Each of its arrays is used, because the formula may use each of them, except the
        gain of the person.

    Returns
    -------
    ndarray of shape (n_meals, n_features)
        The features.
    """
    unknown = np.full(len(meals.hour), np.nan)
    inputs = meals._replace(log_gain=None)[:-1]
    return np.column_stack([unknown if column is None else column for column in inputs])
