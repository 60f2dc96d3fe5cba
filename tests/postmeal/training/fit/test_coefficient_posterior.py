"""The posterior of the coefficients is the curvature of the log posterior at its maximum."""

import numpy as np
import pytest

from postmeal.glucose.population.curve import GRID_MIN
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.fit.arrays import meals_of, observed_curves
from postmeal.training.fit.coefficient_posterior import CoefficientPosterior
from postmeal.training.fit.population import PostMealCurve, coefficients_to_model
from postmeal.training.fit.priors import PRIORS
from postmeal.training.synthetic.cohort import synthetic_cohort


@pytest.fixture(scope="module")
def table():
    return meals_table(synthetic_cohort(n_people=12, n_days=10))


@pytest.fixture(scope="module")
def fitted(table):
    return PostMealCurve().fit(table, observed_curves(table))


def negative_log_posterior(table, theta):
    """Written out anew: half of the squared errors in units of 80 mg/dL, and of the priors."""
    curves = observed_curves(table)
    rise = curves - curves[:, :1]
    predicted = coefficients_to_model(theta).rise(meals_of(table), np.array(GRID_MIN))
    total = (((predicted - rise) / 80.0) ** 2).sum()
    for value, prior in zip(theta, PRIORS.values(), strict=True):
        strength = 16.0 if prior.is_known else 4.0
        total += strength * ((value - prior.mean) / prior.sd) ** 2
    return total / 2


def hessian(function, point, step):
    """Second differences."""
    n = len(point)
    result = np.empty((n, n))
    unit = np.eye(n) * step[:, None]
    for i in range(n):
        for j in range(i, n):
            corners = [
                sign * function(point + a * unit[i] + b * unit[j])
                for a, b, sign in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
            ]
            result[i, j] = result[j, i] = sum(corners) / (4 * step[i] * step[j])
    return result


def test_the_standard_deviations_are_those_of_the_full_curvature(table, fitted):
    """The derivatives of the residuals ignore a part of the curvature, which is small here."""
    posterior = list(fitted.posterior_.values())
    theta = np.array([one.mean for one in posterior])
    step = 0.05 * np.array([one.sd for one in posterior])
    curvature = hessian(lambda point: negative_log_posterior(table, point), theta, step)
    expected = np.sqrt(np.diag(np.linalg.inv(curvature)))
    assert [one.sd for one in posterior] == pytest.approx(expected, rel=0.1)


def test_the_means_have_the_highest_posterior_probability(table, fitted):
    posterior = list(fitted.posterior_.values())
    theta = np.array([one.mean for one in posterior])
    best = negative_log_posterior(table, theta)
    for position, one in enumerate(posterior):
        for sign in (-1, 1):
            moved = theta.copy()
            moved[position] += sign * 0.1 * one.sd
            assert negative_log_posterior(table, moved) > best


def test_without_data_the_posterior_is_the_prior(table):
    curves = observed_curves(table)
    fitted = PostMealCurve().fit(table, curves, np.full(len(table), 1e-12))
    for name, one in fitted.posterior_.items():
        prior = PRIORS[name]
        sd = prior.sd / (4 if prior.is_known else 2)
        assert (one.prior_mean, one.prior_sd) == pytest.approx((prior.mean, sd))
        assert (one.mean, one.sd) == pytest.approx((prior.mean, sd), rel=1e-4, abs=1e-6)
        assert one.is_prior


def test_four_times_the_data_narrow_what_the_data_determine(table, fitted):
    curves = observed_curves(table)
    more = PostMealCurve().fit(table, curves, np.full(len(table), 4.0))
    before, after = fitted.posterior_["log_gain"], more.posterior_["log_gain"]
    assert after.sd < 0.85 * before.sd
    assert not after.is_prior


def test_a_coefficient_counts_as_prior_only_if_neither_width_nor_mean_changed():
    assert CoefficientPosterior(0.0, 1.0, 0.49, 0.91).is_prior
    assert not CoefficientPosterior(0.0, 1.0, 0.51, 0.91).is_prior
    assert not CoefficientPosterior(0.0, 1.0, 0.0, 0.89).is_prior


def test_type_1_has_its_own_gain_and_drift(table):
    is_first = table["person"] == table["person"].iloc[0]
    table = table.assign(condition=table["condition"].where(~is_first, "type_1"))
    fitted = PostMealCurve().fit(table, observed_curves(table))
    gain, drift = (fitted.posterior_[f"type_1_{key}"] for key in ("log_gain", "drift_mg_dl"))
    assert gain.mean == fitted.model_.log_gain[3]
    assert gain.prior_mean == fitted.model_.log_gain[2]
    assert drift.mean == fitted.model_.drift_mg_dl[3]
    assert gain.sd < gain.prior_sd
