"""``postmeal train``: fit the default model to the permissively licensed data sets.

``postmeal train cohort`` is `postmeal.cli.train_cohort`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from postmeal.cli import train_cohort

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command's options."""
    parser = commands.add_parser("train", help="train the default model")
    parser.add_argument(
        "--data",
        type=Path,
        help="folder with the folders bigideas, hall2018, ogtt75, shanghai and t1d_uom",
    )
    parser.add_argument("--output", type=Path, default=Path("models/population"), help="its folder")
    parser.add_argument("--tracking", help="where MLflow records the run; default var/mlflow.db")
    parser.set_defaults(run=_run, refuse=parser.error)
    train_cohort.add_to(parser.add_subparsers(metavar="cohort"))


def _run(options: argparse.Namespace) -> None:
    if options.data is None:
        options.refuse("the following arguments are required: --data")
    from postmeal.training.fit.release import train, write_model
    from postmeal.training.registry.mlflow_registry import register
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING, flat, record_run

    tracking = options.tracking or DEFAULT_TRACKING
    weights = train(options.data, options.output)
    for one in weights["trained_on"]:
        print(f"{one['title']}: {one['people']} people, {one['meals']} meals ({one['licence']})")
        print(f"    {one['citation']} doi:{one['doi']}")
    run_id = record_run(
        "train",
        parameters={
            one["name"]: f"{one['people']} people, {one['meals']} meals"
            for one in weights["trained_on"]
        },
        metrics=flat({key: weights[key] for key in ("level_mg_dl", "impact_scale", "ranges")}),
        files=[options.output / "weights.json"],
        tracking=tracking,
    )
    number = register(options.output, run_id, tracking)
    if weights["version"] != str(number):
        write_model({**weights, "version": str(number)}, options.output)
    print(f"wrote {options.output / 'weights.json'} and pinned it in the registry beside")
    print(f"these weights are version {number}; to serve them: postmeal models promote {number}")
