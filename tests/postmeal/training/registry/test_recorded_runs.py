"""MLflow runs: what ``train``, ``card`` and ``evaluate`` record of themselves."""

import json
import shutil
from typing import Any

import numpy as np
import pandas as pd
import pytest

from postmeal.assets import asset
from postmeal.cli import main
from postmeal.training.datasets import load_data_set
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.priors import PRIORS
from postmeal.training.fit.release import TRAINING_SETS, load_training_data
from postmeal.training.recorded_runs import record_card
from postmeal.training.registry.mlflow_registry import REGISTERED, registered_versions
from postmeal.training.registry.mlflow_runs import (
    clip_description,
    git_commit,
    record_run,
    tracking_client,
)
from postmeal.training.registry.run_inputs import RunInput

pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow warns about its dependencies.


def run_named(name: str, tracking: str) -> Any:
    """Return the latest run with a name."""
    client = tracking_client(tracking)
    experiment = client.get_experiment_by_name("postmeal").experiment_id
    found = client.search_runs([experiment], f"attributes.run_name = '{name}'", max_results=1)
    return found[0]


def inputs_of(run: Any) -> dict[str, tuple[str, str]]:
    """Return digest and context of each data set that a run read."""
    found = {}
    for one in run.inputs.dataset_inputs:
        (tag,) = one.tags
        assert tag.key == "mlflow.data.context"
        found[one.dataset.name] = (one.dataset.digest, tag.value)
    return found


def digest_of(name: str, folder: Any) -> str:
    return RunInput(name, meals_table(load_data_set(name, folder)), "", "").digest


@pytest.fixture(scope="module")
def trained_run(made_up_model):
    return run_named("train", made_up_model[1])


@pytest.fixture
def evaluated_run(made_up_data, made_up_model):
    """What ``postmeal evaluate --tracking`` records of the trained model."""
    words = ["evaluate", "cgmacros", str(made_up_data[0] / "cgmacros")]
    model, tracking = made_up_model
    assert main([*words, "--model", str(model), "--tracking", tracking]) == 0
    return run_named("evaluate", tracking)


@pytest.mark.reliability
def test_training_records_prior_strengths_seed_versions_and_commit(trained_run):
    parameters = trained_run.data.params
    assert parameters["prior_strength"] == str(PostMealCurve().prior_strength)
    assert {name for name in parameters if name.startswith("prior/")} == {
        f"prior/{name}" for name in PRIORS
    }
    assert parameters["seed"].startswith("none")
    assert parameters["version/numpy"] == np.__version__
    commit = git_commit()
    recorded = trained_run.data.tags.get("mlflow.source.git.commit")
    assert recorded == (None if commit is None else commit[0])


def test_training_records_the_errors_on_held_out_people(trained_run, made_up_data):
    metrics = trained_run.data.metrics
    for name in TRAINING_SETS:
        table = meals_table(load_data_set(name, made_up_data[0] / name))
        assert metrics[f"held_out/{name}/n_meals"] == len(table)
        assert 1 < metrics[f"held_out/{name}/rise_rmse_mg_dl"] < 60
    assert f"| {metrics['held_out/bigideas/rise_rmse_mg_dl']:.1f} |" in description(trained_run)


def test_training_records_each_data_set_with_its_digest(trained_run, made_up_data):
    assert inputs_of(trained_run) == {
        name: (digest_of(name, made_up_data[0] / name), "training") for name in TRAINING_SETS
    }


def test_the_version_is_described_as_the_run_that_trained_it(trained_run, made_up_model):
    _, tracking = made_up_model
    number = trained_run.data.tags["registered_version"]
    version = tracking_client(tracking).get_model_version(REGISTERED, number)
    assert version.run_id == trained_run.info.run_id
    assert version.description


@pytest.mark.reliability
def test_evaluating_records_metrics_and_the_data_set(evaluated_run, made_up_data, made_up_model):
    metrics = evaluated_run.data.metrics
    table = meals_table(load_data_set("cgmacros", made_up_data[0] / "cgmacros"))
    for sensor, rows in table.groupby("sensor"):
        assert metrics[f"{sensor}/n_meals"] == len(rows)
        assert metrics[f"{sensor}/rise_rmse_mg_dl"] > 0
    assert metrics["Libre Pro/type_2/coverage"] <= 1
    digest = digest_of("cgmacros", made_up_data[0] / "cgmacros")
    assert inputs_of(evaluated_run) == {"cgmacros": (digest, "evaluation")}
    version = json.loads((made_up_model[0] / "weights.json").read_text())["version"]
    assert evaluated_run.data.params["model"] == f"population-{version}"
    assert evaluated_run.data.tags["data_set"] == "cgmacros"


def test_evaluating_records_how_the_model_was_fitted(evaluated_run, trained_run):
    for name in ("prior_strength", "prior/morning"):
        assert evaluated_run.data.params[name] == trained_run.data.params[name]


def test_evaluating_without_tracking_records_nothing(made_up_data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "ogtt75", str(made_up_data[0] / "ogtt75")]) == 0
    assert list(tmp_path.iterdir()) == []


def test_no_run_contains_rows_of_people(evaluated_run, made_up_data, made_up_model):
    """Neither the artifacts nor the data set name a meal."""
    client = tracking_client(made_up_model[1])
    assert client.list_artifacts(evaluated_run.info.run_id) == []
    (dataset,) = (one.dataset for one in evaluated_run.inputs.dataset_inputs)
    assert set(json.loads(dataset.profile)) == {"num_rows", "num_elements"}
    assert str(made_up_data[0]) not in dataset.source


def test_the_digest_of_a_data_set_depends_on_every_value():
    meals = pd.DataFrame({"person": ["a", "b"], "carbs_g": [40.0, None]})
    tables = (meals, meals.copy(), meals.assign(carbs_g=[41.0, None]))
    first, again, other = (RunInput("own", table, "", "training").digest for table in tables)
    assert len(first) == 32
    assert first == again != other


@pytest.mark.reliability
def test_a_card_is_recorded_with_its_figures_and_stored_with_the_version(
    made_up_data, made_up_model, tmp_path
):
    model, tracking = made_up_model
    folder = tmp_path / "population"
    shutil.copytree(model, folder)
    metrics = json.loads(asset("models/population/metrics.json").read_text(encoding="utf-8"))
    (folder / "card.md").write_text("# A card\n", encoding="utf-8")
    unseen = load_data_set("cgmacros", made_up_data[0] / "cgmacros")
    training = load_training_data(made_up_data[0])
    run_id = record_card(metrics, folder, training, unseen, tracking)
    client = tracking_client(tracking)
    run = client.get_run(run_id)
    assert description(run) == "# A card\n"
    assert "card.md" in [one.path for one in client.list_artifacts(run_id)]
    expected = metrics["frozen"]["Libre Pro"]["models"]["population"]["rise_rmse_mg_dl"]
    recorded = run.data.metrics["frozen/Libre Pro/models/population/rise_rmse_mg_dl"]
    assert recorded == expected
    contexts = {name: context for name, (_, context) in inputs_of(run).items()}
    assert contexts == {**dict.fromkeys(TRAINING_SETS, "training"), "cgmacros": "evaluation"}
    (version,) = (one for one in registered_versions(tracking) if not one.is_champion)
    assert "card.md" in [one.path for one in client.list_artifacts(version.run_id)]
    described = client.get_model_version(REGISTERED, str(version.number))
    assert described.description == "# A card\n"
    assert described.tags["card_run"] == run_id


@pytest.mark.reliability
def test_a_run_may_have_more_metrics_and_parameters_than_mlflow_accepts_at_once(tmp_path):
    tracking = f"sqlite:///{tmp_path}/mlflow.db"
    run_id = record_run(
        "card",
        parameters={f"parameter {number}": number for number in range(150)},
        metrics={f"metric {number}": float(number) for number in range(2500)},
        files=[],
        tracking=tracking,
    )
    run = tracking_client(tracking).get_run(run_id)
    assert run.info.status == "FINISHED"
    assert run.data.metrics["metric 2499"] == 2499
    assert run.data.params["parameter 149"] == "149"


def test_a_long_description_ends_with_a_paragraph():
    paragraph = "word " * 200
    clipped = clip_description("\n\n".join([paragraph] * 20))
    assert clipped == "\n\n".join([paragraph] * 4)
    assert len(clip_description("x" * 9000)) == 5000


def description(run: Any) -> str:
    return str(run.data.tags["mlflow.note.content"])
