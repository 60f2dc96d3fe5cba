"""The fit takes published responses to standard loads into account."""

from dataclasses import replace

import numpy as np
import pytest

from postmeal import Predictor
from postmeal.glucose.population.sensors import SensorConstant
from postmeal.training.fit.published_responses import SENSOR_AREAS_MG_DL_MIN, log_errors

PREDICTOR = Predictor.load()
LIBRE = PREDICTOR.sensors["Libre"]


def ratios(model, libre=LIBRE):
    return np.exp(log_errors(model, libre) / 40.0)


def test_the_released_model_is_within_a_quarter_of_every_published_response():
    found = ratios(PREDICTOR.population)
    assert len(found) == len(SENSOR_AREAS_MG_DL_MIN) + 6
    assert found == pytest.approx(np.ones(9), abs=0.25)


def test_a_glucose_drink_raises_more_than_bread_and_bread_more_than_bread_with_butter():
    published = np.array([area for area, _ in SENSOR_AREAS_MG_DL_MIN.values()])
    predicted = ratios(PREDICTOR.population)[:3] * published
    assert predicted[0] > predicted[1] > predicted[2]


def test_areas_grow_with_the_gain_of_the_sensor_and_ratios_do_not():
    population = replace(PREDICTOR.population, drift_mg_dl=(0.0,) * 4)
    once, twice = (ratios(population, SensorConstant(0.0, gain)) for gain in (0.5, 1.0))
    assert twice[:3] == pytest.approx(2 * once[:3])
    assert twice[3:] == pytest.approx(once[3:])
