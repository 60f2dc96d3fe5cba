"""``postmeal days``: check which days of a CGM export can be used to train a personal model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.errors import InputError
from postmeal.glucose.history.export_formats import FORMATS

if TYPE_CHECKING:
    from postmeal.glucose.history.exports import Export, SkippedRow

__all__ = ["add_to"]

_MAX_LISTED_ROWS = 10
_OPTION_OF = {
    "day_first": "--day-first or --month-first",
    "zone": "--zone",
    "unit": "--unit",
    "country": "--country",
}


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
        help="fail if a row of the meal file cannot be read (default: skip the row)",
    )
    parser.add_argument(
        "--country",
        metavar="CODE",
        help="country where the meals in the --meals file were eaten, as an ISO 3166-1 alpha-2 code"
        " such as LA",
    )
    parser.add_argument(
        "--zone", metavar="NAME", help="time zone of the wearer, such as Europe/Berlin"
    )
    parser.add_argument(
        "--unit",
        metavar="UNIT",
        help="unit of the readings (mg/dL or mmol/L), if the export file does not state it",
    )
    parser.add_argument(
        "--preliminary",
        action="store_true",
        help="accept two valid days, which are enough for a preliminary personal model",
    )
    order = parser.add_mutually_exclusive_group()
    order.add_argument(
        "--day-first",
        action="store_true",
        default=None,
        help="read 03-04-2026 as April 3, the day before the month",
    )
    order.add_argument(
        "--month-first",
        action="store_false",
        dest="day_first",
        help="read 03-04-2026 as March 4, the month before the day",
    )
    parser.set_defaults(run=_run, option_of=_OPTION_OF)


def _run(options: argparse.Namespace) -> int:
    from postmeal.glucose.history.exports import read_export
    from postmeal.glucose.history.meal_file import read_meals
    from postmeal.glucose.history.training_days import (
        MIN_DAYS,
        MIN_PRELIMINARY_DAYS,
        explain_days,
        training_days,
    )

    try:
        export = read_export(
            options.export, options.zone, options.unit, day_first=options.day_first
        )
    except InputError as error:
        if error.field == "day_first" and options.day_first is False:
            problem = "must be omitted for this export, whose dates start with the day"
            raise InputError("--month-first", problem) from None
        raise _naming_the_file(error, options.export) from None
    meals, summary = export.meals, _summary(export, options.export)
    if options.meals is not None:
        meal_file = read_meals(
            options.meals, zone=options.zone, strict=options.strict, country=options.country
        )
        meals = meal_file.meals
        summary += _skipped_rows("meals", meal_file.skipped)
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


def _naming_the_file(error: InputError, paths: list[Path]) -> InputError:
    """Return the error with the name of the export in place of the word "file"."""
    if error.field == "file" and len(paths) == 1 and paths[0].name not in str(error):
        return InputError(paths[0].name, error.problem)
    if error.field.endswith(": file"):  # one of several files
        return InputError(error.field.removesuffix(": file"), error.problem)
    return error


def _summary(export: Export, paths: list[Path]) -> list[str]:
    device = f", {export.device}" if export.device else ""
    lines = [f"{export.format}{device}: {len(export.trace)} readings"]
    # With several files, the reason of each skipped row names its file.
    place = f" in {paths[0].name}" if len(paths) == 1 else ""
    lines += _skipped_rows(f"rows{place}", export.skipped)
    if not export.has_offsets:
        lines.append("the times have no UTC offset; pass --zone to handle changes to or from DST")
    return lines


def _skipped_rows(kind: str, skipped: tuple[SkippedRow, ...]) -> list[str]:
    if not skipped:
        return []
    lines = [f"skipped {kind}: {len(skipped)}"]
    lines += [f"  line {line}: {reason}" for line, reason in skipped[:_MAX_LISTED_ROWS]]
    if len(skipped) > _MAX_LISTED_ROWS:
        lines.append(f"  and {len(skipped) - _MAX_LISTED_ROWS} more")
    return lines
