"""LightGBM estimator of glucose curves, with the same inputs as the population model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from lightgbm import LGBMRegressor
from numpy.typing import NDArray

from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.sensors import SensorConstant
from postmeal.training.fit.estimator import BloodCurve

__all__ = ["BoostedCurve"]

Array = NDArray[np.float64]


class BoostedCurve(BloodCurve):
    """Gradient-boosted regressors with the inputs of the population model's formula.

    There is one regressor per minute of the grid. As in the formula, more carbohydrate never lowers
    the rise.

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
    boosters_ : list of LGBMRegressor, length 8
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
        features = _features(meals)
        self.boosters_ = [
            LGBMRegressor(
                n_estimators=self.n_estimators,
                learning_rate=self.learning_rate,
                num_leaves=self.num_leaves,
                min_child_samples=self.min_child_samples,
                subsample=0.8,
                subsample_freq=1,
                colsample_bytree=0.8,
                monotone_constraints=[1, 0, 0, 0, 0, 0],
                random_state=0,
                deterministic=True,
                force_row_wise=True,
                n_jobs=1,
                verbose=-1,
            ).fit(features, rise[:, minute], sample_weight=weight)
            for minute in range(1, len(GRID_MIN))
        ]

    def _rise(self, meals: Meals) -> Array:
        features = _features(meals)
        later = [booster.booster_.predict(features, num_threads=1) for booster in self.boosters_]
        return np.column_stack([np.zeros(len(features)), *later])


def _features(meals: Meals) -> Array:
    return np.column_stack([meals.macronutrients, meals.hour, meals.state])
