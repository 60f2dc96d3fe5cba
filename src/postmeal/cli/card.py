"""``postmeal card``: run the full evaluation and write metrics, plots and the model card."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Add ``postmeal card`` to the commands."""
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
        "--unseen",
        type=Path,
        help="folder with CGMacros, a data set not used in training (default: evaluate only on the"
        " training data sets)",
    )
    parser.add_argument("--tracking", help="MLflow tracking URI (default: sqlite:///var/mlflow.db)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from postmeal.training.datasets import load_data_set
    from postmeal.training.evaluate import report
    from postmeal.training.fit.release import load_training_data
    from postmeal.training.recorded_runs import record_card
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING

    tracking = options.tracking or DEFAULT_TRACKING
    data = load_training_data(options.data)
    unseen = None if options.unseen is None else load_data_set("cgmacros", options.unseen)
    metrics = report(data, options.model, unseen, progress=_print_step)
    record_card(metrics, options.model, data, unseen, tracking)
    print(f"wrote card.md, metrics.json and plots to {options.model}")


def _print_step(step: str) -> None:
    print(step, file=sys.stderr, flush=True)
