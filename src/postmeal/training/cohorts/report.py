"""Record counts and plots of a cohort in MLflow, without data of individual users."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from numpy.typing import NDArray

from postmeal.errors import DataSetError
from postmeal.plotting import COLORS, STYLE
from postmeal.training.cohorts.results import CohortResults
from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING, record_cohort

Array = NDArray[np.float64]


def record(output: Path, tracking: str = DEFAULT_TRACKING) -> str:
    """Record the results of a completed cohort in MLflow, unless they are already recorded."""
    results = CohortResults(output)
    manifest, summary = results.manifest, results.summary
    if manifest is None or summary is None:
        raise DataSetError(
            f"{output} must contain the results of a completed cohort; finish the training first"
        )
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
    """Convert the summary of a cohort to metrics for MLflow."""
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
    with rc_context(STYLE):
        outcome = {"trained": summary["trained"], **summary["refused"]}
        figure = Figure(figsize=(5.5, 1 + 0.3 * len(outcome)), layout="constrained")
        axis = figure.subplots()
        bars = axis.barh(list(outcome), list(outcome.values()), color=COLORS["green"])
        axis.bar_label(bars, padding=3)
        axis.set(xlabel="users", xmargin=0.15)
        axis.invert_yaxis()
        figure.savefig(folder / "outcome.png", dpi=110)
        figure = Figure(figsize=(5.5, 3), layout="constrained")
        axis = figure.subplots()
        gains = np.clip(gains_percent, -50, 100)
        axis.hist(gains, bins=30, range=(-50, 100), color=COLORS["amber"])
        axis.axvline(0, color=COLORS["gray"], lw=0.8)
        axis.set(
            xlabel="error reduction on held-out days, % (negative: personal model not used)",
            ylabel="users",
        )
        figure.savefig(folder / "gains.png", dpi=110)
