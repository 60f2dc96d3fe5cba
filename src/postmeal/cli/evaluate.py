"""``postmeal evaluate``: a released model, frozen, on a data set in its official format."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["add_to"]

_SHOWN = (
    ("n_meals", "meals", "7.0f"),
    ("n_people", "people", "6.0f"),
    ("rise_rmse_mg_dl", "rise RMSE", "9.1f"),
    ("within_person_iauc_r", "within r", "8.3f"),
    ("absolute_rmse_mg_dl", "abs RMSE", "8.1f"),
    ("iauc_r", "iAUC r", "7.3f"),
    ("rise_r", "rise r", "7.3f"),
    ("macro_f1", "macro-F1", "8.3f"),
    ("coverage", "coverage", "8.3f"),
    ("width_mg_dl", "width", "6.1f"),
    ("people_under_80_percent", "<80 %", "6.3f"),
    ("range_coverage", "in range", "8.3f"),
)


def add_to(commands: Any) -> None:
    """Add the command's options."""
    parser = commands.add_parser("evaluate", help="evaluate a released model on a data set")
    parser.add_argument(
        "data_set", help="bigideas, hall2018, ogtt75, shanghai, cgmacros or t1d_uom"
    )
    parser.add_argument("folder", type=Path, help="the data set's folder, as published")
    parser.add_argument(
        "--model", type=Path, help="folder of the model; the default one if omitted"
    )
    parser.add_argument("--predictions", type=Path, help="CSV file for one row a meal and minute")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from postmeal.training.datasets import load_data_set
    from postmeal.training.evaluate import evaluate_frozen

    data_set = load_data_set(options.data_set, options.folder)
    print(data_set.notice, end="\n\n")
    metrics, predictions = evaluate_frozen(data_set, options.model)
    width = max(len(name) for name in metrics)
    print(" " * width, *(f"{title:>{spec.split('.')[0]}}" for _, title, spec in _SHOWN))
    for name, one in metrics.items():
        print(name.ljust(width), *(f"{one[key]:{spec}}" for key, _, spec in _SHOWN))
    if options.predictions is not None:
        predictions.to_csv(options.predictions, index=False)
        print(f"wrote {options.predictions}: {len(predictions)} rows")
