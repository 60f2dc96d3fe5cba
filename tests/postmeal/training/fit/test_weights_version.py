"""Versions of weights: other weights never have the version of the shipped model."""

import json

import pytest

from postmeal.glucose.model_store import check_model_name
from postmeal.glucose.population.weights import read_weights
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.release import write_model
from postmeal.training.fit.weights_version import content_version
from postmeal.training.registry.promotion import promote

SHIPPED = Predictor.load().version


def higher_levels(by_mg_dl: float) -> dict:
    """The shipped weights with higher levels, under the shipped version."""
    weights = json.loads(json.dumps(read_weights()))
    levels = weights["level_mg_dl"].items()
    return {**weights, "level_mg_dl": {state: level + by_mg_dl for state, level in levels}}


def test_the_shipped_weights_keep_their_version(tmp_path):
    write_model(read_weights(), tmp_path / "population")
    assert Predictor.load(tmp_path / "population").version == SHIPPED


@pytest.mark.parametrize("by_mg_dl", [1e-3, 1.0, 5.0])
def test_other_weights_have_a_version_of_their_own(tmp_path, by_mg_dl):
    write_model(higher_levels(by_mg_dl), tmp_path / "population")
    version = Predictor.load(tmp_path / "population").version
    assert version == f"population-{content_version(higher_levels(by_mg_dl))}" != SHIPPED
    check_model_name(version)


def test_weights_that_differ_in_the_last_digits_alone_are_the_same(tmp_path):
    """They are what another machine makes of the same data."""
    write_model(higher_levels(1e-6), tmp_path / "population")
    assert Predictor.load(tmp_path / "population").version == SHIPPED


def test_the_version_depends_on_the_content_alone(tmp_path):
    first, second, third = (higher_levels(by_mg_dl) for by_mg_dl in (1.0, 1.0, 2.0))
    assert content_version(first) == content_version({**second, "version": "9"})
    assert content_version(first) != content_version(third)


def test_a_release_states_its_version(tmp_path):
    write_model(higher_levels(1.0), tmp_path / "population", version="40")
    assert Predictor.load(tmp_path / "population").version == "population-40"


def test_weights_with_a_version_of_their_own_can_be_promoted(tmp_path):
    write_model(higher_levels(1.0), tmp_path / "population")
    content = (tmp_path / "population" / "weights.json").read_bytes()
    registry = promote(tmp_path / "store", content)
    assert registry.active == Predictor.load(tmp_path / "population").version
    assert registry.earlier == (SHIPPED,)
