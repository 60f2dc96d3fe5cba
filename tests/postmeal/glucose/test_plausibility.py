"""A model is checked before it serves: forty standard meals within their credible ranges."""

import hashlib
import json
import math
from pathlib import Path

import pytest

from postmeal import ModelError, Predictor
from postmeal.assets import asset
from postmeal.cli import main
from postmeal.glucose.model_store import ModelStore
from postmeal.glucose.plausibility import (
    STANDARD_MEALS,
    check_plausibility,
    predict_standard_meal,
)
from postmeal.glucose.population.weights import read_weights, weights_content
from postmeal_serve.loaded.population_models import Models

RANGES = json.loads(asset("models/credible.json").read_text(encoding="utf-8"))["meals"]


def changed(*path: str, by: float = math.nan, times: bool = False) -> dict:
    """Return the released weights with one table set to a number, or multiplied by it."""
    weights = json.loads(json.dumps(read_weights()))
    table = weights
    for key in path[:-1]:
        table = table[key]

    def of(value):
        if isinstance(value, dict):
            return {key: of(each) for key, each in value.items()}
        if isinstance(value, list):
            return [of(each) for each in value]
        return value * by if times else by

    table[path[-1]] = of(table[path[-1]])
    return weights


def shifted_gain(factor: float) -> dict:
    weights = changed("population", "log_gain", by=1.0, times=True)
    gains = weights["population"]["log_gain"]
    weights["population"]["log_gain"] = [each + math.log(factor) for each in gains]
    return weights


UNUSABLE = {
    "every coefficient a million times as large": changed("population", by=1e6, times=True),
    "every coefficient half": changed("population", by=0.5, times=True)
    | {"level_mg_dl": changed("level_mg_dl", by=0.5, times=True)["level_mg_dl"]},
    "negated": changed("population", by=-1.0, times=True),
    "zero": changed("population", by=0.0),
    "not a number": changed("population"),
    "a level that is not a number": changed("level_mg_dl"),
    "a band that is not a number": changed("band"),
    "an impact scale that is not a number": changed("impact_scale", "slope_per_mg_dl"),
    "a peak scale that is not a number": changed("peak_scale"),
    "a range that is not a number": changed("ranges"),
    "levels of half the height": changed("level_mg_dl", by=0.5, times=True),
    "levels of twice the height": changed("level_mg_dl", by=2.0, times=True),
    "rises of a tenth": shifted_gain(0.1),
    "rises of five times the height": shifted_gain(5.0),
}


def test_there_are_forty_standard_meals_each_with_a_range_that_holds_the_released_prediction():
    assert len(STANDARD_MEALS) == 40
    assert list(RANGES) == [meal.name for meal in STANDARD_MEALS]
    predictor = Predictor.load()
    for meal in STANDARD_MEALS:
        found = predict_standard_meal(predictor, meal)
        low, high = RANGES[meal.name]["level_mg_dl"]
        assert low < found.glucose_mg_dl[0] < high
        low, high = RANGES[meal.name]["rise_mg_dl"]
        assert low <= found.peak_mg_dl - found.glucose_mg_dl[0] < high
    check_plausibility(predictor)


@pytest.mark.parametrize("factor", [0.8, 1.25, 1.8])
def test_a_model_with_somewhat_lower_or_higher_rises_is_credible(factor):
    check_plausibility(Predictor.from_weights(shifted_gain(factor)))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", UNUSABLE)
def test_a_model_that_is_not_credible_is_refused_by_name(name):
    with pytest.raises(
        ModelError, match=r"population-3' (failed the plausibility check|cannot predict)"
    ):
        check_plausibility(Predictor.from_weights(UNUSABLE[name]))


def test_the_message_names_the_meal_the_value_and_the_range():
    with pytest.raises(ModelError) as caught:
        check_plausibility(Predictor.from_weights(UNUSABLE["levels of half the height"]))
    ranges = json.loads(asset("models/credible.json").read_text())["meals"]
    low, high = ranges["normal, 8:00, eggs without carbohydrate"]["level_mg_dl"]
    assert str(caught.value) == (
        "model 'population-3' failed the plausibility check: its level for normal, 8:00, eggs "
        f"without carbohydrate must be between {low:g} and {high:g} mg/dL, got 45.49"
    )


def test_the_message_names_the_meal_of_a_prediction_that_fails_or_is_not_finite():
    for weights, said in (
        (
            changed("level_mg_dl"),
            "model 'population-3' failed the plausibility check: its prediction for normal, 8:00, "
            "eggs without carbohydrate is not finite",
        ),
        (
            read_weights() | {"level_mg_dl": {}},
            "model 'population-3' cannot predict normal, 8:00, eggs without carbohydrate: "
            "KeyError('normal')",
        ),
    ):
        with pytest.raises(ModelError) as caught:
            check_plausibility(Predictor.from_weights(weights))
        assert str(caught.value) == said


def pinned(folder: Path, weights: dict) -> Path:
    """Write a model folder whose registry pins the given weights."""
    content = weights_content(weights)
    (folder / "population").mkdir(parents=True)
    (folder / "population" / "weights.json").write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    (folder / "registry.toml").write_text(f'[population]\nversion = "2"\nsha256 = "{sha256}"\n')
    return folder / "population"


def test_a_service_does_not_start_with_a_model_that_is_not_credible(tmp_path):
    models = Models(pinned(tmp_path, UNUSABLE["every coefficient half"]))
    with pytest.raises(ModelError, match="failed the plausibility check"):
        models.load()
    assert models.active is None


@pytest.mark.reliability
def test_a_model_store_keeps_the_previous_model_in_service(tmp_path, caplog):
    """The check also covers weights that were pinned by editing the registry."""
    assert main(["models", "promote", "3", "--folder", str(asset("models/population")), "--store",
                 str(tmp_path), "--tracking", f"sqlite:///{tmp_path}/mlflow.db"]) == 0  # fmt: skip
    models = Models(store=tmp_path)
    models.load()
    before = models.active
    content = weights_content(UNUSABLE["every coefficient half"])
    (tmp_path / "population-3" / "weights.json").write_bytes(content)
    registry = tmp_path / "registry.toml"
    old = hashlib.sha256(asset("models/population/weights.json").read_bytes()).hexdigest()
    sha256 = hashlib.sha256(content).hexdigest()
    registry.write_text(registry.read_text().replace(old, sha256))
    models.follow()
    assert models.active is before
    assert models.is_stale
    assert "'population-3' failed the plausibility check" in caplog.text
    with pytest.raises(ModelError, match="failed the plausibility check"):
        ModelStore(tmp_path).load("population-3", sha256)


def test_the_ranges_are_those_that_the_command_writes(shared_data, tmp_path):
    file = tmp_path / "credible.json"
    assert (
        main(["models", "ranges", "--data", str(shared_data / "cgm"), "--output", str(file)]) == 0
    )
    assert file.read_bytes() == asset("models/credible.json").read_bytes()
