"""Population models that differ from the shipped one, and the answers that each gives."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from postmeal.foods.food import Meal
from postmeal.glucose.model_store import ModelStore, version_number
from postmeal.glucose.population.weights import weights_content
from postmeal.glucose.predictor import Predictor
from postmeal.training.registry.mlflow_registry import register
from postmeal.training.registry.mlflow_runs import record_run
from postmeal.training.registry.promotion import model_name, promote, shipped_content

SHIPPED = model_name(shipped_content())
"""The shipped model, whatever its number is by now."""


def version_after(steps: int) -> str:
    """Name of the model that comes so many versions after the shipped one."""
    return f"population-{version_number(SHIPPED) + steps}"


NEXT, LATER = version_after(1), version_after(2)
MISSING = version_after(100)


def weights_as(name: str, **changed: Any) -> bytes:
    """The shipped weights under another name, every level higher by its number in mg/dL."""
    weights = json.loads(shipped_content())
    number = version_number(name)
    higher = {state: level + number for state, level in weights["level_mg_dl"].items()}
    return weights_content({**weights, "version": str(number), "level_mg_dl": higher, **changed})


def store_with(folder: Path, *names: str) -> ModelStore:
    """A store to which these models were promoted, after the shipped one."""
    promote(folder, shipped_content())
    for name in names:
        promote(folder, weights_as(name))
    return ModelStore(folder)


def active_version(folder: Path) -> str:
    """Version of the model that a fresh process would serve; it is loaded to tell."""
    registry = ModelStore(folder).registry()
    return ModelStore(folder).load(registry.active, registry.sha256[registry.active]).version


def break_promotion(store: Path) -> None:
    """Let the registry name a model whose weights are not there."""
    registry = ModelStore(store).registry()
    missing = {**registry.sha256, MISSING: "0" * 64}
    broken = replace(registry, active=MISSING, sha256=missing)
    (store / "new").write_bytes(broken.content())
    (store / "new").replace(store / "registry.toml")


def trained(folder: Path, content: bytes, tracking: str) -> int:
    """Record a run in MLflow that made these weights, and register them; the version's number."""
    folder.mkdir(parents=True)
    (folder / "weights.json").write_bytes(content)
    run_id = record_run(
        "train", parameters={"sets": 5}, metrics={"rise": 1.0}, files=folder, tracking=tracking
    )
    return register(folder, run_id, tracking)


def curve_of(predictor: Predictor, body: dict[str, Any], service: Any) -> list[float]:
    """The curve that the library gives for a v1.2 body."""
    from serve.resources.food_choices import select
    from serve.v1_2.glucose import PredictionRequest

    read = PredictionRequest.model_validate(body)
    eaten = select(service.catalog, [item.choice() for item in read.foods])
    time = datetime.fromisoformat(body["start_time"])
    profile = read.user_profile.profile("user_profile")
    return list(predictor.predict(profile, Meal(eaten, time)).glucose_mg_dl)
