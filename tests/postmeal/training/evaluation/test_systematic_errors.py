"""Mean bias of the rise, the least-squares gain, and misses on each side of the band."""

import numpy as np
import pandas as pd
import pytest

from postmeal.training.evaluation.one_sided_misses import miss_shares, misses_at_breakfast
from postmeal.training.evaluation.rise_bias import (
    bias_by_state,
    least_squares_gain,
    rise_bias,
)

MINUTES = list(range(0, 121, 15))


@pytest.fixture
def curves():
    random = np.random.default_rng(3)
    observed = 110 + random.normal(0, 25, (40, 9)).cumsum(axis=1)
    return observed, observed * 0.9 + random.normal(0, 12, (40, 9))


def test_the_bias_is_the_mean_over_meals_of_predicted_minus_observed_rise(curves):
    observed, predicted = curves
    found = rise_bias(observed, predicted)
    frames = [
        pd.DataFrame(each, columns=MINUTES).sub(each[:, 0], axis=0)
        for each in (observed, predicted)
    ]
    for minute in (30, 60, 90, 120):
        before, after = frames[0][minute].mean(), frames[1][minute].mean()
        assert found["observed_mg_dl"][str(minute)] == pytest.approx(before)
        assert found["bias_mg_dl"][str(minute)] == pytest.approx(after - before)
    assert found["n_meals"] == 40


def test_a_prediction_with_another_level_has_no_bias(curves):
    observed, _ = curves
    found = rise_bias(observed, observed + 30)
    assert list(found["bias_mg_dl"].values()) == pytest.approx([0, 0, 0, 0], abs=1e-12)
    assert found["gain"] == pytest.approx(1)


def test_the_gain_is_the_slope_of_a_regression_through_the_origin(curves):
    observed, predicted = curves
    rise, rise_hat = (each - each[:, :1] for each in (observed, predicted))
    slope = np.linalg.lstsq(rise_hat.reshape(-1, 1), rise.ravel(), rcond=None)[0][0]
    assert least_squares_gain(observed, predicted) == pytest.approx(slope)


def test_the_meals_of_a_state_are_evaluated_by_themselves(curves):
    observed, predicted = curves
    state = np.array(["normal"] * 25 + ["type_2"] * 15)
    found = bias_by_state(observed, predicted, state)
    assert list(found) == ["all", "normal", "type_2"]
    assert found["type_2"] == rise_bias(observed[25:], predicted[25:])
    for minute in ("30", "120"):
        means = [found[name]["bias_mg_dl"][minute] for name in ("normal", "type_2")]
        assert found["all"]["bias_mg_dl"][minute] == pytest.approx(
            np.average(means, weights=[25, 15])
        )


def test_readings_above_and_below_are_counted_one_by_one(curves):
    observed, predicted = curves
    lower, upper = predicted - 15, predicted + 25
    above = below = 0
    for meal in range(40):
        for point in range(9):
            above += observed[meal, point] > upper[meal, point]
            below += observed[meal, point] < lower[meal, point]
    found = miss_shares(observed, lower, upper)
    assert found == {"n_meals": 40, "share_above": above / 360, "share_below": below / 360}


def test_breakfast_ends_at_eleven(curves):
    observed, predicted = curves
    hour = np.array([7.0, 10.99, 11.0, 19.5] * 10)
    found = misses_at_breakfast(observed, predicted - 5, predicted + 5, hour)
    early = np.isin(hour, (7.0, 10.99))
    assert found["breakfast"]["n_meals"] == 20
    expected = miss_shares(observed[early], predicted[early] - 5, predicted[early] + 5)
    assert found["breakfast"] == expected
    assert "breakfast" not in misses_at_breakfast(observed, predicted, predicted, hour + 12)
