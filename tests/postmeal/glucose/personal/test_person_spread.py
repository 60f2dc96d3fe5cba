"""The size of a person's errors and the person's range: own, typical, and between the two."""

from dataclasses import replace

import numpy as np
import pytest
from known_people import PREDICTOR, meals_of

from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal.posterior import MealEquations
from postmeal.glucose.personal_fit import fit_to_meals, observe
from postmeal.glucose.population.band import widening

PRIOR = PREDICTOR.personal_prior
MEALS = meals_of(4, n_days=14)
COMPLETE = MEALS.is_complete
READINGS = MEALS.glucose_mg_dl[COMPLETE]


def fitted(n_days: int = 14, **changed: object) -> PersonalModel:
    """A model fitted with a prior of which something is changed."""
    predictor = replace(PREDICTOR, personal_prior=replace(PRIOR, **changed))
    return fit_to_meals(predictor, MEALS, "prediabetes", None, n_days)


def own_size() -> float:
    """Three quarters of the errors on days left out are smaller, if no rise is predicted."""
    seen = observe(PREDICTOR, PRIOR.shapes, MEALS, "prediabetes", None)
    factor = widening(seen.rise_mg_dl.max(axis=1))
    equations = MealEquations(PRIOR, seen.features, seen.residual_mg_dl, MEALS.day, factor)
    errors = np.abs(equations.held_out_errors()) / factor[:, None]
    return float(np.quantile(errors[COMPLETE], 0.75))


def test_the_size_of_errors_lies_between_the_persons_own_and_the_typical_one():
    own, typical = own_size(), PRIOR.typical_error_mg_dl["prediabetes"]
    n_meals = int(COMPLETE.sum())
    for weight, size in (
        (0.0, own),
        (float(n_meals), (own + typical) / 2),
        (3.0 * n_meals, (own + 3 * typical) / 4),
        (1e9, typical),
    ):
        assert fitted(scale_weight=weight).scale_mg_dl == pytest.approx(size, rel=1e-4)


def test_the_errors_of_a_preliminary_model_are_taken_to_be_larger():
    whole = fitted()
    for n_days, factor in PRIOR.preliminary_scale.items():
        scale = fitted(n_days).scale_mg_dl
        assert scale == pytest.approx(factor * whole.scale_mg_dl, rel=1e-4)
        assert factor > 1


def test_the_range_is_that_of_the_persons_minima_and_maxima_if_nothing_is_typical():
    own = fitted(own_range=PRIOR.own_range._replace(weight=0.0, below_sd=1.5, above_sd=2.5))
    minima, maxima = READINGS.min(axis=1), READINGS.max(axis=1)
    low = minima.mean() - 1.5 * minima.std(ddof=1)
    high = maxima.mean() + 2.5 * maxima.std(ddof=1)
    assert (own.low_mg_dl, own.high_mg_dl) == pytest.approx((low, high), rel=1e-4)


def test_the_range_is_that_of_a_typical_spread_if_much_is_known_of_others():
    typical = dict.fromkeys(PRIOR.typical_error_mg_dl, 1.0) | {"prediabetes": 7.0}
    spread = PRIOR.own_range._replace(typical_sd_mg_dl=typical, weight=1e9, below_sd=1, above_sd=2)
    own = fitted(own_range=spread)
    low, high = READINGS.min(axis=1).mean() - 7, READINGS.max(axis=1).mean() + 2 * 7
    assert (own.low_mg_dl, own.high_mg_dl) == pytest.approx((low, high), rel=1e-4)


def test_errors_and_effects_in_readings_of_a_sensor_are_those_in_blood():
    offset, gain = PREDICTOR.sensors["Libre"]
    read = MEALS._replace(glucose_mg_dl=offset + gain * MEALS.glucose_mg_dl)
    blood = fit_to_meals(PREDICTOR, MEALS, "prediabetes", None, 14)
    sensor = fit_to_meals(PREDICTOR, read, "prediabetes", "Libre", 14)
    assert np.array(sensor.effects) == pytest.approx(np.array(blood.effects), rel=1e-3, abs=1e-4)
    for name in ("scale_mg_dl", "population_rmse_mg_dl", "personal_rmse_mg_dl"):
        assert getattr(sensor, name) == pytest.approx(gain * getattr(blood, name), rel=1e-4)
    assert sensor.response_rmse_mg_dl == pytest.approx(gain * blood.response_rmse_mg_dl, rel=1e-4)


def test_who_differs_in_the_response_alone_is_predicted_better_without_a_level_too():
    lively = fit_to_meals(PREDICTOR, meals_of(4, n_days=14, gain=2.0), "normal", None, 14)
    assert lively.response_rmse_mg_dl < 0.9 * lively.population_rmse_mg_dl


def test_who_differs_in_the_level_alone_is_not_predicted_better_without_it():
    high = fit_to_meals(PREDICTOR, meals_of(4, n_days=14, level_mg_dl=40.0), "normal", None, 14)
    assert high.personal_rmse_mg_dl < 0.7 * high.population_rmse_mg_dl
    assert high.response_rmse_mg_dl > 0.9 * high.population_rmse_mg_dl


def test_the_gain_of_a_meal_is_its_rise_along_the_first_shape():
    """On the scale of the features: 42 mg/dL are zero, and 60 mg/dL more are one."""
    seen = observe(PREDICTOR, PRIOR.shapes, MEALS, "prediabetes", None)
    gain = (seen.rise_mg_dl * PRIOR.shapes[0]).sum(axis=1)
    assert seen.features[:, 1] == pytest.approx((gain - 42) / 60)
