"""Imports into a collection and catalogs compiled from it, for tests of importers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from postmeal.foods.catalog import Catalog
from postmeal.foods.sources.collection.collection import Collection, Put
from postmeal.foods.sources.collection.compile_catalog import compile_catalog
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.import_file import import_foods
from postmeal.foods.table import TableFood


class Taken(NamedTuple):
    """Result of an import: numbers of foods, the report, and its notes as CSV."""

    put: Put
    report: ImportReport
    notes: str


def ids_of(foods: Sequence[TableFood]) -> dict[tuple[str, str], int]:
    return {(food.source, food.key): food.id for food in foods}


def take(path: Path, into: Path, shipped: Sequence[TableFood] = (), **how: Any) -> Taken:
    """Import a file into the collection at the path `into`."""
    notes = io.StringIO()
    report = ImportReport(path.name, notes)
    with Collection(into, ids_of(shipped)) as collection:
        put = import_foods(path, collection, report, **how)
    return Taken(put, report, notes.getvalue())


def compiled(collection: Path, shipped: Sequence[TableFood], output: Path) -> Catalog:
    """Compile a collection and open the catalog."""
    with Collection(collection) as opened:
        compile_catalog(opened, shipped, output)
    return Catalog(output)


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    """Return all rows of foods in a collection."""
    with Collection(path) as collection:
        return collection.database.execute("SELECT * FROM food ORDER BY id").fetchall()


def packed_foods(path: Path) -> dict[tuple[str, str], TableFood]:
    """Return the branded foods in a collection, by source and key."""
    with Collection(path) as collection:
        return {(food.source, food.key): food for food in collection.foods("branded")}
