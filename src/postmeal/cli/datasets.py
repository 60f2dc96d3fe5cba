"""``postmeal datasets synthesize``: write synthetic data in the formats of the real data sets."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from postmeal.cli.arguments import whole_number


def add_to(commands: Any) -> None:
    """Add ``postmeal datasets`` to the commands."""
    parser = commands.add_parser("datasets", help="write synthetic data sets")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    synthesize = actions.add_parser(
        "synthesize",
        help="write synthetic data in the formats of the real data sets",
        description="Write one folder per data set. The people are synthetic: the accuracy of a"
        " model trained on them does not apply to real people.",
    )
    synthesize.add_argument("folder", type=Path, metavar="FOLDER", help="folder to create")
    synthesize.add_argument(
        "--seed",
        type=whole_number(least=0),
        default=0,
        help="random seed; the same seed always generates the same people (default: 0)",
    )
    synthesize.set_defaults(run=_synthesize)


def _synthesize(options: argparse.Namespace) -> None:
    from postmeal.training.synthetic.data_sets import write_synthetic_sets

    for name, tables in write_synthetic_sets(options.folder, options.seed).items():
        people, entries, readings = map(len, tables)
        print(f"{name}: {people} people, {entries} food log entries, {readings} CGM readings")
    print(f"wrote {options.folder}; to train on it, run postmeal train --data {options.folder}")
