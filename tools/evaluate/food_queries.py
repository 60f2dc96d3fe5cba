"""Evaluate food search and typeahead on queries with known answers.

The queries are in a semicolon-separated file with the columns ``query`` (the text that a person
typed) and ``right`` (a regular expression that matches the names or descriptions of correct foods,
or ``NONE`` if the catalog has no correct food).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.suggestion import Suggestion
from postmeal.foods.food import Food
from tools.evaluate.truth_file import FoodTexts, read_rows

__all__ = [
    "COLUMNS",
    "NO_FOOD",
    "FoodQuery",
    "QueryFinding",
    "query_figures",
    "read_food_queries",
    "search_queries",
    "suggest_queries",
    "write_query_findings",
]

COLUMNS = ("query", "right")
"""Columns of a file of queries, in order."""

NO_FOOD = "NONE"
"""Value in the column ``right`` for queries without a correct food."""

_LISTED = 5


@dataclass(frozen=True, slots=True)
class FoodQuery:
    """A query, and a pattern for the correct foods."""

    text: str
    right: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class QueryFinding:
    """The foods listed for a query."""

    query: FoodQuery
    foods: tuple[FoodTexts, ...]

    @property
    def position(self) -> int | None:
        """Position of the first correct food, counted from 0; None if no correct food is listed.

        If no food is correct, an empty list has position 0.
        """
        right = self.query.right
        if right is None:
            return None if self.foods else 0
        return next((at for at, food in enumerate(self.foods) if food.matches(right)), None)


def read_food_queries(path: Path) -> list[FoodQuery]:
    """Read a file of queries."""
    queries = []
    for number, line in enumerate(read_rows(path, COLUMNS), 2):
        try:
            text, right = line
            pattern = None if right == NO_FOOD else re.compile(right, re.IGNORECASE)
        except (ValueError, re.error) as error:
            raise DataSetError(f"{path.name}: line {number} is invalid: {error}") from error
        queries.append(FoodQuery(text, pattern))
    return queries


def search_queries(queries: Sequence[FoodQuery], catalog: Catalog) -> list[QueryFinding]:
    """Search for each query, and return one finding per query in the same order."""
    return _find(queries, lambda text: catalog.search(text, limit=_LISTED))


def suggest_queries(queries: Sequence[FoodQuery], catalog: Catalog) -> list[QueryFinding]:
    """Get the typeahead suggestions for each query; return one finding per query in order."""
    return _find(queries, lambda text: catalog.suggest(text, limit=_LISTED))


def query_figures(findings: Sequence[QueryFinding]) -> list[tuple[str, float, int]]:
    """Compute the figures for a file of queries."""
    known = [each.position for each in findings if each.query.right is not None]
    unknown = [each for each in findings if each.query.right is None]
    figures = [
        (name, sum(at is not None and at < n for at in known) / len(known), len(known))
        for name, n in (("first", 1), ("first_three", 3), ("first_five", 5))
        if known
    ]
    answered = sum(each.position is None for each in unknown)
    other = sum(bool(each.foods) and each.position != 0 for each in findings)
    return [
        *figures,
        ("answered_without_a_food", float(answered), len(unknown)),
        ("answered_with_another_food", float(other), len(findings)),
    ]


def write_query_findings(findings: Sequence[QueryFinding], path: Path) -> None:
    """Write a CSV file with the pattern, the position and the foods listed for each query."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("query", "right", "position", "foods"))
        for each in findings:
            right = NO_FOOD if each.query.right is None else each.query.right.pattern
            at = "" if each.position is None else each.position + 1
            writer.writerow(
                (each.query.text, right, at, " | ".join(food.name for food in each.foods))
            )


def _find(
    queries: Sequence[FoodQuery], find: Callable[[str], Sequence[Food | Suggestion]]
) -> list[QueryFinding]:
    return [QueryFinding(query, tuple(map(FoodTexts.of, find(query.text)))) for query in queries]
