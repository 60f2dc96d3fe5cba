"""Whether queries of the open half were added to the tables because a search for them failed.

Names that were added before the queries were written serve as the control: they share words with
the queries only because both are names of everyday foods.
"""

import csv
from pathlib import Path

from postmeal.foods.words import words
from tools.food_table.names import DISHES, EVERYDAY, NAMES

BLIND = Path(__file__).with_name("blind_foods")
WRITTEN = "2026-11-23"
"""When the queries were written."""


def normalized(text: str) -> str:
    return " ".join(words(text))


def names() -> dict[str, str]:
    """Return each name in the tables with the day on which it was added."""
    added: dict[str, str] = {}
    for table in (NAMES, DISHES, EVERYDAY):
        text = table.read_text(encoding="utf-8")
        for row in csv.DictReader(text.splitlines()):
            name = normalized(row["name"])
            added[name] = min(row["added"], added.get(name, row["added"]))
    return added


def open_phrases() -> set[str]:
    phrases = set()
    for file in ("queries_read.csv", "prefixes_read.csv", "modern_read.csv"):
        with (BLIND / file).open(encoding="utf-8", newline="") as lines:
            phrases |= {normalized(row["query"]) for row in csv.DictReader(lines, delimiter=";")}
    return phrases - {""}


def share(phrases: set[str], table: set[str]) -> float:
    return len(phrases & table) / len(table)


def test_names_added_later_are_as_rarely_queries_as_names_added_before():
    added = names()
    before = {name for name, day in added.items() if day < WRITTEN}
    later = {name for name, day in added.items() if day >= WRITTEN}
    assert len(later) > 400
    assert share(open_phrases(), later) <= share(open_phrases(), before)


def test_a_table_of_failed_queries_would_be_found_out():
    added = names()
    before = {name for name, day in added.items() if day < WRITTEN}
    later = {name for name, day in added.items() if day >= WRITTEN}
    fitted = later | set(sorted(open_phrases() - before)[:20])
    assert share(open_phrases(), fitted) > share(open_phrases(), before)
