"""Registered versions as MLflow models: loaded and served without pickle, with the same numbers."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from real_server import free_port
from stored_models import NEXT, trained, weights_as

from postmeal.errors import ModelError
from postmeal.frames import INPUT_COLUMNS, predict_frame
from postmeal.glucose.model_store import version_number
from postmeal.glucose.predictor import Predictor
from postmeal.people import HEALTH_CONDITIONS
from postmeal.training.registry.mlflow_model import (
    WEIGHTS_PATH,
    example_meals,
    write_mlflow_model,
)
from postmeal.training.registry.mlflow_registry import REGISTERED, registered_versions
from postmeal.training.registry.mlflow_runs import tracking_client

pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow warns about its dependencies.

ADDRESS = f"models:/{REGISTERED}/{version_number(NEXT)}"
TEXT = ("health_conditions", "sex", "activity_level", "sensor")
MODEL_FILES = {
    "MLmodel",
    "conda.yaml",
    "python_env.yaml",
    "requirements.txt",
    "input_example.json",
    "serving_input_example.json",
    "data/release/registry.toml",
    WEIGHTS_PATH,
}


@pytest.fixture(scope="module")
def tracking(tmp_path_factory):
    """MLflow on a fresh SQLite file, with the version after the shipped one."""
    folder = tmp_path_factory.mktemp("mlflow")
    tracking = f"sqlite:///{folder}/mlflow.db"
    trained(folder / "trained", weights_as(NEXT), tracking)
    return tracking


@pytest.fixture(scope="module")
def loaded(tracking):
    """The registered version, loaded as MLflow's users load it."""
    import mlflow

    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(tracking)
    yield mlflow.pyfunc.load_model(ADDRESS)
    mlflow.set_tracking_uri(before)


@pytest.fixture(scope="module")
def predictor():
    return Predictor.from_weights(json.loads(weights_as(NEXT)))


def meals_with_every_column() -> pd.DataFrame:
    """Forty meals with all columns, in which about a fifth of the optional values are missing."""
    n, random = 40, np.random.default_rng(16)
    frame = pd.DataFrame(
        {
            "carbs_g": random.uniform(0, 150, n),
            "fiber_g": random.uniform(0, 15, n),
            "protein_g": random.uniform(0, 50, n),
            "fat_g": random.uniform(0, 50, n),
            "health_conditions": random.choice(HEALTH_CONDITIONS, n),
            "age": random.uniform(20, 80, n),
            "sex": random.choice(["female", "male"], n),
            "height_cm": random.uniform(150, 200, n),
            "weight_kg": random.uniform(50, 120, n),
            "activity_level": random.choice(["sedentary", "very_active"], n),
            "sensor": random.choice(["Libre", "Dexcom G6"], n),
            "start_mg_dl": random.uniform(70, 200, n),
            "start_age_min": random.uniform(0, 70, n),
            "hba1c_percent": random.uniform(5, 8, n),
            "fasting_glucose_mg_dl": random.uniform(80, 150, n),
            "since_meal_h": random.uniform(0, 12, n),
        }
    )
    frame = frame.mask(random.random(frame.shape) < 0.2)
    frame["carbs_g"] = frame["carbs_g"].fillna(30.0)
    hours = pd.to_timedelta(random.integers(0, 48, n), unit="h")
    return frame.assign(time=pd.Timestamp("2026-05-01 00:15") + hours)


def test_a_loaded_version_gives_the_numbers_of_predict_frame(loaded, predictor):
    frame = meals_with_every_column()
    assert set(frame.columns) == {*INPUT_COLUMNS} - {"person"}
    predicted = loaded.predict(frame)
    pd.testing.assert_frame_equal(predicted, predict_frame(frame, predictor), check_exact=True)
    assert set(predicted["model_version"]) == {NEXT}


def test_the_champion_is_loaded_by_its_alias(loaded):
    """It is the shipped model, since no other has been promoted."""
    import mlflow

    champion = mlflow.pyfunc.load_model(f"models:/{REGISTERED}@champion")
    pd.testing.assert_frame_equal(champion.predict(example_meals()), predict_frame(example_meals()))


def test_only_carbohydrate_and_time_are_required(loaded, predictor):
    frame = meals_with_every_column()[["carbs_g", "time"]]
    pd.testing.assert_frame_equal(loaded.predict(frame), predict_frame(frame, predictor))


def test_the_minutes_are_a_parameter_of_the_model(loaded, predictor):
    predicted = loaded.predict(example_meals(), params={"minutes": [0.0, 50.0, 130.0]})
    expected = predict_frame(example_meals(), predictor, minutes=[0, 50, 130])
    pd.testing.assert_frame_equal(predicted, expected)


def test_the_signature_names_every_column_with_its_type(loaded):
    types = {one.name: (one.type.name, one.required) for one in loaded.metadata.signature.inputs}
    assert types == {
        column: (
            "datetime" if column == "time" else "string" if column in TEXT else "double",
            column in ("carbs_g", "time"),
        )
        for column in INPUT_COLUMNS
        if column != "person"
    }
    outputs = [one.name for one in loaded.metadata.signature.outputs]
    assert outputs == list(loaded.predict(example_meals()).columns)


def test_the_model_states_its_input_example_its_name_and_its_hash(loaded, tracking):
    pd.testing.assert_frame_equal(loaded.input_example, example_meals(), check_dtype=False)
    version = registered_versions(tracking)[-1]
    assert loaded.metadata.metadata == {"model": NEXT, "sha256": version.sha256}
    registered = tracking_client(tracking).get_registered_model(REGISTERED)
    assert "mlflow.pyfunc.load_model" in registered.description
    assert registered.tags["package"] == "postmeal"


def test_a_row_that_is_invalid_is_named(loaded):
    from mlflow.exceptions import MlflowException

    with pytest.raises(MlflowException, match=r"row 1: carbs_g must be zero or more, got -1"):
        loaded.predict(example_meals().assign(carbs_g=[20.0, -1.0]))


def test_the_model_consists_of_text_files_and_no_pickle(tmp_path):
    write_mlflow_model(json.loads(weights_as(NEXT)), tmp_path / "model")
    files = [file for file in (tmp_path / "model").rglob("*") if file.is_file()]
    assert {file.relative_to(tmp_path / "model").as_posix() for file in files} == MODEL_FILES
    for file in files:
        file.read_text(encoding="utf-8")
    requirements = (tmp_path / "model" / "requirements.txt").read_text().split()
    assert {line.partition("==")[0] for line in requirements} == {
        "mlflow",
        "numpy",
        "pandas",
        "postmeal",
    }


def test_altered_weights_are_not_loaded(tmp_path):
    import mlflow

    write_mlflow_model(json.loads(weights_as(NEXT)), tmp_path / "model")
    file = tmp_path / "model" / WEIGHTS_PATH
    file.write_bytes(file.read_bytes().replace(b'"format": 3', b'"format":  3'))
    with pytest.raises(ModelError, match="were changed"):
        mlflow.pyfunc.load_model(str(tmp_path / "model"))


@pytest.mark.reliability
def test_mlflow_serves_a_version(tracking, predictor, tmp_path):
    port = free_port()
    words = ["models", "serve", "--model-uri", ADDRESS, "--env-manager", "local"]
    server = subprocess.Popen(
        [sys.executable, "-m", "mlflow", *words, "--port", str(port)],
        cwd=tmp_path,
        env={
            **os.environ,
            "MLFLOW_TRACKING_URI": tracking,
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/ping", server)
        frame = example_meals()
        rows = frame.assign(time=frame["time"].dt.strftime("%Y-%m-%dT%H:%M:%S"))
        body = json.dumps({"dataframe_split": rows.to_dict(orient="split", index=False)})
        request = urllib.request.Request(
            f"{address}/invocations", body.encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            answered = pd.DataFrame(json.load(response)["predictions"])
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=60)
    expected = pd.DataFrame(predict_frame(frame, predictor).to_dict(orient="records"))
    pd.testing.assert_frame_equal(answered, expected, check_exact=True)


def wait_for(address: str, server: subprocess.Popen) -> None:
    """Wait until an address answers, as long as its server runs."""
    end_s = time.monotonic() + 120
    while time.monotonic() < end_s:
        assert server.poll() is None, "the server has ended"
        try:
            with urllib.request.urlopen(address, timeout=5) as response:
                assert response.status == 200
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise AssertionError("the server does not answer")
