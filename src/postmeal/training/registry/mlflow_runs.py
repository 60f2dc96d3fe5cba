"""Runs recorded in MLflow: what went in, what came out, and the files; never a person's own."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from postmeal.errors import InputError

__all__ = ["DEFAULT_TRACKING", "flat", "record_cohort", "record_run", "tracking_client"]

DEFAULT_TRACKING = "sqlite:///var/mlflow.db"
_EXPERIMENT = "postmeal"


def record_run(
    name: str,
    *,
    parameters: Mapping[str, Any],
    metrics: Mapping[str, float],
    files: Path | Iterable[Path],
    tracking: str = DEFAULT_TRACKING,
) -> str:
    """Record one run in MLflow.

    MLflow is told nothing but this: no user name, no path, no command line.

    Parameters
    ----------
    name : str
        Name of the run: ``train``, ``card``.
    parameters : mapping
        What the run was told.
    metrics : mapping of str to float
        What it measured.
    files : path or iterable of path
        Folder whose files are kept with the run, or the files.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    str
        Id of the run.
    """
    client = tracking_client(tracking)
    from mlflow.entities import Metric, Param

    now_ms = int(time.time() * 1000)
    run_id = str(client.create_run(_experiment(client, tracking), run_name=name).info.run_id)
    ended = "FAILED"
    try:
        client.log_batch(
            run_id,
            metrics=[Metric(key, value, now_ms, 0) for key, value in metrics.items()],
            params=[Param(key, str(value)) for key, value in parameters.items()],
        )
        for file in sorted(files.iterdir()) if isinstance(files, Path) else files:
            if file.is_file():
                client.log_artifact(run_id, str(file))
        ended = "FINISHED"
    finally:
        client.set_terminated(run_id, ended)
    return run_id


def record_cohort(
    name: str,
    *,
    parameters: Mapping[str, Any],
    aggregates: Mapping[str, float],
    plots: Path,
    tracking: str = DEFAULT_TRACKING,
) -> str:
    """Record the training of a cohort: one run for all its people, and nothing of any one of them.

    Parameters
    ----------
    name : str
        Name of the run.
    parameters : mapping
        What the run was told.
    aggregates : mapping of str to float
        Numbers over all people: how many, means, quantiles.
    plots : path
        Folder with plots; only its ``.png`` files are kept, so that no table of people is.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    str
        Id of the run.
    """
    return record_run(
        name,
        parameters=parameters,
        metrics=aggregates,
        files=sorted(plots.glob("*.png")),
        tracking=tracking,
    )


def tracking_client(tracking: str) -> Any:
    """Open MLflow's runs and its model registry, which are made where they are missing.

    Parameters
    ----------
    tracking : str
        Address, such as ``sqlite:///var/mlflow.db``.

    Returns
    -------
    mlflow.MlflowClient
        The client. MLflow sends no usage statistics home and draws no progress bars.

    Raises
    ------
    InputError
        The address cannot be used.
    """
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLflow warns of its own dependencies
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
        from sqlalchemy.exc import SQLAlchemyError

        logging.getLogger("mlflow").setLevel(logging.WARNING)
        if (database := _database(tracking)) is not None:
            database.parent.mkdir(parents=True, exist_ok=True)
        try:
            return MlflowClient(tracking, registry_uri=tracking)
        except (MlflowException, SQLAlchemyError) as error:
            problem = f"is no address that MLflow can use ({type(error).__name__})"
            raise InputError("tracking", problem, tracking) from error


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
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


def _experiment(client: Any, tracking: str) -> str:
    """Find the experiment that holds the runs, or make it."""
    found = client.get_experiment_by_name(_EXPERIMENT)
    if found is not None:
        return str(found.experiment_id)
    database = _database(tracking)
    beside = None if database is None else (database.parent / "mlartifacts").resolve().as_uri()
    return str(client.create_experiment(_EXPERIMENT, artifact_location=beside))


def _database(tracking: str) -> Path | None:
    """The file of an SQLite tracking address."""
    path = tracking.removeprefix("sqlite:///")
    return None if path == tracking else Path(path)
