"""Arguments that several commands have in common: numbers, the catalog, and reports of imports."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from postmeal.errors import DataSetError

if TYPE_CHECKING:
    from postmeal.foods.catalog import Catalog


def whole_number(*, least: int, hint: str = "") -> Callable[[str], int]:
    """Return a type for `argparse` that accepts whole numbers from `least`."""

    def parsed(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or value < least:
            advice = f"; {hint}" if hint else ""
            raise argparse.ArgumentTypeError(
                f"must be a whole number of {least} or more, got {text!r}{advice}"
            )
        return value

    return parsed


def number(text: str) -> float:
    """Parse a number, as a type for `argparse`."""
    try:
        return float(text)
    except ValueError:
        message = f"must be a number, got {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def add_catalog(parser: Any) -> None:
    """Add the options of commands that look up foods and can print JSON."""
    parser.add_argument(
        "--catalog", type=Path, help="catalog file (default: the one shipped with postmeal)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def open_catalog(options: argparse.Namespace) -> Catalog:
    """Open the catalog that `add_catalog` lets the user choose."""
    from postmeal.foods.catalog import Catalog

    return Catalog(options.catalog) if options.catalog else Catalog.open()


@contextmanager
def report_file(report: Path | None, others: Iterable[Path]) -> Iterator[TextIO | None]:
    """Open the file for skipped rows, if it is given and overwrites none of the other files."""
    if report is None:
        yield None
        return
    for other in others:
        inside = other.is_dir() and other.resolve() in report.resolve().parents
        if inside or report.resolve() == other.resolve():
            raise DataSetError(
                f"--report {report} would overwrite {other}; choose another file for the report"
            )
    with report.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        yield file
