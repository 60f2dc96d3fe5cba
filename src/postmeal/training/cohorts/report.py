"""The record of a cohort in MLflow: one run with counts and pictures, nothing of any one user."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from postmeal.errors import DataSetError
from postmeal.training.cohorts.results import CohortResults
from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING, record_cohort

__all__ = ["aggregates", "record"]

Array = NDArray[np.float64]


def record(output: Path, tracking: str = DEFAULT_TRACKING) -> str:
    """Record a cohort that is trained, once.

    Parameters
    ----------
    output : path
        The results.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    str
        Id of the run, which the summary keeps from then on.

    Raises
    ------
    DataSetError
        The cohort is not all trained.
    """
    results = CohortResults(output)
    manifest, summary = results.manifest, results.summary
    if manifest is None or summary is None:
        raise DataSetError(f"{output} holds no cohort that is all trained")
    if "mlflow_run" in summary:
        return str(summary["mlflow_run"])
    gains_percent = _gains_percent(results)
    with tempfile.TemporaryDirectory() as folder:
        _draw(summary, gains_percent, Path(folder))
        parameters = {key: manifest[key] for key in ("postmeal", "data", "model", "chunk_users")}
        run = record_cohort(
            "cohort",
            parameters=parameters,
            aggregates=aggregates(summary, gains_percent),
            plots=Path(folder),
            tracking=tracking,
        )
    results.write_summary(**{**summary, "mlflow_run": run})
    return run


def aggregates(summary: dict[str, Any], gains_percent: Array) -> dict[str, float]:
    """Turn what is known of a whole cohort into numbers with names.

    Parameters
    ----------
    summary : dict
        What `postmeal.training.cohorts.train.train_cohort` answered.
    gains_percent : ndarray of shape (n_trained,)
        By how much less the own model was wrong than the population, by user.

    Returns
    -------
    dict of str to float
        Counts, speed, and quantiles of the gains.

    Examples
    --------
    >>> numbers = aggregates(
    ...     {"users": 4, "trained": 2, "helped": 1, "refused": {"no data": 2},
    ...      "run_users": 4, "run_s": 2.0}, np.array([20.0, -10.0]))
    >>> numbers["share_helped"], numbers["users_per_s"], numbers["refused/no_data"]
    (0.5, 2.0, 2.0)
    >>> numbers["gain_percent/p50"]
    5.0
    """
    trained = summary["trained"]
    numbers = {"users": float(summary["users"]), "trained": float(trained)}
    if trained:
        numbers["share_helped"] = summary["helped"] / trained
        for at in (10, 50, 90):
            numbers[f"gain_percent/p{at}"] = float(np.percentile(gains_percent, at))
    if summary["run_users"]:
        numbers["users_per_s"] = summary["run_users"] / summary["run_s"]
    refused = summary["refused"].items()
    return numbers | {f"refused/{why.replace(' ', '_')}": float(n) for why, n in refused}


def _gains_percent(results: CohortResults) -> Array:
    columns = ("population_rmse_mg_dl", "personal_rmse_mg_dl")
    errors = np.array([results.column(name) for name in columns], dtype=np.float64)
    population, personal = errors[:, ~np.isnan(errors).any(axis=0)]
    return np.asarray(100 * (1 - personal / np.maximum(population, 1e-9)))


def _draw(summary: dict[str, Any], gains_percent: Array, folder: Path) -> None:
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        outcome = {"trained": summary["trained"], **summary["refused"]}
        figure = Figure(figsize=(5.5, 1 + 0.3 * len(outcome)), layout="constrained")
        axis = figure.subplots()
        bars = axis.barh(list(outcome), list(outcome.values()), color="#2a7f62")
        axis.bar_label(bars, padding=3)
        axis.set(xlabel="users", xmargin=0.15)
        axis.invert_yaxis()
        figure.savefig(folder / "outcome.png", dpi=110)
        figure = Figure(figsize=(5.5, 3), layout="constrained")
        axis = figure.subplots()
        axis.hist(np.clip(gains_percent, -50, 100), bins=30, range=(-50, 100), color="#c98a1b")
        axis.axvline(0, color="#999999", lw=0.8)
        axis.set(
            xlabel="less error than the population on days left out, % (negative: not served)",
            ylabel="users",
        )
        figure.savefig(folder / "gains.png", dpi=110)
