"""Standard loads: the glucose drinks that are left out, and published mean responses."""

import json

import numpy as np
import pytest

from postmeal.assets import asset
from postmeal.glucose.population.weights import read_weights
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.released_model import predict_table
from postmeal.training.evaluation.standard_loads import drinks_by_state
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.published_responses import PUBLISHED, predicted_to_published
from postmeal.training.fit.release import meal_weights

METRICS = json.loads(asset("models/population/metrics.json").read_text(encoding="utf-8"))
LOADS = METRICS["standard_loads"]


def area_above_start(curve):
    """Sum trapezoids over half-minutes, written anew: only what is above the start counts."""
    minutes = np.arange(0, 120.0001, 0.05)
    above = np.maximum(np.interp(minutes, range(0, 121, 15), curve) - curve[0], 0)
    return float(((above[1:] + above[:-1]) / 2).sum() * 0.05)


@pytest.fixture(scope="module")
def drinks(training):
    table = training.table
    return table[table["data_set"] == "ogtt75"]


def test_areas_and_coverage_are_those_of_a_count_by_hand(drinks):
    predictor = Predictor.load()
    predicted = predict_table(predictor, drinks)
    found = drinks_by_state(drinks, predicted)
    observed = observed_curves(drinks)
    for state, one in found.items():
        rows = np.flatnonzero(drinks["condition"] == state)
        areas = [area_above_start(observed[row]) for row in rows]
        areas_hat = [area_above_start(predicted.glucose_mg_dl[row]) for row in rows]
        assert one["observed_iauc_mg_dl_min"] == pytest.approx(np.mean(areas), abs=2)
        assert one["iauc_ratio"] == pytest.approx(np.mean(areas_hat) / np.mean(areas), rel=1e-3)
        inside = [
            predicted.lower_mg_dl[row, point] <= observed[row, point]
            and observed[row, point] <= predicted.upper_mg_dl[row, point]
            for row in rows
            for point in range(9)
        ]
        assert one["coverage"] == pytest.approx(np.mean(inside))
        assert one["n_meals"] == len(rows)
    assert set(found) == {"normal", "prediabetes", "type_2"}


def test_the_published_figures_are_of_a_model_that_has_not_seen_the_drinks(training, drinks):
    meals = training.table[training.table["data_set"] != "ogtt75"]
    fitted = PostMealCurve(sensors=training.sensors)
    fitted.fit(meals, observed_curves(meals), meal_weights(meals), meals["person"].to_numpy())
    curves, observed = fitted.predict(drinks), observed_curves(drinks)
    for state, one in LOADS["glucose_drinks"].items():
        rows = (drinks["condition"] == state).to_numpy()
        areas, areas_hat = (
            np.mean([area_above_start(curve) for curve in each[rows]])
            for each in (observed, curves)
        )
        assert one["iauc_ratio"] == pytest.approx(areas_hat / areas, abs=2e-3)


def test_the_ratios_to_published_responses_follow_from_the_released_formula():
    """Predicted anew for the glucose drink: 50 g, times the weight of glucose."""
    weights = read_weights()
    predictor = Predictor.load()
    model = predictor.population
    c = 50.0 * weights["carb_weights"]["glucose"]
    saturation = model.saturation_g[0]
    height = np.exp(model.log_gain[0]) * saturation * (1 - np.exp(-c / saturation))
    minutes = np.arange(0, 121, 15.0)
    z = minutes / model.peak_min[0]
    slowing = model.slowing_per_g * min(c, 150)
    exponent = np.where(z <= 1, model.sharpness, model.sharpness * np.exp(-slowing))
    day = 1 / (1 + np.exp(4 * (3.5 - 8))) * (1 - 1 / (1 + np.exp(4 * (10.75 - 8))))
    height *= np.exp(model.morning[0] * day)
    rise = height * (z * np.exp(1 - z)) ** exponent + model.drift_mg_dl[0] * minutes / 120
    rise += np.exp(-12 / 1.5) * (
        model.recent_middle_mg_dl * np.sin(np.pi * minutes / 120)
        + model.recent_end_mg_dl * minutes / 120
    )
    gain = weights["sensors"]["Libre"]["gain"]
    expected = area_above_start(gain * rise) / 3470.0
    found = predicted_to_published(model, predictor.sensors["Libre"])
    assert found["glucose drink"] == pytest.approx(expected, rel=1e-3)
    assert LOADS["published"]["glucose drink"]["ratio"] == pytest.approx(expected, rel=1e-3)
    assert list(found) == list(PUBLISHED) == list(LOADS["published"])


def test_responses_that_are_left_out_of_the_fit_are_predicted_worse():
    """They carry information, so the figures with and without them are both shown."""
    published = LOADS["published"]
    errors = {
        key: np.mean([abs(np.log(one[key])) for one in published.values()])
        for key in ("ratio", "ratio_without")
    }
    assert errors["ratio"] < errors["ratio_without"]
