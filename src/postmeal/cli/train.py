"""``postmeal train``: train the default model on the permissively licensed data sets.

``postmeal train cohort`` is in `postmeal.cli.train_cohort`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from postmeal.cli import train_cohort

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
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
        help="folder that contains bigideas, hall2018, ogtt75, shanghai and t1d_uom",
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        type=Path,
        default=Path("models/population"),
        help="folder to write the model to (default: models/population)",
    )
    parser.add_argument(
        "--tracking", metavar="URI", help="MLflow tracking URI (default: var/mlflow.db)"
    )
    parser.set_defaults(run=_run, fail=parser.error)
    train_cohort.add_to(
        parser.add_subparsers(title="commands", metavar="cohort", prog="postmeal train")
    )


def _run(options: argparse.Namespace) -> None:
    if options.data is None:
        options.fail("--data is required; to train a cohort, use postmeal train cohort FOLDER")
    from postmeal.training.fit.release import train, write_model
    from postmeal.training.registry.mlflow_registry import register
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING, flat, record_run

    tracking = options.tracking or DEFAULT_TRACKING
    weights = train(options.data, options.output)
    for source in weights["trained_on"]:
        counts = f"{source['people']} people, {source['meals']} meals"
        print(f"{source['title']}: {counts} ({source['licence']})")
        print(f"    {source['citation']} doi:{source['doi']}")
    run_id = record_run(
        "train",
        parameters={
            source["name"]: f"{source['people']} people, {source['meals']} meals"
            for source in weights["trained_on"]
        },
        metrics=flat({key: weights[key] for key in ("level_mg_dl", "impact_scale", "ranges")}),
        files=[options.output / "weights.json"],
        tracking=tracking,
    )
    number = register(options.output, run_id, tracking)
    if weights["version"] != str(number):
        write_model({**weights, "version": str(number)}, options.output)
    print(f"wrote {options.output / 'weights.json'} and pinned its hash in registry.toml")
    print(f"the weights are version {number}; to serve them, run postmeal models promote {number}")
