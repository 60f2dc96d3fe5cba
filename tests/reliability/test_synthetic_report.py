"""The whole report on a model of made-up people: three protocols, card and pictures."""

import json
import re

import numpy as np
import pytest

from postmeal.cli import main
from postmeal.training.datasets import LEFT_OUT
from postmeal.training.registry.mlflow_runs import tracking_client

pytestmark = [
    pytest.mark.reliability,
    pytest.mark.filterwarnings("ignore"),  # MLflow warns of its own dependencies
]


@pytest.fixture(scope="module")
def model(made_up_data, made_up_model):
    """Folder of the model, with what ``postmeal card`` writes beside the weights."""
    (data, _), (folder, tracking) = made_up_data, made_up_model
    words = ["card", "--data", str(data), "--unseen", str(data / "cgmacros")]
    assert main([*words, "--model", str(folder), "--tracking", tracking]) == 0
    return folder


@pytest.fixture(scope="module")
def metrics(model):
    return json.loads((model / "metrics.json").read_text(encoding="utf-8"))


def numbers(value):
    if isinstance(value, dict):
        return [one for inner in value.values() for one in numbers(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in numbers(inner)]
    return [] if isinstance(value, str) else [float(value)]


def test_the_three_protocols_are_run_and_every_figure_is_a_number(metrics):
    assert set(metrics["leave_one_data_set_out"]) == set(LEFT_OUT)
    assert set(metrics["frozen"]) == {"Dexcom G6 Pro", "Libre Pro"} == set(metrics["forward"])
    assert set(metrics["forward_left_out"]) == {"bigideas", "shanghai", "t1d_uom"}
    found = numbers(metrics)
    assert len(found) > 500
    assert np.isfinite(found).all()


def test_the_model_generalizes_to_unseen_people(metrics):
    """It beats means of conditions, its band covers, and a personal model beats it."""
    for one in metrics["frozen"].values():
        error = {name: each["rise_rmse_mg_dl"] for name, each in one["models"].items()}
        assert error["population"] < min(error["condition mean"], error["global mean"])
        assert one["paired"]["condition mean"]["high"] < 0
        assert one["models"]["population"]["coverage"] > 0.8
    for one in metrics["forward"].values():
        assert one["paired"]["served"]["population"]["absolute_high"] < 0


def test_the_card_shows_the_figures_and_the_pictures(model, metrics):
    card = (model / "card.md").read_text(encoding="utf-8")
    page = (model / "evaluation.md").read_text(encoding="utf-8")
    weights = json.loads((model / "weights.json").read_text(encoding="utf-8"))
    assert card.startswith(f"# Model card: population {weights['version']}\n")
    for one in weights["trained_on"]:
        assert f"| {one['people']} | {one['meals']} |" in card
    for group in (*metrics["leave_one_data_set_out"].values(), *metrics["frozen"].values()):
        own = group["models"]["population"]
        row = f"| population | {own['n_meals']} | {own['n_people']} | "
        assert f"{row}{own['rise_rmse_mg_dl']:.1f} | " in page
    pages = card + page + (model / "personal.md").read_text(encoding="utf-8")
    pictures = re.findall(r"!\[.*?\]\((\S+?\.png)", pages)
    assert len(pictures) >= 4
    for picture in pictures:
        assert (model / picture).read_bytes().startswith(b"\x89PNG")


def test_a_run_of_each_command_is_kept_with_its_files(model, made_up_model):
    client = tracking_client(made_up_model[1])
    runs = client.search_runs([one.experiment_id for one in client.search_experiments()])
    files = {file.path for run in runs for file in client.list_artifacts(run.info.run_id)}
    assert {"weights.json", "metrics.json", "card.md", "evaluation.md", "personal.png"} <= files
