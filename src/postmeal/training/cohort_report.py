"""The record of a cohort in MLflow: one run with counts and pictures, nothing of any one user."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from postmeal.errors import DataSetError
from postmeal.training.cohort_results import CohortResults
from postmeal.training.tracking import DEFAULT_TRACKING, record_cohort

__all__ = ["aggregates", "record"]


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
    with tempfile.TemporaryDirectory() as folder:
        _draw(results, summary, Path(folder))
        parameters = {key: manifest[key] for key in ("postmeal", "data", "model", "chunk_users")}
        run = record_cohort(
            "cohort",
            parameters=parameters,
            aggregates=aggregates(summary),
            plots=Path(folder),
            tracking=tracking,
        )
    results.write_summary(**{**summary, "mlflow_run": run})
    return run


def aggregates(summary: dict[str, Any]) -> dict[str, float]:
    """Turn the summary of a cohort into numbers with names.

    Examples
    --------
    >>> aggregates({"users": 4, "trained": 2, "helped": 1, "refused": {"no data": 2},
    ...             "run_users": 4, "run_s": 2.0})
    {'users': 4.0, 'trained': 2.0, 'share_helped': 0.5, 'users_per_s': 2.0,
     'refused/no_data': 2.0}
    """
    trained = summary["trained"]
    numbers = {
        "users": float(summary["users"]),
        "trained": float(trained),
        "share_helped": summary["helped"] / trained if trained else 0.0,
    }
    if summary["run_users"]:
        numbers["users_per_s"] = summary["run_users"] / summary["run_s"]
    refused = summary["refused"].items()
    return numbers | {f"refused/{why.replace(' ', '_')}": float(n) for why, n in refused}


def _draw(results: CohortResults, summary: dict[str, Any], folder: Path) -> None:
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
        days = Counter(n for n in results.column("n_days") if n is not None)
        axis.bar(list(days), list(days.values()), color="#c98a1b")
        axis.axvline(4.5, color="#999999", lw=0.8)
        axis.set(xlabel="training days", ylabel="users")
        figure.savefig(folder / "days.png", dpi=110)
