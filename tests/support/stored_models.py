"""Population models that differ from the shipped model, and their predictions."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from postmeal.foods.food import Meal
from postmeal.glucose.model_store import ModelStore, version_number
from postmeal.glucose.population.weights import shipped_weights, weights_content
from postmeal.glucose.predictor import Predictor
from postmeal.training.registry.mlflow_registry import register
from postmeal.training.registry.mlflow_runs import record_run
from postmeal.training.registry.promotion import model_name, promote, shipped_content

SHIPPED = model_name(shipped_content())
"""Name of the shipped model."""


def version_after(steps: int) -> str:
    """Return the name of the model that is `steps` versions after the last shipped model."""
    last = max(int(one["version"]) for one in shipped_weights())
    return f"population-{last + steps}"


NEXT, LATER = version_after(1), version_after(2)
MISSING = version_after(100)


def weights_as(name: str, **changed: Any) -> bytes:
    """Return the shipped weights under another name.

    All levels are higher than the shipped ones by the version number of the name, in mg/dL.
    """
    weights = json.loads(shipped_content())
    number = version_number(name)
    higher = {state: level + number for state, level in weights["level_mg_dl"].items()}
    return weights_content({**weights, "version": str(number), "level_mg_dl": higher, **changed})


def store_with(folder: Path, *names: str) -> ModelStore:
    """Return a store to which the given models were promoted, after the shipped model."""
    promote(folder, shipped_content())
    for name in names:
        promote(folder, weights_as(name))
    return ModelStore(folder)


def active_version(folder: Path) -> str:
    """Load the active model of a store, as a new process does, and return its version."""
    registry = ModelStore(folder).registry()
    return ModelStore(folder).load(registry.active, registry.sha256[registry.active]).version


def break_promotion(store: Path) -> None:
    """Make the registry name a model whose weights are missing."""
    registry = ModelStore(store).registry()
    missing = {**registry.sha256, MISSING: "0" * 64}
    broken = replace(registry, active=MISSING, sha256=missing)
    (store / "new").write_bytes(broken.content())
    (store / "new").replace(store / "registry.toml")


def trained(folder: Path, content: bytes, tracking: str) -> int:
    """Record and register weights in MLflow, and return the number of their version."""
    folder.mkdir(parents=True)
    (folder / "weights.json").write_bytes(content)
    run_id = record_run(
        "train", parameters={"sets": 5}, metrics={"rise": 1.0}, files=folder, tracking=tracking
    )
    return register(folder, run_id, tracking)


def curve_of(predictor: Predictor, body: dict[str, Any], service: Any) -> list[float]:
    """Return the curve that the library predicts for a request of version 1.2, rounded."""
    from postmeal_serve.resources.food_choices import select
    from postmeal_serve.v1_2.prediction_request import PredictionRequest

    read = PredictionRequest.model_validate(body)
    eaten = select(service.catalog, [item.choice() for item in read.foods])
    time = datetime.fromisoformat(body["start_time"])
    profile = read.user_profile.profile("user_profile")
    prediction = predictor.predict(profile, Meal(eaten, time))
    return [round(glucose, 1) for glucose in prediction.glucose_mg_dl]
