"""Predictions with a reading at the start of the meal, for whole meals tables."""

import json
from datetime import timedelta

import numpy as np
import pytest

from postmeal.assets import asset
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.evaluation.released_model import predict_table
from postmeal.training.evaluation.with_reading import readings_before
from postmeal.training.fit.person_history import histories
from postmeal.training.synthetic.cohort import synthetic_cohort

METRICS = json.loads(asset("models/population/metrics.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cohort():
    return synthetic_cohort(n_people=4, n_days=6)


@pytest.fixture(scope="module")
def table(cohort):
    return meals_table(cohort)


def test_the_reading_is_the_last_one_of_the_15_minutes_before_the_meal(cohort, table):
    found = readings_before(table, histories(cohort))
    readings = cohort.readings
    for (_, meal), value in zip(table.iterrows(), found, strict=True):
        own = readings[(readings.person == meal.person) & (readings.sensor == meal.sensor)]
        since = meal.meal_time - own.time
        before = own[(since >= timedelta(0)) & (since <= timedelta(minutes=15))]
        if before.empty:
            assert np.isnan(value)
        else:
            assert value == before.sort_values("time").glucose_mg_dl.iloc[-1]


def test_the_curve_starts_at_the_reading(cohort, table):
    readings = readings_before(table, histories(cohort))
    known = ~np.isnan(readings)
    assert known.sum() > 20
    predicted = predict_table(Predictor.load(), table, readings)
    assert predicted.glucose_mg_dl[known, 0] == pytest.approx(np.clip(readings[known], 40, 400))


def test_meals_without_a_reading_are_predicted_as_before(table):
    predictor = Predictor.load()
    unknown = np.full(len(table), np.nan)
    with_nothing, plain = predict_table(predictor, table, unknown), predict_table(predictor, table)
    assert (with_nothing.glucose_mg_dl == plain.glucose_mg_dl).all()


def test_figures_with_a_reading_are_of_the_same_meals_as_without(table):
    for sensor, one in METRICS["with_reading"].items():
        plain = METRICS["frozen"][sensor]["models"]["population"]
        assert (one["n_meals"], one["n_people"]) == (plain["n_meals"], plain["n_people"])
        assert one["n_readings"] <= one["n_meals"]
        assert one["share_above"] + one["share_below"] == pytest.approx(
            1 - one["coverage"], abs=2e-4
        )
    hall = METRICS["hall_left_out"]["without_reading"]
    left_out = METRICS["leave_one_data_set_out"]["hall2018"]["models"]["population"]
    for key in ("rise_rmse_mg_dl", "iauc_r", "absolute_rmse_mg_dl"):
        assert hall[key] == pytest.approx(left_out[key], abs=2e-4)
