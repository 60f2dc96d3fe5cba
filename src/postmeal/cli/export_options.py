"""Options of commands that read the export of a CGM app."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from postmeal.errors import InputError

if TYPE_CHECKING:
    from postmeal.glucose.history.exports import Export

EXPORT_OPTION_OF = {
    "day_first": "--day-first or --month-first",
    "zone": "--zone",
    "unit": "--unit",
    "device": "--device",
}
"""Options by the names of the arguments of `read_export`."""


def add_export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that tell how to read an export."""
    parser.add_argument(
        "--zone", metavar="NAME", help="time zone of the wearer, such as Europe/Berlin"
    )
    parser.add_argument(
        "--unit",
        metavar="UNIT",
        help="unit of the readings (mg/dL or mmol/L), if the export file does not state it",
    )
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="device whose readings are used, if the export contains readings of several devices:"
        " its name in the file or a part of it",
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


def read_with_options(
    paths: list[Path], options: argparse.Namespace, errors: str = "report"
) -> Export:
    """Read an export as the options tell."""
    from postmeal.glucose.history.exports import read_export

    try:
        return read_export(
            paths,
            options.zone,
            options.unit,
            day_first=options.day_first,
            device=options.device,
            errors=errors,
        )
    except InputError as error:
        if error.field == "day_first" and options.day_first is False:
            problem = "must be omitted for this export, whose dates start with the day"
            raise InputError("--month-first", problem) from None
        raise _naming_the_file(error, paths) from None


def _naming_the_file(error: InputError, paths: list[Path]) -> InputError:
    """Return the error with the name of the export in place of the word "file"."""
    if error.field == "file" and len(paths) == 1 and paths[0].name not in str(error):
        return InputError(paths[0].name, error.problem)
    if error.field.endswith(": file"):  # one of several files
        return InputError(error.field.removesuffix(": file"), error.problem)
    return error
