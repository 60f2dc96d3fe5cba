"""``postmeal datasets synthesize``: made-up data sets in the official formats."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command's options."""
    parser = commands.add_parser("datasets", help="write made-up data sets")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    synthesize = actions.add_parser(
        "synthesize",
        help="write made-up data sets in the official formats",
        description="Writes one folder a data set. Its people are made up: figures of a model that"
        " is trained on them say nothing about real people.",
    )
    synthesize.add_argument("folder", type=Path, metavar="FOLDER", help="folder to create")
    synthesize.add_argument(
        "--seed", type=int, default=0, help="the same seed writes the same people; default 0"
    )
    synthesize.set_defaults(run=_synthesize)


def _synthesize(options: argparse.Namespace) -> None:
    from postmeal.training.synthetic.data_sets import write_synthetic_sets

    for name, made_up in write_synthetic_sets(options.folder, options.seed).items():
        people, entries, readings = map(len, made_up)
        print(f"{name}: {people} people, {entries} log entries, {readings} readings")
    print(f"wrote {options.folder}; to train on it: postmeal train --data {options.folder}")
