"""``postmeal days``: check which days of a CGM export can be used to train a personal model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.cli.export_options import EXPORT_OPTION_OF, add_export_options, read_with_options
from postmeal.errors import InputError
from postmeal.glucose.history.export_formats import FORMATS

if TYPE_CHECKING:
    from postmeal.glucose.history.exports import Export, SkippedRow

_MAX_LISTED_ROWS = 10
_OPTION_OF = {**EXPORT_OPTION_OF, "country": "--country"}


def add_to(commands: Any) -> None:
    """Add ``postmeal days`` to the commands."""
    parser = commands.add_parser(
        "days",
        help="check which days of a CGM export can be used to train a personal model",
        description="Print one line per day. The exit status is 0 if at least five days are valid"
        " (two with --preliminary), 1 if there are fewer, and 2 if a file cannot be read.",
    )
    parser.add_argument(
        "export",
        type=Path,
        nargs="+",
        help=f"export file of a CGM app ({', '.join(FORMATS)}); several files from the same app,"
        " such as Nightscout's entries and treatments, are merged",
    )
    parser.add_argument(
        "--meals",
        type=Path,
        metavar="FILE",
        help="CSV file with the columns time,meal or time,carbs_g,fiber_g,protein_g,fat_g; meal is"
        ' text such as "1 cup oatmeal, 1 banana" (default: the food logged in the export)',
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail if a row of a file cannot be read or is not certain (default: skip the row)",
    )
    parser.add_argument(
        "--country",
        metavar="CODE",
        help="country where the meals in the --meals file were eaten, as an ISO 3166-1 alpha-2 code"
        " such as LA",
    )
    parser.add_argument(
        "--preliminary",
        action="store_true",
        help="accept two valid days, which are enough for a preliminary personal model",
    )
    add_export_options(parser)
    parser.set_defaults(run=_run, option_of=_OPTION_OF)


def _run(options: argparse.Namespace) -> int:
    from postmeal.glucose.history.meal_file import read_meals
    from postmeal.glucose.history.training_days import (
        MIN_DAYS,
        MIN_PRELIMINARY_DAYS,
        explain_days,
        training_days,
    )

    errors = "raise" if options.strict else "report"
    export = read_with_options(options.export, options, errors)
    meals, summary = export.meals, _summary(export, options.export)
    if options.meals is not None:
        meal_file = read_meals(
            options.meals, zone=options.zone, errors=errors, country=options.country
        )
        meals = meal_file.meals
        summary += _listed_rows("skipped meals", meal_file.skipped)
        summary += _listed_rows("meals with assumed amounts", meal_file.assumed)
        if meal_file.has_offsets != export.has_offsets and len(export.trace):
            source = "meals" if export.has_offsets else "export"
            raise InputError(
                "zone",
                f"is required because the times in the {source} have no UTC offset; pass a time"
                " zone such as Europe/Berlin",
            )
    days = training_days(export.trace, meals)
    print("\n".join(summary))
    needed = MIN_PRELIMINARY_DAYS if options.preliminary else MIN_DAYS
    print(explain_days(days, needed))
    n_valid = sum(day.is_valid for day in days)
    if options.preliminary and needed <= n_valid < MIN_DAYS:
        print(f"enough for a preliminary model; a full model needs {MIN_DAYS} valid days")
    return 0 if n_valid >= needed else 1


def _summary(export: Export, paths: list[Path]) -> list[str]:
    device = f", {export.device}" if export.device else ""
    lines = [f"{export.format}{device}: {len(export.trace)} readings"]
    # With several files, the reason of each skipped row names its file.
    place = f" in {paths[0].name}" if len(paths) == 1 else ""
    lines += _listed_rows(f"skipped rows{place}", export.skipped)
    if not export.has_offsets:
        lines.append("the times have no UTC offset; pass --zone to handle changes to or from DST")
    return lines


def _listed_rows(kind: str, rows: tuple[SkippedRow, ...]) -> list[str]:
    if not rows:
        return []
    lines = [f"{kind}: {len(rows)}"]
    lines += [f"  line {line}: {reason}" for line, reason in rows[:_MAX_LISTED_ROWS]]
    if len(rows) > _MAX_LISTED_ROWS:
        lines.append(f"  and {len(rows) - _MAX_LISTED_ROWS} more")
    return lines
