"""The population model as a scikit-learn estimator: from meals tables to coefficients and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from postmeal.errors import InputError
from postmeal.glucose.curve import GRID_MIN
from postmeal.glucose.features import Meals
from postmeal.glucose.population import PopulationModel
from postmeal.glucose.sensors import BLOOD, SensorConstant
from postmeal.glucose.states import STATES
from postmeal.training.priors import PRIORS
from postmeal.training.table import gains_and_offsets, inputs, meals_of

__all__ = ["PostMealCurve", "coefficients_to_model"]

Array = NDArray[np.float64]

_MEAN = np.array([prior.mean for prior in PRIORS.values()])
_SD = np.array([prior.sd for prior in PRIORS.values()])
_NOISE_MG_DL = 80.0
_GRID = np.array(GRID_MIN)
_TYPE_1 = STATES.index("type_1")
_LEVEL_PRIOR_MG_DL = (95.0, 105.0, 130.0, 150.0)
_LEVEL_PRIOR_PEOPLE = 3.0


def coefficients_to_model(
    theta: Array, type_1: tuple[float, float] | None = None
) -> PopulationModel:
    """Lay the fitted numbers out as the model's coefficients.

    Parameters
    ----------
    theta : ndarray of shape (n_coefficients,)
        Coefficients in the order of `PRIORS`.
    type_1 : tuple of float, optional
        Logarithm of the gain, and drift in mg/dL, of type 1 diabetes; those of type 2 when
        omitted.

    Returns
    -------
    PopulationModel
        The model.
    """
    c = dict(zip(PRIORS, theta.tolist(), strict=True))
    gain, peak, drift = c["log_gain"], c["peak_min"], c["drift_mg_dl"]
    type_2_gain = gain + c["type_2_gain"]
    type_1_gain, type_1_drift = type_1 or (type_2_gain, drift)
    morning_2 = c["morning"] + c["morning_type_2"]
    evening_2 = c["evening"] + c["evening_type_2"]
    peak_2 = peak + c["type_2_peak_min"]
    return PopulationModel(
        log_gain=(gain, gain + c["prediabetes_gain"], type_2_gain, type_1_gain),
        morning=(c["morning"], c["morning"], morning_2, morning_2),
        evening=(c["evening"], c["evening"], evening_2, evening_2),
        between_meals=c["between_meals"],
        protein_per_g=c["protein_per_10_g"] / 10,
        fat_per_g=c["fat_per_10_g"] / 10,
        fiber_per_g=c["fiber_per_5_g"] / 5,
        saturation_g=float(np.exp(c["log_saturation_g"])),
        peak_min=(peak, peak + c["prediabetes_peak_min"], peak_2, peak_2),
        sharpness=c["sharpness"],
        drift_mg_dl=(drift, drift, drift, type_1_drift),
    )


class PostMealCurve(RegressorMixin, BaseEstimator):
    """Population model of the two-hour curve, fitted by maximum a posteriori.

    The coefficients minimise the squared error of the rise, in blood glucose, plus the squared
    distances from their priors (`postmeal.training.priors`) times the prior strength. Type 1
    diabetes, whose meals cannot tell what insulin does, takes every coefficient of type 2 but its
    gain and its drift, which are fitted last.

    Parameters
    ----------
    prior_strength : float, default=64.0
        Weight of the priors; leave-one-data-set-out chose it.
    sensors : mapping of str to SensorConstant, optional
        What each sensor family reads of blood glucose; when omitted, every sensor is taken to
        read blood glucose itself.

    Attributes
    ----------
    model_ : PopulationModel
        The fitted formula.
    level_mg_dl_ : dict of str to float
        Mean blood glucose at the first bite, by state of regulation: the mean over people,
        shrunk towards a round figure with the weight of three people.
    feature_names_in_ : ndarray of str
        Columns of the table that the model looks at.
    n_features_in_ : int
        Their number.

    See Also
    --------
    postmeal.training.challenger.BoostedCurve : LightGBM, the standing challenger.

    Examples
    --------
    >>> from postmeal.training.cohort import synthetic_cohort
    >>> from postmeal.training.meals import meals_table
    >>> from postmeal.training.table import inputs, observed_curves
    >>> table = meals_table(synthetic_cohort(n_people=8, n_days=4))
    >>> model = PostMealCurve().fit(inputs(table), observed_curves(table))
    >>> model.predict(inputs(table)).shape == (len(table), 9)
    True
    """

    def __init__(
        self,
        prior_strength: float = 64.0,
        sensors: Mapping[str, SensorConstant] | None = None,
    ) -> None:
        self.prior_strength = prior_strength
        self.sensors = sensors

    def fit(
        self,
        X: pd.DataFrame,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        person: ArrayLike | None = None,
    ) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : DataFrame of shape (n_meals, n_columns)
            Meals, with at least the columns of `postmeal.training.table.INPUT_COLUMNS`.
        y : array_like of shape (n_meals, 9)
            Sensor readings 0, 15, … 120 minutes after the first bite, mg/dL.
        sample_weight : array_like of shape (n_meals,), optional
            Weight of each meal; one when omitted.
        person : array_like of shape (n_meals,), optional
            Whose meal it is, for the level; every meal its own person when omitted.

        Returns
        -------
        PostMealCurve
            Itself.

        Raises
        ------
        InputError
            Columns or curves are missing or of another shape.
        """
        table = inputs(X)
        curves = np.asarray(y, dtype=np.float64)
        if curves.shape != (len(table), len(GRID_MIN)):
            raise InputError(
                "y", f"must have the shape ({len(table)}, {len(GRID_MIN)})", curves.shape
            )
        if not np.isfinite(curves).all():
            raise InputError("y", "must hold finite numbers only")
        weight = np.ones(len(table)) if sample_weight is None else np.asarray(sample_weight, float)
        gain, offset = self._constants(table)
        blood = (curves - offset) / gain
        meals, rise = meals_of(table), blood - blood[:, :1]
        known = meals.state != _TYPE_1
        theta = self._map(_rows(meals, known), rise[known], weight[known], gain[known])
        type_1 = None
        if not known.all():
            rows = ~known
            type_1 = _fit_type_1(theta, _rows(meals, rows), rise[rows], weight[rows])
        self.model_ = coefficients_to_model(theta, type_1)
        people = np.arange(len(table)) if person is None else np.asarray(person)
        self.level_mg_dl_ = _levels(blood[:, 0], meals.state, people)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        return self

    def predict(self, X: pd.DataFrame) -> Array:
        """Predict the readings of the sensor named in each row.

        Parameters
        ----------
        X : DataFrame of shape (n_meals, n_columns)
            Meals, as for `fit`.

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
        return np.asarray(offset + gain * (level[:, None] + self.model_.rise(meals, _GRID)))

    def _constants(self, table: pd.DataFrame) -> tuple[Array, Array]:
        if self.sensors is None:
            return np.full((len(table), 1), BLOOD.gain), np.full(
                (len(table), 1), BLOOD.offset_mg_dl
            )
        return gains_and_offsets(table["sensor"], self.sensors)

    def _map(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> Array:
        # Errors count as the sensor reads them: where it reads a smaller rise, its noise is too.
        scale = np.sqrt(weight)[:, None] * gain / _NOISE_MG_DL
        strength = np.sqrt(self.prior_strength)

        def residuals(z: Array) -> Array:
            model = coefficients_to_model(_MEAN + _SD * z)
            error = (model.rise(meals, _GRID) - rise) * scale
            return np.concatenate([error.ravel(), strength * z])

        fit = least_squares(residuals, np.zeros(len(_MEAN)), xtol=1e-10, ftol=1e-12, gtol=1e-10)
        return np.asarray(_MEAN + _SD * fit.x)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.allow_nan = True
        return tags


def _rows(meals: Meals, rows: NDArray[np.bool_]) -> Meals:
    return Meals(*(values[rows] for values in meals))


def _fit_type_1(theta: Array, meals: Meals, rise: Array, weight: Array) -> tuple[float, float]:
    start = coefficients_to_model(theta)
    scale = np.sqrt(weight)[:, None] / _NOISE_MG_DL

    def residuals(z: Array) -> Array:
        model = coefficients_to_model(theta, (start.log_gain[2] + z[0], 20.0 * z[1]))
        return np.concatenate([((model.rise(meals, _GRID) - rise) * scale).ravel(), z])

    z = least_squares(residuals, np.zeros(2), xtol=1e-10, ftol=1e-12, gtol=1e-10).x
    return float(start.log_gain[2] + z[0]), float(20.0 * z[1])


def _levels(start: Array, state: NDArray[np.intp], person: NDArray[Any]) -> dict[str, float]:
    frame = pd.DataFrame({"start": start, "state": state, "person": person})
    by_person = frame.groupby(["state", "person"])["start"].mean()
    levels = {}
    for index, name in enumerate(STATES):
        values = by_person[index] if index in by_person.index.levels[0] else pd.Series(dtype=float)
        total = values.sum() + _LEVEL_PRIOR_PEOPLE * _LEVEL_PRIOR_MG_DL[index]
        levels[name] = float(total / (len(values) + _LEVEL_PRIOR_PEOPLE))
    return levels
