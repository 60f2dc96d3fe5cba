"""The population model as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.formula import PopulationModel
from postmeal.glucose.population.sensors import SensorConstant
from postmeal.glucose.population.states import STATES
from postmeal.training.fit.coefficient_posterior import (
    CoefficientPosterior,
    central_jacobian,
    laplace_posterior,
)
from postmeal.training.fit.estimator import BloodCurve, rows_of
from postmeal.training.fit.priors import PRIORS
from postmeal.training.fit.published_responses import log_errors

__all__ = ["PostMealCurve", "coefficients_to_model"]

Array = NDArray[np.float64]

_MEAN = np.array([prior.mean for prior in PRIORS.values()])
_SD = np.array([prior.sd for prior in PRIORS.values()])
_IS_KNOWN = np.array([prior.is_known for prior in PRIORS.values()])
_UNKNOWN_STRENGTH = 0.25
_NOISE_MG_DL = 80.0
_GRID = np.array(GRID_MIN)
_TYPE_1 = STATES.index("type_1")


def coefficients_to_model(
    theta: Array, type_1: tuple[float, float] | None = None
) -> PopulationModel:
    """Build the model from fitted coefficients.

    Parameters
    ----------
    theta : ndarray of shape (n_coefficients,)
        Coefficients in the order of `PRIORS`.
    type_1 : tuple of float, optional
        Logarithm of the gain, and drift in mg/dL, for type 1 diabetes. Defaults to those for type
        2 diabetes.

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
    type_2_saturation = c["type_2_log_saturation"]
    saturation = 0.0, c["prediabetes_log_saturation"], type_2_saturation, type_2_saturation
    return PopulationModel(
        log_gain=(gain, gain + c["prediabetes_gain"], type_2_gain, type_1_gain),
        morning=(c["morning"], c["morning"], morning_2, morning_2),
        evening=(c["evening"], c["evening"], evening_2, evening_2),
        protein_per_g=c["protein_per_10_g"] / 10,
        fat_per_g=c["fat_per_10_g"] / 10,
        fiber_per_g=c["fiber_per_5_g"] / 5,
        saturation_g=tuple(float(np.exp(c["log_saturation_g"] + change)) for change in saturation),
        peak_min=(peak, peak + c["prediabetes_peak_min"], peak_2, peak_2),
        sharpness=c["sharpness"],
        slowing_per_kcal=c["slowing_per_400_kcal"] / 400,
        drift_mg_dl=(drift, drift, drift, type_1_drift),
        slowing_per_g=c["slowing_per_40_g"] / 40,
        recent_middle_mg_dl=c["recent_middle_mg_dl"],
        recent_end_mg_dl=c["recent_end_mg_dl"],
    )


class PostMealCurve(BloodCurve):
    """Population model of the two-hour curve, fitted by maximum a posteriori estimation.

    The coefficients minimize the sum of three terms: the squared errors of the rise, in units of
    the noise of a meal; the squared distances from their priors (`postmeal.training.fit.priors`)
    times the prior strength; and the squared errors for published responses to standard loads
    (`postmeal.training.fit.published_responses`). In type 1 diabetes, the response depends on
    insulin. Its coefficients are therefore those of type 2 diabetes, except the gain and the drift,
    which are fitted last.

    Parameters
    ----------
    prior_strength : float, default=16.0
        Weight of the priors with physiological means, chosen by leave-one-data-set-out validation.
        Other priors have a quarter of this weight.
    uses_published : bool, default=True
        Whether the published responses are part of the fit.
    sensors : mapping of str to SensorConstant, optional
        Constants of each sensor family. When omitted, all sensors are assumed to read blood
        glucose.

    Attributes
    ----------
    model_ : PopulationModel
        The fitted formula.
    posterior_ : dict of str to CoefficientPosterior
        Prior and posterior of each coefficient. The names of the coefficients for type 1 diabetes
        begin with ``type_1``.
    level_mg_dl_ : dict of str to float
        Mean blood glucose at the start of the meal, by state of glucose regulation.
    feature_names_in_ : ndarray of str
        Columns of the table that the model uses.
    n_features_in_ : int
        Number of these columns.

    See Also
    --------
    postmeal.training.evaluation.lightgbm_challenger.BoostedCurve : LightGBM with the same inputs.

    Examples
    --------
    >>> from postmeal.training.synthetic.cohort import synthetic_cohort
    >>> from postmeal.training.datasets.meals_table import meals_table
    >>> from postmeal.training.fit.arrays import observed_curves
    >>> table = meals_table(synthetic_cohort(n_people=8, n_days=4))
    >>> model = PostMealCurve().fit(table, observed_curves(table))
    >>> model.predict(table).shape == (len(table), 9)
    True
    """

    def __init__(
        self,
        prior_strength: float = 16.0,
        sensors: Mapping[str, SensorConstant] | None = None,
        *,
        uses_published: bool = True,
    ) -> None:
        super().__init__(sensors)
        self.prior_strength = prior_strength
        self.uses_published = uses_published

    def _fit_rise(self, meals: Meals, rise: Array, weight: Array, gain: Array) -> None:
        known = meals.state != _TYPE_1
        theta, posterior = self._map(rows_of(meals, known), rise[known], weight[known], gain[known])
        type_1 = None
        if not known.all():
            type_1, own = _fit_type_1(theta, rows_of(meals, ~known), rise[~known], weight[~known])
            posterior |= own
        self.model_ = coefficients_to_model(theta, type_1)
        self.posterior_ = posterior

    def _rise(self, meals: Meals) -> Array:
        return self.model_.rise(meals, _GRID)

    def _map(
        self, meals: Meals, rise: Array, weight: Array, gain: Array
    ) -> tuple[Array, dict[str, CoefficientPosterior]]:
        # Errors are in sensor readings, because a sensor that reads a smaller rise has less noise.
        scale = np.sqrt(weight)[:, None] * gain / _NOISE_MG_DL
        strength = np.sqrt(self.prior_strength * np.where(_IS_KNOWN, 1.0, _UNKNOWN_STRENGTH))
        libre = (self.sensors or {}).get("Libre") if self.uses_published else None

        def residuals(z: Array) -> Array:
            model = coefficients_to_model(_MEAN + _SD * z)
            error = (model.rise(meals, _GRID) - rise) * scale
            published = [] if libre is None else [log_errors(model, libre)]
            return np.concatenate([error.ravel(), strength * z, *published])

        fit = least_squares(residuals, np.zeros(len(_MEAN)), xtol=1e-10, ftol=1e-12, gtol=1e-10)
        theta = np.asarray(_MEAN + _SD * fit.x)
        sd = (_SD / strength).tolist()
        priors = dict(zip(PRIORS, zip(_MEAN.tolist(), sd, strict=True), strict=True))
        return theta, laplace_posterior(priors, theta, central_jacobian(residuals, fit.x) / _SD)


def _fit_type_1(
    theta: Array, meals: Meals, rise: Array, weight: Array
) -> tuple[tuple[float, float], dict[str, CoefficientPosterior]]:
    start = coefficients_to_model(theta)
    scale = np.sqrt(weight)[:, None] / _NOISE_MG_DL

    def residuals(z: Array) -> Array:
        model = coefficients_to_model(theta, (start.log_gain[2] + z[0], 20.0 * z[1]))
        return np.concatenate([((model.rise(meals, _GRID) - rise) * scale).ravel(), z])

    fit = least_squares(residuals, np.zeros(2), xtol=1e-10, ftol=1e-12, gtol=1e-10)
    found = float(start.log_gain[2] + fit.x[0]), float(20.0 * fit.x[1])
    priors = {"type_1_log_gain": (start.log_gain[2], 1.0), "type_1_drift_mg_dl": (0.0, 20.0)}
    sd = np.array([1.0, 20.0])
    return found, laplace_posterior(
        priors, np.array(found), central_jacobian(residuals, fit.x) / sd
    )
