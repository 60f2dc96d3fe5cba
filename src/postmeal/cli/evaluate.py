"""``postmeal evaluate``: evaluate a released model on a data set."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from postmeal.training.datasets.data_set import DataSet

from postmeal.training.datasets import DATA_SETS, load_data_set

_COLUMNS = (
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
    ("people_under_80_percent", "<80%", "6.3f"),
    ("range_coverage", "in range", "8.3f"),
)


def add_to(commands: Any) -> None:
    """Add ``postmeal evaluate`` to the commands."""
    parser = commands.add_parser("evaluate", help="evaluate a released model on a data set")
    parser.add_argument("data_set", help=f"name of the data set: {', '.join(DATA_SETS)}")
    parser.add_argument("folder", type=Path, help="folder with the data set, as published")
    parser.add_argument("--model", type=Path, help="model folder (default: the shipped model)")
    parser.add_argument(
        "--predictions",
        type=Path,
        help="CSV file to write the predictions to: one row for every 15 minutes from 0 to 120"
        " minutes after each meal",
    )
    parser.add_argument(
        "--known",
        metavar="LIST",
        help="predict from what is known about each person, separated by commas: reading (the last"
        " one before the meal), cgm-24h, cgm-72h (the last hours of readings, which end three hours"
        " before the meal unless reading is listed), hba1c, fasting, meals-2d, meals-5d (the first"
        " valid days with meals)",
    )
    parser.add_argument(
        "--refit",
        action="store_true",
        help="with --known meals-…: learn from all valid days before each later day",
    )
    parser.add_argument(
        "--tracking",
        metavar="URI",
        help="record the metrics and the data set as a run in MLflow at this tracking URI",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.refit and options.known is None:
        raise InputError("--refit", "is accepted only together with --known meals-…")
    if options.known is not None:
        return _evaluate_known(options)
    from postmeal.training.evaluate import evaluate_frozen

    data_set = load_data_set(options.data_set, options.folder)
    print(data_set.notice, end="\n\n")
    metrics, predictions = evaluate_frozen(data_set, options.model)
    _print_metrics(metrics)
    _print_chances(metrics)
    _write_predictions(options.predictions, predictions)
    _record(options, data_set, metrics)
    return None


def _evaluate_known(options: argparse.Namespace) -> None:
    from threadpoolctl import threadpool_limits

    from postmeal.glucose.predictor import Predictor
    from postmeal.training.evaluation.known_people import Known, evaluate_known

    known = Known.parse(options.known)
    data_set = load_data_set(options.data_set, options.folder)
    print(data_set.notice, end="\n\n")
    with threadpool_limits(1):  # faster for small matrices, and the same results on any machine
        predictor = Predictor.load(options.model)
        found = evaluate_known(predictor, data_set, known, refit=options.refit)
    _print_metrics(found.metrics)
    _write_predictions(options.predictions, found.predictions)
    _record(options, data_set, found.metrics, known=options.known, refit=options.refit)


def _print_metrics(metrics: dict[str, dict[str, float]]) -> None:
    width = max(len(name) for name in metrics)
    print(" " * width, *(f"{title:>{spec.split('.')[0]}}" for _, title, spec in _COLUMNS))
    for name, row in metrics.items():
        print(name.ljust(width), *(f"{row[key]:{spec}}" for key, _, spec in _COLUMNS))


def _write_predictions(path: Path | None, predictions: pd.DataFrame) -> None:
    if path is not None:
        predictions.to_csv(path, index=False)
        print(f"wrote {path}: {len(predictions)} rows")


def _print_chances(metrics: dict[str, dict[str, float]]) -> None:
    """Print the Brier scores of the predicted chances, and those of a constant prediction."""
    from postmeal.glucose.population.chances import CHANCES

    width = max(len(name) for name in metrics)
    print("\nBrier score of the predicted chances (of predicting the group's share for each meal)")
    print(" " * width, *(f"{name.replace('_', ' '):>15}" for name in CHANCES))
    for name, row in metrics.items():
        cells = (f"{row[f'{key}_brier']:.3f} ({row[f'{key}_base_brier']:.3f})" for key in CHANCES)
        print(name.ljust(width), *(f"{cell:>15}" for cell in cells))


def _record(
    options: argparse.Namespace, data_set: DataSet, metrics: dict[str, Any], **parameters: Any
) -> None:
    """Record the evaluation in MLflow if a tracking URI is given."""
    if options.tracking is None:
        return
    from postmeal.training.recorded_runs import record_evaluation

    run_id = record_evaluation(data_set, metrics, options.model, options.tracking, parameters)
    print(f"recorded run {run_id} in MLflow")
