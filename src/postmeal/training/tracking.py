"""Runs recorded in MLflow: what went in, what came out, and the files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

__all__ = ["DEFAULT_TRACKING", "flat", "record_run"]

DEFAULT_TRACKING = "sqlite:///var/mlflow.db"
_EXPERIMENT = "postmeal"


def record_run(
    name: str,
    *,
    parameters: dict[str, Any],
    metrics: dict[str, float],
    files: Path,
    tracking: str = DEFAULT_TRACKING,
) -> str:
    """Record one run in MLflow.

    Parameters
    ----------
    name : str
        Name of the run: ``train``, ``card``.
    parameters : dict
        What the run was told.
    metrics : dict of str to float
        What it measured.
    files : path
        Folder whose files are kept with the run.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    str
        Id of the run.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLflow warns of its own dependencies on import
        import mlflow

    database = tracking.removeprefix("sqlite:///")
    if database != tracking:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    mlflow.set_tracking_uri(tracking)
    if mlflow.get_experiment_by_name(_EXPERIMENT) is None:
        artifacts = Path(database).parent / "mlartifacts" if database != tracking else None
        location = artifacts.resolve().as_uri() if artifacts else None
        mlflow.create_experiment(_EXPERIMENT, artifact_location=location)
    mlflow.set_experiment(_EXPERIMENT)
    with mlflow.start_run(run_name=name) as run:
        mlflow.log_params(parameters)
        mlflow.log_metrics(metrics)
        mlflow.log_artifacts(str(files))
        return str(run.info.run_id)


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Flatten nested metrics into one level of slash-separated names.

    Examples
    --------
    >>> flat({"hall2018": {"carb line": {"iauc_r": 0.2}}})
    {'hall2018/carb line/iauc_r': 0.2}
    """
    result: dict[str, float] = {}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            result |= flat(value, f"{name}/")
        elif isinstance(value, (int, float)):
            result[name] = float(value)
    return result
