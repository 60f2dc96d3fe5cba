"""``postmeal card``: run the full evaluation and write metrics, plots and the model card."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("card", help="run the full evaluation and write the model card")
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with the training data sets"
    )
    parser.add_argument(
        "--model",
        type=Path,
        default=Path("models/population"),
        help="model folder (default: models/population)",
    )
    parser.add_argument(
        "--unseen", type=Path, help="folder with CGMacros, a data set not used in training"
    )
    parser.add_argument("--tracking", help="MLflow tracking URI (default: var/mlflow.db)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from postmeal.training.evaluate import report
    from postmeal.training.registry.mlflow_registry import attach_card
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING, flat, record_run

    tracking = options.tracking or DEFAULT_TRACKING
    metrics = report(options.data, options.model, options.unseen)
    run_id = record_run(
        "card",
        parameters={"model": metrics["model"], "unseen": metrics.get("unseen", "")},
        metrics=flat({key: value for key, value in metrics.items() if isinstance(value, dict)}),
        files=options.model,
        tracking=tracking,
    )
    attach_card(options.model, run_id, tracking)
    print(f"wrote card.md, metrics.json and plots to {options.model}")
