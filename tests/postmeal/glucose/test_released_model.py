"""A model is made of the numbers of its file, and of stand-ins for what earlier files lack."""

import json

import numpy as np
import pytest

from postmeal.assets import asset
from postmeal.glucose.population.carbohydrate_kind import EQUAL_WEIGHTS
from postmeal.glucose.population.glucose_range import GlucoseRange
from postmeal.glucose.population.peak_scale import PeakScale
from postmeal.glucose.population.sensors import UNFITTED
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.glucose.released_model import ReleasedModel


@pytest.fixture
def weights() -> dict:
    return json.loads(asset("models/population/weights.json").read_text())


@pytest.fixture
def earlier() -> dict:
    """The weights of the second release, in format 2."""
    return json.loads(asset("models/population-2/weights.json").read_text())


def test_the_coefficients_of_a_model_are_those_of_its_file(weights):
    model = ReleasedModel.from_weights(weights)
    assert model.version == "population-3"
    assert model.population.to_dict() == weights["population"]
    assert model.carb_weights._asdict() == weights["carb_weights"]
    assert model.level_mg_dl == weights["level_mg_dl"]
    assert model.band.to_dict() == weights["band"]
    assert vars(model.impact_scale) == weights["impact_scale"]
    assert model.peak_scale.to_dict() == weights["peak_scale"]
    ends = {state: (each.low_mg_dl, each.high_mg_dl) for state, each in model.ranges.items()}
    assert ends == {state: tuple(values.values()) for state, values in weights["ranges"].items()}
    assert not any(each.is_blood for each in model.ranges.values())
    sensors = {family: each._asdict() for family, each in model.sensors.items()}
    unfitted = {family: each._asdict() for family, each in UNFITTED.items()}
    assert sensors == unfitted | weights["sensors"]
    for name in ("slope", "recent", "fasting"):
        assert list(getattr(model.start, name)) == weights["start"][name]
    assert model.start.band.to_dict() == weights["start"]["band"]


def test_ranges_and_peaks_of_a_model_that_knows_people_are_those_of_its_file():
    weights = json.loads(asset("models/population-4/weights.json").read_text())
    model = ReleasedModel.from_weights(weights)
    assert model.peak_scale.to_dict() == weights["peak_distribution"]
    for state, ends in weights["blood_ranges"].items():
        assert model.ranges[state] == GlucoseRange(**ends, is_blood=True)
    assert model.personal_prior.own_range is None


def test_the_numbers_of_the_prior_are_those_of_its_file(weights):
    values = weights["personal"]
    prior = ReleasedModel.from_weights(weights).personal_prior
    for name in ("shapes", "recent", "noise"):
        assert getattr(prior, name).tolist() == values[name]
    for name in ("day_variance", "typical_error_mg_dl", "scale_weight"):
        assert getattr(prior, name) == values[name]
    assert prior.own_range._asdict() == values["own_range"]
    assert vars(prior.impact_scale) == values["impact_scale"]
    assert prior.peak_scale.to_dict() == values["peak_scale"]
    stored = {int(days): scale for days, scale in values["preliminary_scale"].items()}
    assert prior.preliminary_scale == stored
    for name in ("slope", "recent", "fasting"):
        assert list(getattr(prior.start, name)) == values["start"][name]
    for band, stored in ((prior.band, values["band"]), (prior.start.band, values["start"]["band"])):
        assert band.to_dict() == dict.fromkeys(STATES, stored)


def test_all_effects_of_a_kind_have_the_same_variance(weights):
    """Three single effects, then eleven Fourier terms of each of three kinds."""
    variance = ReleasedModel.from_weights(weights).personal_prior.variance
    by_kind = weights["personal"]["variance"]
    single = [by_kind[kind] for kind in ("always", "gain", "recent")]
    hourly = [by_kind[kind] for kind in ("hour", "carbs_by_hour", "gain_by_hour")]
    expected = [*single, *(values for values in hourly for _ in range(11))]
    assert variance.T.tolist() == expected


def test_the_shapes_of_the_prior_and_the_level_are_its_curves(weights):
    prior = ReleasedModel.from_weights(weights).personal_prior
    assert prior.first_shape == prior.shapes[0].tolist()
    assert prior.curves.T.tolist() == [*prior.shapes.tolist(), [1.0] * 9]


def test_an_earlier_model_stands_in_for_what_its_file_lacks(earlier):
    model = ReleasedModel.from_weights(earlier)
    assert model.version == "population-2"
    assert model.carb_weights == EQUAL_WEIGHTS
    assert model.peak_scale == PeakScale.from_band(model.band)
    assert model.start.recent == model.start.fasting == (0.0,) * 9
    assert model.population.saturation_g == (earlier["population"]["saturation_g"],) * 4
    assert model.personal_prior.preliminary_scale == {2: 1.06, 3: 1.04, 4: 1.03}


def test_the_peaks_of_an_earlier_prior_scatter_as_the_errors_of_its_people(earlier):
    """The band is in units of the typical error, so its width in mg/dL is their product."""
    scale = ReleasedModel.from_weights(earlier).personal_prior.peak_scale
    values = earlier["personal"]
    below, above = (np.mean(values["band"][side]) for side in ("below", "above"))
    for state, slope in zip(STATES, scale.slope_per_mg_dl, strict=True):
        width = values["typical_error_mg_dl"][state] * (below + above)
        assert slope == pytest.approx(2 * np.log(19) / width)


def test_a_model_is_loaded_from_the_folder_that_is_named():
    assert Predictor.load().version == "population-3"
    assert Predictor.load(asset("models/population-2")).version == "population-2"
    assert Predictor.load(str(asset("models/population-2"))).version == "population-2"
