"""Base class of the estimators that predict glucose curves from meals tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from postmeal.errors import InputError
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.sensors import BLOOD, SensorConstant
from postmeal.glucose.population.states import STATES
from postmeal.training.fit.arrays import as_reported, gains_and_offsets, inputs, meals_of

__all__ = ["BloodCurve", "mean_levels", "rows_of"]

Array = NDArray[np.float64]

_LEVEL_PRIOR_MG_DL = (95.0, 105.0, 130.0, 150.0)
_LEVEL_PRIOR_PEOPLE = 3.0


class BloodCurve(ABC, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base class of the curve estimators.

    A subclass fits the rise of blood glucose in ``_fit_rise`` and returns it in ``_rise``. Sensor
    readings are converted to blood glucose before the fit, and predictions are converted back, so
    that readings of different sensors can be used together.

    Parameters
    ----------
    sensors : mapping of str to SensorConstant, optional
        Constants of each sensor family. When omitted, all sensors are assumed to read blood
        glucose.

    Attributes
    ----------
    level_mg_dl_ : dict of str to float
        Mean blood glucose at the start of the meal, by state of glucose regulation. It is the mean
        over people, shrunk toward a round figure that has the weight of three people.
    feature_names_in_ : ndarray of str
        Columns of the table that the model uses.
    n_features_in_ : int
        Number of columns that the model uses.
    """

    def __init__(self, sensors: Mapping[str, SensorConstant] | None = None) -> None:
        self.sensors = sensors

    def fit(
        self,
        X: pd.DataFrame,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        person: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimator to meals and the readings after them.

        Parameters
        ----------
        X : DataFrame of shape (n_meals, n_columns)
            Meals, with at least the columns of `postmeal.training.fit.arrays.INPUT_COLUMNS`.
        y : array_like of shape (n_meals, 9)
            Sensor readings 0, 15, … 120 minutes after the start of the meal, in mg/dL.
        sample_weight : array_like of shape (n_meals,), optional
            Weight of each meal. Defaults to 1.
        person : array_like of shape (n_meals,), optional
            Person of each meal. When omitted, each meal is treated as that of a different
            person.

        Returns
        -------
        BloodCurve
            The estimator.

        Raises
        ------
        InputError
            A column is missing, or the curves have the wrong shape or contain missing values.
        """
        table = inputs(X)
        curves = np.asarray(y, dtype=np.float64)
        shape = (len(table), len(GRID_MIN))
        if curves.shape != shape:
            raise InputError("y", f"must have the shape {shape}", curves.shape)
        if not np.isfinite(curves).all():
            raise InputError("y", "must contain only finite numbers")
        weight = np.ones(len(table)) if sample_weight is None else np.asarray(sample_weight, float)
        people = np.arange(len(table)) if person is None else np.asarray(person)
        gain, offset = self._constants(table)
        blood = (curves - offset) / gain
        meals = meals_of(table)
        self._fit_rise(meals, blood - blood[:, :1], weight, gain)
        self.level_mg_dl_ = mean_levels(blood[:, 0], meals_of(as_reported(table)).state, people)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        return self

    def predict(self, X: pd.DataFrame) -> Array:
        """Predict the readings of each row's sensor after the meal.

        Parameters
        ----------
        X : DataFrame of shape (n_meals, n_columns)
            Meals; see `fit`.

        Returns
        -------
        ndarray of shape (n_meals, 9)
            Curves in mg/dL.
        """
        check_is_fitted(self)
        table = inputs(X)
        meals = meals_of(table)
        gain, offset = self._constants(table)
        level = np.array([self.level_mg_dl_[state] for state in STATES])[meals.state]
        return np.asarray(offset + gain * (level[:, None] + self._rise(meals)))

    @abstractmethod
    def _fit_rise(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> None:
        """Fit the model to the rise of blood glucose after meals, of shape (n_meals, 9)."""

    @abstractmethod
    def _rise(self, meals: Meals) -> Array:
        """Predict the rise of blood glucose after meals, of shape (n_meals, 9)."""

    def _constants(self, table: pd.DataFrame) -> tuple[Array, Array]:
        if self.sensors is None:
            ones = np.ones((len(table), 1))
            return ones * BLOOD.gain, ones * BLOOD.offset_mg_dl
        return gains_and_offsets(table["sensor"], self.sensors)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.allow_nan = True
        return tags


def rows_of(meals: Meals, rows: NDArray[np.bool_]) -> Meals:
    """Return the selected meals."""
    return meals.only(rows)


def mean_levels(start: Array, state: NDArray[np.intp], person: NDArray[Any]) -> dict[str, float]:
    """Return the mean over people of glucose at the start of meals, by state, near the prior."""
    frame = pd.DataFrame({"start": start, "state": state, "person": person})
    by_person = frame.groupby(["state", "person"])["start"].mean()
    levels: dict[str, float] = {}
    for index, name in enumerate(STATES):
        values = by_person[index] if index in by_person.index.levels[0] else pd.Series(dtype=float)
        total = values.sum() + _LEVEL_PRIOR_PEOPLE * _LEVEL_PRIOR_MG_DL[index]
        levels[name] = float(total / (len(values) + _LEVEL_PRIOR_PEOPLE))
    return levels
