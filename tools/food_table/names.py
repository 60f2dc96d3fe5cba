"""Read everyday names of foods: one name per row, with its language, source and date.

The first name of a food is in the food's row of ``everyday.csv`` or ``dishes.csv``. All other names
are in ``names.csv``. To add another name, add a row anywhere in ``names.csv``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from postmeal.errors import DataSetError

__all__ = ["DISHES", "EVERYDAY", "NAMES", "SOURCES", "Name", "joined_names", "read_names"]

EVERYDAY = Path(__file__).with_name("everyday.csv")
NAMES = Path(__file__).with_name("names.csv")
DISHES = Path(__file__).parents[2] / "src/postmeal/foods/diets/dishes.csv"
"""Recipes of dishes, which the library needs for their allergens."""

SOURCES = {
    "usage": "written by the authors from general knowledge",
    "brand": "a common name for a product or a company's drink",
    "spelling": "another spelling of a name for the same food",
    "queries": "a query in `tests/relevance/relevance.csv`, written at the same time",
    "Nutrition5k": "the name of an ingredient in the data set Nutrition5k",
    "NutriBench": "used in sentences of NutriBench v2 and elsewhere",
}
"""Sources of names, with their descriptions."""

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-[A-Z]{2})?")


@dataclass(frozen=True, slots=True)
class Name:
    """A name that people use for a food."""

    name: str
    food: str
    language: str
    source: str
    added: date

    @classmethod
    def from_row(cls, row: dict[str, str], food: str) -> Name:
        """Create a name from the columns ``name``, ``language``, ``source`` and ``added``."""
        cells = {column: row.get(column) or "" for column in ("name", "language", "source")}
        name = cells["name"]
        if not name or name != name.strip() or ";" in name:
            raise ValueError(
                "name must be text without semicolons and without leading or trailing spaces, got"
                f" {name!r}"
            )
        if not _LANGUAGE.fullmatch(cells["language"]):
            raise ValueError(f"language must be a BCP 47 tag, got {cells['language']!r}")
        if cells["source"] not in SOURCES:
            raise ValueError(
                f"source must be one of: {', '.join(SOURCES)}; got {cells['source']!r}"
            )
        return cls(name, food, cells["language"], cells["source"], _day(row.get("added") or ""))


def read_names(foods: Iterable[Path], names: Path) -> list[Name]:
    """Read all names of foods."""
    found: dict[str, Name] = {}
    known: set[str] = set()
    for path in (*foods, names):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                food = row["name"] if path != names else row.get("food") or ""
                try:
                    name = Name.from_row(row, food)
                except ValueError as error:
                    raise DataSetError(f"{path.name}: {row['name']}: {error}") from error
                if path != names:
                    known.add(food)
                elif food not in known:
                    raise DataSetError(
                        f"{path.name}: {name.name}: food must be the name of a food or dish in the"
                        f" other files, got {food!r}"
                    )
                if (key := name.name.casefold()) in found:
                    raise DataSetError(
                        f"{path.name}: {name.name}: the name occurs twice; remove one of the rows"
                    )
                found[key] = name
    return list(found.values())


def joined_names(names: Iterable[Name]) -> dict[str, str]:
    """Join the names of each food by ``;``, with the first name in lower case."""
    found: dict[str, list[str]] = {}
    for name in names:
        first = name.name.lower() if name.name == name.food else name.name
        found.setdefault(name.food, []).append(first)
    return {food: ";".join(those) for food, those in found.items()}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"added must be a date such as 2026-11-21, got {text!r}") from None
