"""Files that contain test cases and their correct answers, and how a food is compared with them.

The files are separated by semicolons. They describe the correct foods with regular expressions. A
food is correct if the expression matches the displayed name or the publisher's description.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from postmeal.errors import DataSetError
from postmeal.foods.catalog.suggestion import Suggestion
from postmeal.foods.food import Food

__all__ = ["FoodTexts", "read_rows"]


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


class FoodTexts(NamedTuple):
    """The name and the description of a food, each with its brand in brackets."""

    name: str
    description: str

    @classmethod
    def of(cls, food: Food | Suggestion) -> FoodTexts:
        """Return the texts of a food or suggestion from a catalog."""
        brand = f" [{food.brand_name}]" if food.brand_name else ""
        return cls(food.name + brand, food.description + brand)

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a regular expression matches part of the name or of the description."""
        return any(pattern.search(text) for text in self)
