"""``postmeal evaluate``: evaluate a released model or the meal language on a data set."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["add_to"]

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
    ("people_under_80_percent", "<80 %", "6.3f"),
    ("range_coverage", "in range", "8.3f"),
)


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "evaluate", help="evaluate a released model, or the meal language, on a data set"
    )
    parser.add_argument(
        "data_set",
        help="glucose data: bigideas, hall2018, ogtt75, shanghai, cgmacros or t1d_uom;"
        " meal texts: nutribench or dishes",
    )
    parser.add_argument("folder", type=Path, help="folder or file of the data set, as published")
    parser.add_argument("--model", type=Path, help="model folder (default: the shipped model)")
    parser.add_argument(
        "--predictions",
        type=Path,
        help="CSV file for the predictions: one row per meal and minute, or per meal text",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.data_set in ("nutribench", "dishes"):
        return _evaluate_meal_texts(options)
    from postmeal.training.datasets import load_data_set
    from postmeal.training.evaluate import evaluate_frozen

    data_set = load_data_set(options.data_set, options.folder)
    print(data_set.notice, end="\n\n")
    metrics, predictions = evaluate_frozen(data_set, options.model)
    width = max(len(name) for name in metrics)
    print(" " * width, *(f"{title:>{spec.split('.')[0]}}" for _, title, spec in _COLUMNS))
    for name, row in metrics.items():
        print(name.ljust(width), *(f"{row[key]:{spec}}" for key, _, spec in _COLUMNS))
    if options.predictions is not None:
        predictions.to_csv(options.predictions, index=False)
        print(f"wrote {options.predictions}: {len(predictions)} rows")
    return None


def _evaluate_meal_texts(options: argparse.Namespace) -> None:
    from postmeal.foods.catalog import Catalog
    from postmeal.training.evaluation.meal_language import (
        MEAL_TEXTS,
        accuracy_table,
        estimate,
        write_estimates,
    )

    meals = MEAL_TEXTS[options.data_set](options.folder)
    amounts = estimate(meals, Catalog.open())
    table = accuracy_table(meals, amounts)
    width = max(len(name) for name in table)
    print(" " * width, "  meals  Acc@7.5  MAE g  carb wMAPE  kcal wMAPE")
    for name, row in table.items():
        print(
            f"{name:<{width}} {row['meals']:>7} {row['accurate']:>8.1%} {row['mae_g']:>6.1f}"
            f" {row['carbs_wmape']:>11.1%} {row['energy_wmape']:>11.1%}"
        )
    if options.predictions is not None:
        write_estimates(amounts, options.predictions)
        print(f"wrote {options.predictions}: {len(amounts)} rows")
