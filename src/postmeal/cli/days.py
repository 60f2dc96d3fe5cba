"""``postmeal days``: which days of a CGM export a personal model may learn from, and why."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.errors import InputError

if TYPE_CHECKING:
    from postmeal.glucose.history.exports import Export, SkippedRow

__all__ = ["add_to"]

_MOST_SHOWN = 10


def add_to(commands: Any) -> None:
    """Add the command's options."""
    parser = commands.add_parser(
        "days",
        help="judge the days of a CGM export for a personal model",
        description="Prints a line a day. Exit status 0 with five valid days, 1 with fewer.",
    )
    parser.add_argument(
        "export",
        type=Path,
        nargs="+",
        help="export of a CGM app (another file is refused with the list of apps); several of one "
        "app, such as Nightscout's entries and treatments, are read as one",
    )
    parser.add_argument(
        "--meals",
        type=Path,
        metavar="FILE",
        help='CSV with time,meal ("1 cup oatmeal, 1 banana") or time,carbs_g,fiber_g,protein_g,'
        "fat_g; the export's own logged carbohydrate if omitted",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse a file of meals with a row that is not understood; skip the row if omitted",
    )
    parser.add_argument("--zone", metavar="NAME", help="the wearer's zone, such as Europe/Berlin")
    parser.add_argument("--unit", metavar="UNIT", help="mg/dL or mmol/L, where the file is silent")
    order = parser.add_mutually_exclusive_group()
    order.add_argument(
        "--day-first", action="store_true", default=None, help="03-04-2026 is the third of April"
    )
    order.add_argument(
        "--month-first", action="store_false", dest="day_first", help="it is the fourth of March"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from postmeal.glucose.history.exports import read_export
    from postmeal.glucose.history.meal_file import read_meals
    from postmeal.glucose.history.training_days import LEAST_DAYS, explain_days, training_days

    export = read_export(options.export, options.zone, options.unit, day_first=options.day_first)
    eaten, about = export.eaten, _about(export)
    if options.meals is not None:
        meals = read_meals(options.meals, zone=options.zone, strict=options.strict)
        eaten = meals.eaten
        about += _about_skipped("meals", meals.skipped)
        if meals.has_offsets != export.has_offsets and len(export.trace):
            bare = "meals" if export.has_offsets else "export"
            raise InputError("zone", f"must be given: the times of the {bare} have no offset")
    days = training_days(export.trace, eaten)
    print("\n".join(about))
    print(explain_days(days))
    return 0 if sum(day.is_valid for day in days) >= LEAST_DAYS else 1


def _about(export: Export) -> list[str]:
    device = f", {export.device}" if export.device else ""
    lines = [f"{export.format}{device}: {len(export.trace)} readings"]
    lines += _about_skipped("rows", export.skipped)
    if not export.has_offsets:
        lines.append("times as the clock showed them; --zone makes changes of the clocks exact")
    return lines


def _about_skipped(what: str, skipped: tuple[SkippedRow, ...]) -> list[str]:
    if not skipped:
        return []
    lines = [f"{what} that cannot be read: {len(skipped)}"]
    lines += [f"  line {line}: {reason}" for line, reason in skipped[:_MOST_SHOWN]]
    if len(skipped) > _MOST_SHOWN:
        lines.append(f"  and {len(skipped) - _MOST_SHOWN} more")
    return lines
