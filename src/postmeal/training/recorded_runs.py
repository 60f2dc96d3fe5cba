"""Record runs of the commands ``train``, ``card`` and ``evaluate`` in MLflow."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.assets import asset
from postmeal.training.datasets.data_set import DataSet
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.evaluation.held_out_people import held_out_metrics
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.priors import PRIORS
from postmeal.training.fit.release import TrainingData
from postmeal.training.registry.mlflow_registry import attach_card, find_registered, register
from postmeal.training.registry.mlflow_runs import (
    DEFAULT_TRACKING,
    flat,
    record_run,
    tracking_client,
)
from postmeal.training.registry.promotion import model_name, shipped_content
from postmeal.training.registry.run_inputs import RunInput

__all__ = ["record_card", "record_evaluation", "record_training"]

_EVALUATION_SEED = 0
"""Seed of LightGBM and of the bootstrap intervals."""

_NOT_RANDOM = "none: no random step"


def record_training(
    data: TrainingData,
    held_out: NDArray[np.float64],
    weights: Mapping[str, Any],
    folder: Path,
    tracking: str = DEFAULT_TRACKING,
) -> int:
    """Record a training run in MLflow, and register its model.

    The parameters contain the number of people and meals of each data set, the prior of each
    coefficient and the prior strength. The metrics contain the errors on held-out people.
    """
    errors = held_out_metrics(data.table, held_out)
    fitted = {key: weights[key] for key in ("level_mg_dl", "impact_scale", "blood_ranges")}
    sizes = {
        source["name"]: f"{source['people']} people, {source['meals']} meals"
        for source in weights["trained_on"]
    }
    run_id = record_run(
        "train",
        parameters={**sizes, **_fit_parameters()},
        metrics=flat({"held_out": errors, **fitted}),
        files=[],
        tracking=tracking,
        inputs=_training_inputs(data),
        description=_description(weights, errors),
    )
    return register(folder, run_id, tracking)


def record_card(
    metrics: Mapping[str, Any],
    folder: Path,
    data: TrainingData,
    unseen: DataSet | None = None,
    tracking: str = DEFAULT_TRACKING,
) -> str:
    """Record the full evaluation of a model in MLflow, with its card, metrics and plots.

    If the model is registered, the card is also stored with its version.
    """
    nested = {key: value for key, value in metrics.items() if isinstance(value, dict)}
    inputs = [*_training_inputs(data), *([] if unseen is None else [_evaluation_input(unseen)])]
    run_id = record_run(
        "card",
        parameters={
            "model": metrics["model"],
            "unseen": metrics.get("unseen", ""),
            **_fit_parameters(),
            "seed": _EVALUATION_SEED,
        },
        metrics=flat(nested),
        files=folder,
        tracking=tracking,
        inputs=inputs,
        tags=_model_tags(folder),
        description=(folder / "card.md").read_text(encoding="utf-8"),
    )
    attach_card(folder, run_id, tracking)
    return run_id


def record_evaluation(
    data_set: DataSet,
    metrics: Mapping[str, Any],
    model: Path | None = None,
    tracking: str = DEFAULT_TRACKING,
    parameters: Mapping[str, Any] | None = None,
) -> str:
    """Record the evaluation of a model on one data set in MLflow, with the model's card."""
    folder = asset("models/population") if model is None else model
    card = folder / "card.md"
    tags = _model_tags(folder)
    return record_run(
        "evaluate",
        parameters={
            "data_set": data_set.name,
            "model": tags["model"],
            **_fit_parameters_of(folder, tracking),
            "seed": _NOT_RANDOM,
            **(parameters or {}),
        },
        metrics=flat(metrics),
        files=[card] if card.is_file() else [],
        tracking=tracking,
        inputs=[_evaluation_input(data_set)],
        tags={**tags, "data_set": data_set.name},
        description=f"Evaluation of {tags['model']} on {data_set.notice}",
    )


def _fit_parameters() -> dict[str, str]:
    """Return the parameters of the estimator and the prior of each coefficient."""
    estimator = PostMealCurve().get_params(deep=False)
    chosen = {key: str(value) for key, value in estimator.items() if key != "sensors"}
    priors = {
        f"prior/{name}": ", ".join(f"{key} {value:.6g}" for key, value in prior._asdict().items())
        for name, prior in PRIORS.items()
    }
    return {"seed": _NOT_RANDOM, **chosen, **priors}


def _fit_parameters_of(folder: Path, tracking: str) -> dict[str, str]:
    """Return the parameters with which a model was fitted; empty if they are unknown."""
    if (folder / "weights.json").read_bytes() == shipped_content():
        return _fit_parameters()
    if (version := find_registered(folder, tracking)) is None:
        return {}
    recorded = tracking_client(tracking).get_run(version.run_id).data.params
    return {key: recorded[key] for key in _fit_parameters() if key in recorded}


def _training_inputs(data: TrainingData) -> list[RunInput]:
    meals = data.table.drop(columns="reported_condition")
    tables = {str(name): table for name, table in meals.groupby("data_set", sort=False)}
    sources = {source["name"]: _address(source["doi"]) for source in data.sources}
    return [RunInput(name, table, sources[name], "training") for name, table in tables.items()]


def _evaluation_input(data_set: DataSet) -> RunInput:
    table = meals_table(data_set)
    return RunInput(data_set.name, table, _address(data_set.doi), "evaluation")


def _address(doi: str) -> str:
    return f"https://doi.org/{doi}"


def _model_tags(folder: Path) -> dict[str, str]:
    content = (folder / "weights.json").read_bytes()
    return {"model": model_name(content), "sha256": hashlib.sha256(content).hexdigest()}


def _description(weights: Mapping[str, Any], errors: Mapping[str, Mapping[str, float]]) -> str:
    """Write a table of the training sets, with the errors on held-out people."""
    lines = [
        "Errors on held-out people: each person is predicted by a fit to nine tenths of the people"
        " that does not include this person.",
        "",
        "| data set | license | people | meals | rise RMSE, mg/dL | iAUC r |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for source in weights["trained_on"]:
        error = errors[source["name"]]
        lines.append(
            f"| {source['title']} | {source['licence']} | {source['people']} | {source['meals']}"
            f" | {error['rise_rmse_mg_dl']:.1f} | {error['iauc_r']:.2f} |"
        )
    return "\n".join(lines)
