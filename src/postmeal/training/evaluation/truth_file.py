"""Read semicolon-separated files that contain test cases and their correct answers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from postmeal.errors import DataSetError

__all__ = ["read_rows"]


def read_rows(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Read the rows below the header of a semicolon-separated UTF-8 file."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.reader(file, delimiter=";"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise DataSetError(f"{path} cannot be read: {reason}") from error
    if not lines or tuple(lines[0]) != tuple(columns):
        header = ";".join(lines[0]) if lines else "an empty file"
        raise DataSetError(
            f"{path.name} must have the columns {';'.join(columns)} in this order; got {header}"
        )
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(columns):
            raise DataSetError(
                f"{path.name}: line {number} must have {len(columns)} values, got {len(line)}"
            )
    return lines[1:]
