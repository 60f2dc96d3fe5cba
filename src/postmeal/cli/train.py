"""``postmeal train``: train the default model on the data sets with permissive licenses.

``postmeal train cohort`` is in `postmeal.cli.train_cohort`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from postmeal.cli import train_cohort
from postmeal.training.datasets import TRAINING_SETS


def add_to(commands: Any) -> None:
    """Add ``postmeal train`` to the commands."""
    parser = commands.add_parser(
        "train",
        help="train the default model, or a personal model for each user of a cohort",
        usage="%(prog)s --data FOLDER [--output FOLDER] [--tracking URI]\n"
        "       %(prog)s cohort FOLDER --output FOLDER [options]",
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        type=Path,
        help=f"folder that contains one folder per data set: {', '.join(TRAINING_SETS)}",
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        type=Path,
        default=Path("models/population"),
        help="folder to write the model to (default: models/population)",
    )
    parser.add_argument(
        "--tracking", metavar="URI", help="MLflow tracking URI (default: sqlite:///var/mlflow.db)"
    )
    parser.set_defaults(run=_run, fail=parser.error)
    train_cohort.add_to(
        parser.add_subparsers(title="commands", metavar="cohort", prog="postmeal train")
    )


def _run(options: argparse.Namespace) -> None:
    if options.data is None:
        options.fail("--data is required; to train a cohort, use postmeal train cohort FOLDER")
    from threadpoolctl import threadpool_limits

    from postmeal.training.fit.release import (
        fit_weights,
        load_training_data,
        unseen_people,
        write_model,
    )
    from postmeal.training.recorded_runs import record_training
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING

    data = load_training_data(options.data)
    with threadpool_limits(1):  # On all machines, the same numbers are added in the same order.
        held_out = unseen_people(data.table, data.sensors)
    weights = fit_weights(data, held_out)
    write_model(weights, options.output)
    for source in weights["trained_on"]:
        counts = f"{source['people']} people, {source['meals']} meals"
        print(f"{source['title']}: {counts} ({source['licence']})")
        print(f"    {source['citation']} doi:{source['doi']}")
    tracking = options.tracking or DEFAULT_TRACKING
    number = record_training(data, held_out, weights, options.output, tracking)
    write_model(weights, options.output, version=str(number))
    print(f"wrote {options.output / 'weights.json'} and pinned its hash in registry.toml")
    print(f"the weights are version {number}; to serve them, run postmeal models promote {number}")
