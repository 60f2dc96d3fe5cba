"""Record runs in MLflow with parameters, metrics and files, without data of individual people."""

from __future__ import annotations

import logging
import os
import platform
import re
import subprocess
import time
import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.errors import InputError

__all__ = [
    "DEFAULT_TRACKING",
    "clip_description",
    "flat",
    "git_commit",
    "library_versions",
    "record_cohort",
    "record_run",
    "tracking_client",
]

if TYPE_CHECKING:
    from postmeal.training.registry.run_inputs import RunInput


DEFAULT_TRACKING = "sqlite:///var/mlflow.db"
_EXPERIMENT = "postmeal"
_MAX_PARAMS = 100  # MLflow's limit for one call
_MAX_METRICS = 1000  # MLflow's limit for one call
_MAX_DESCRIPTION = 5000  # MLflow's limit for the description of a model version, in characters
_NOT_IN_NAMES = re.compile(r"[^/\w.\- :]")


def record_run(
    name: str,
    *,
    parameters: Mapping[str, Any],
    metrics: Mapping[str, float],
    files: Path | Iterable[Path],
    tracking: str = DEFAULT_TRACKING,
    inputs: Iterable[RunInput] = (),
    tags: Mapping[str, str] | None = None,
    description: str = "",
) -> str:
    """Record a run in MLflow.

    The versions of the libraries and the Git commit of postmeal are also recorded. User names,
    paths and command lines are not.
    """
    client = tracking_client(tracking)
    from mlflow.entities import Metric, Param, RunTag

    from postmeal.training.registry.run_inputs import dataset_inputs

    now_ms = int(time.time() * 1000)
    run_id = str(client.create_run(_experiment(client, tracking), run_name=name).info.run_id)
    ended = "FAILED"
    try:
        params = {**parameters, **library_versions()}
        parameter_entities = [Param(key, str(value)) for key, value in params.items()]
        metric_entities = [Metric(key, value, now_ms, 0) for key, value in metrics.items()]
        tag_entities = [RunTag(*tag) for tag in {**_tags(description), **(tags or {})}.items()]
        client.log_batch(run_id, tags=tag_entities)
        for start in range(0, len(parameter_entities), _MAX_PARAMS):
            client.log_batch(run_id, params=parameter_entities[start : start + _MAX_PARAMS])
        for start in range(0, len(metric_entities), _MAX_METRICS):
            client.log_batch(run_id, metrics=metric_entities[start : start + _MAX_METRICS])
        if datasets := dataset_inputs(inputs):
            client.log_inputs(run_id, datasets)
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
    """Record the training of a cohort as a single run, without data of individual people."""
    return record_run(
        name,
        parameters=parameters,
        metrics=aggregates,
        files=sorted(plots.glob("*.png")),
        tracking=tracking,
    )


def tracking_client(tracking: str) -> Any:
    """Return a client for MLflow's runs and models, creating their database if necessary."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLflow warns about its own dependencies
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
        from sqlalchemy.exc import SQLAlchemyError

        logging.getLogger("mlflow").setLevel(logging.WARNING)
        if (database := _database(tracking)) is not None:
            database.parent.mkdir(parents=True, exist_ok=True)
        try:
            return MlflowClient(tracking, registry_uri=tracking)
        except (MlflowException, SQLAlchemyError) as error:
            problem = f"must be a URI that MLflow can open ({type(error).__name__})"
            raise InputError("tracking", problem, tracking) from error


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    """Flatten nested metrics into one level of slash-separated names.

    Examples
    --------
    >>> flat({"hall2018": {"carb line": {"iauc_r": 0.2}}})
    {'hall2018/carb line/iauc_r': 0.2}

    Characters that MLflow does not accept in names are replaced:

    >>> flat({"Libre, normal": {"coverage (90 %)": 0.9}})
    {'Libre/normal/coverage _90 __': 0.9}
    """
    result: dict[str, float] = {}
    for key, value in values.items():
        name = _NOT_IN_NAMES.sub("_", f"{prefix}{key}".replace(", ", "/"))
        if isinstance(value, dict):
            result |= flat(value, f"{name}/")
        elif isinstance(value, (int, float)):
            result[name] = float(value)
    return result


def clip_description(text: str) -> str:
    """Shorten a text to whole paragraphs that MLflow accepts as a description."""
    if len(text) <= _MAX_DESCRIPTION:
        return text
    start = text[:_MAX_DESCRIPTION]
    return start.rpartition("\n\n")[0] or start


def _tags(description: str) -> dict[str, str]:
    """Return the tags of a run: the program, the commit of its code and the description."""
    tags = {"mlflow.source.name": "postmeal", "mlflow.source.type": "LOCAL"}
    if description:
        tags["mlflow.note.content"] = clip_description(description)
    if (commit := git_commit()) is not None:
        tags["mlflow.source.git.commit"], is_changed = commit
        tags["mlflow.source.git.dirty"] = str(is_changed).lower()
    return tags


def _experiment(client: Any, tracking: str) -> str:
    """Return the ID of the experiment that contains the runs, creating it if necessary."""
    found = client.get_experiment_by_name(_EXPERIMENT)
    if found is not None:
        return str(found.experiment_id)
    database = _database(tracking)
    beside = None if database is None else (database.parent / "mlartifacts").resolve().as_uri()
    return str(client.create_experiment(_EXPERIMENT, artifact_location=beside))


def _database(tracking: str) -> Path | None:
    """Return the path of the file in a SQLite tracking URI, or None for any other URI."""
    path = tracking.removeprefix("sqlite:///")
    return None if path == tracking else Path(path)


_LIBRARIES = ("postmeal", "numpy", "scipy", "pandas", "scikit-learn", "lightgbm", "mlflow")


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that affect the results of a run."""
    found = {"version/python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[f"version/{library}"] = version(library)
        except PackageNotFoundError:  # mlflow-skinny has a different name
            found[f"version/{library}"] = "not installed"
    return found


def git_commit() -> tuple[str, bool] | None:
    """Return the commit of postmeal's source code, and whether there are uncommitted changes."""
    file = Path(__file__)
    try:
        _git("ls-files", "--error-unmatch", file.name, folder=file.parent)
        changes = _git("status", "--porcelain", "--untracked-files=no", folder=file.parent)
        return _git("rev-parse", "HEAD", folder=file.parent), bool(changes)
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*words: str, folder: Path) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
