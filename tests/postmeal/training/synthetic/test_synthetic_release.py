"""Training on made-up people by the command: weights, registry and fitted values."""

import hashlib
import json
import tomllib

import numpy as np
import pytest

from postmeal.cli import main
from postmeal.glucose.population.states import STATES
from postmeal.glucose.population.weights import weights_content
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets import load_data_set
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.evaluation.released_model import PREDICTION_COLUMNS
from postmeal.training.fit.release import (
    TRAINING_SETS,
    TrainingData,
    fit_weights,
    load_training_data,
    unseen_people,
)
from postmeal.training.synthetic.data_sets.people import SENSORS

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # MLflow warns of its own dependencies
]


@pytest.fixture(scope="module")
def training(made_up_data) -> TrainingData:
    return load_training_data(made_up_data[0])


@pytest.fixture(scope="module")
def weights(made_up_model):
    return json.loads((made_up_model[0] / "weights.json").read_text(encoding="utf-8"))


def test_training_writes_a_model_that_loads_and_pins_it(made_up_model, weights):
    model, _ = made_up_model
    registry = tomllib.loads((model.parent / "registry.toml").read_text())["population"]
    assert registry == {
        "version": weights["version"],
        "weights": "population/weights.json",
        "sha256": hashlib.sha256((model / "weights.json").read_bytes()).hexdigest(),
    }
    version = f"population-{weights['version']}"
    assert Predictor.load(model).version == version != Predictor.load().version


@pytest.mark.reliability
def test_the_same_data_give_the_same_weights(made_up_model, weights, training):
    """Row 472: the same data, the same model, to the byte, apart from the version."""
    again = {**fit_weights(training), "version": weights["version"]}
    assert weights_content(again) == (made_up_model[0] / "weights.json").read_bytes()


def test_the_weights_name_every_set_with_its_people_and_meals(weights, made_up_data):
    assert [one["name"] for one in weights["trained_on"]] == list(TRAINING_SETS)
    for one in weights["trained_on"]:
        made_up = made_up_data[1][one["name"]]
        assert one["people"] == len(made_up.people)
        assert 0 < one["meals"] <= len(made_up.entries)


def test_the_fit_recovers_the_made_up_order_and_sensors(weights):
    """Levels and gains rise with the state, and peaks come later; sensors are as made up."""
    levels = [weights["level_mg_dl"][state] for state in STATES]
    gain, peak_min = weights["population"]["log_gain"], weights["population"]["peak_min"]
    assert levels == sorted(levels)
    assert gain == sorted(gain)
    assert peak_min[:3] == sorted(peak_min[:3])
    for family, (offset_mg_dl, slope) in SENSORS.items():
        fitted = weights["sensors"][family]
        assert fitted["offset_mg_dl"] == pytest.approx(offset_mg_dl, abs=1)
        assert fitted["gain"] == pytest.approx(slope, abs=0.01)


@pytest.mark.reliability
def test_people_are_predicted_by_a_model_that_has_not_seen_them(training):
    """Row 471: changed glucose of one person changes the predictions of others, not their own."""
    table = training.table[training.table["data_set"] == "bigideas"].reset_index(drop=True)
    own = (table["person"] == "004").to_numpy()
    glucose = [name for name in table if name.startswith("glucose_mg_dl_")]
    other = table.copy()
    other.loc[own, glucose] = np.clip(2 * table.loc[own, glucose] - 60, 40, 400)
    first, second = (unseen_people(one, training.sensors) for one in (table, other))
    is_same = (first == second).all(axis=1)
    assert is_same[own].all()
    assert not is_same[~own].all()


def test_evaluate_writes_a_row_a_meal_and_minute(made_up_data, made_up_model, tmp_path, capsys):
    folder, out = made_up_data[0] / "cgmacros", tmp_path / "out.csv"
    words = ["evaluate", "cgmacros", str(folder), "--model", str(made_up_model[0])]
    assert main([*words, "--predictions", str(out)]) == 0
    lines = out.read_text().splitlines()
    assert lines[0] == ",".join(PREDICTION_COLUMNS)
    assert len(lines) == 1 + 9 * len(meals_table(load_data_set("cgmacros", folder)))
    shown = capsys.readouterr().out
    assert all(f"Libre Pro, {state}" in shown for state in STATES[:3])
