"""The starter set: statements in our own words, each with the article that it summarizes."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.literature.article import TYPES, Article, Citation, Section

STARTER_COLUMNS = (
    "statement",
    "topic",
    "title",
    "authors",
    "journal",
    "publisher",
    "year",
    "published_date",
    "doi",
    "pmid",
    "pmcid",
    "url",
    "type",
    "where_read",
)
"""Columns of the table. Columns are separated by semicolons, and authors by ``|``."""


def read_starter_set(path: Path) -> list[Article]:
    """Read the statements of the starter set as articles that are marked as summaries."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter=";", strict=True)
            if tuple(rows.fieldnames or ()) != STARTER_COLUMNS:
                expected = ";".join(STARTER_COLUMNS)
                got = ";".join(rows.fieldnames or ())
                raise DataSetError(f"{path}: the columns must be {expected}; got {got}")
            counts: Counter[str] = Counter()
            return [_article(row, f"{path}, line {rows.line_num}", counts) for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataSetError(f"{path} cannot be read: {error}") from error


def _article(row: dict[str, str | None], place: str, counts: Counter[str]) -> Article:
    values = {name: (row.get(name) or "").strip() for name in STARTER_COLUMNS}
    for name in ("statement", "title", "where_read"):
        if not values[name]:
            raise DataSetError(f"{place}: {name} must not be empty")
    if not values["doi"] and not values["pmid"] and not values["url"]:
        raise DataSetError(f"{place}: at least one of doi, pmid and url is required")
    kind = next((each for each in TYPES if each == values["type"]), None)
    if kind is None:
        raise DataSetError(f"{place}: type must be {' or '.join(TYPES)}, got {values['type']!r}")
    try:
        year = int(values["year"]) if values["year"] else None
        day = date.fromisoformat(values["published_date"]) if values["published_date"] else None
    except ValueError as error:
        raise DataSetError(f"{place}: year or published_date is not valid: {error}") from error
    source = values["doi"] or values["pmid"] or values["url"]
    counts[source] += 1
    citation = Citation(
        title=values["title"],
        authors=tuple(name.strip() for name in values["authors"].split("|") if name.strip()),
        journal=values["journal"] or None,
        publisher=values["publisher"] or None,
        year=year,
        published_date=day,
        doi=values["doi"] or None,
        pmid=values["pmid"] or None,
        pmcid=values["pmcid"] or None,
        url=values["url"] or None,
        type=kind,
    )
    statement = (Section(None, " ".join(values["statement"].split())),)
    return Article(f"summary:{source}#{counts[source]}", citation, statement, is_summary=True)
