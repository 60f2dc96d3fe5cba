"""The catalogue's SQLite file: built once from the compact table, then never changed.

The file's name holds the table's sha256 and the version of the schema, so a new table or a new
schema gets a new file. Foods lie in everyday-popularity order; a full-text index over their names
shares that order, which lets a search read the popular matches first.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from postmeal.assets import checkout
from postmeal.foods.nutrients import NUTRIENTS
from postmeal.foods.ranking import name_words, words
from postmeal.foods.table import TableFood, read_table

__all__ = ["SCHEMA_VERSION", "build_catalog_file", "catalog_file"]

SCHEMA_VERSION = 4

_SCHEMA = """
CREATE TABLE food (
    place INTEGER PRIMARY KEY,      -- 1 is the most popular
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    category TEXT NOT NULL,
    name TEXT NOT NULL,
    brand_name TEXT,
    glycemic_index REAL,
    gi_source TEXT NOT NULL,
    servings TEXT NOT NULL,         -- JSON: [[id, quantity, unit, grams], ...], default first
    amounts BLOB NOT NULL,          -- float64 per 100 g in the order of NUTRIENTS, NaN: unknown
    words TEXT NOT NULL,            -- of the name, as `ranking.name_words` gives them
    head INTEGER NOT NULL,          -- how many at the start say what the food is
    also TEXT NOT NULL              -- everyday names as words, joined by ;
);
CREATE TABLE everyday (
    name TEXT PRIMARY KEY,          -- an everyday name as words
    food_id INTEGER NOT NULL
) WITHOUT ROWID;
CREATE VIRTUAL TABLE food_words USING fts5(
    text, content='', columnsize=0, prefix='1 2 3', tokenize="unicode61"
);
"""


def catalog_file(table: Path) -> Path:
    """Find the SQLite file of a table of foods, and build it if it is not there.

    Safe when several processes ask at once: each writes a file of its own and renames it.

    Parameters
    ----------
    table : Path
        The ``.csv.xz`` table.

    Returns
    -------
    Path
        The SQLite file: in the ``var/`` of a checkout, else in the user's cache folder, else in
        the folder for temporary files.

    Raises
    ------
    DataSetError
        The table is missing or damaged.
    OSError
        No folder can be written.
    """
    digest = hashlib.sha256(table.read_bytes()).hexdigest() if table.is_file() else "none"
    name = f"foods-{digest[:16]}-{SCHEMA_VERSION}.sqlite3"
    folders = list(_folders())
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    foods = read_table(table)
    problem: OSError | None = None
    for folder in folders:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _build_atomically(foods, folder / name)
        except OSError as error:
            problem = error
    raise problem or OSError("no folder for the catalogue file")


def build_catalog_file(foods: list[TableFood], path: Path) -> None:
    """Write foods, the most popular first, to a new SQLite file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + _SCHEMA)
        database.execute("BEGIN")
        rows = (_row(place, food) for place, food in enumerate(foods, 1))
        database.executemany(f"INSERT INTO food VALUES ({', '.join('?' * 13)})", rows)
        database.executemany(
            "INSERT INTO food_words (rowid, text) VALUES (?, ?)",
            ((place, _searchable(food)) for place, food in enumerate(foods, 1)),
        )
        database.executemany(
            "INSERT OR IGNORE INTO everyday VALUES (?, ?)",
            ((name, food.id) for food in foods for name in _everyday_names(food) if name),
        )
        database.execute("CREATE UNIQUE INDEX food_id ON food (id)")
        database.execute("COMMIT")
        database.execute("INSERT INTO food_words (food_words) VALUES ('optimize')")


def _build_atomically(foods: list[TableFood], path: Path) -> Path:
    handle, name = tempfile.mkstemp(prefix=path.stem, suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        build_catalog_file(foods, Path(name))
        with open(name, "rb") as file:
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def _folders() -> Iterator[Path]:
    """List where the file may lie, the preferred folder first."""
    if root := checkout():
        yield root / "var"
    else:
        try:
            home = Path.home()
            default = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
            yield Path(os.environ.get("XDG_CACHE_HOME") or default) / "postmeal"
        except RuntimeError:
            pass  # no home folder
    user = os.getuid() if hasattr(os, "getuid") else 0
    temporary = Path(tempfile.gettempdir()) / f"postmeal-{user}"
    if not temporary.exists() or temporary.stat().st_uid == user:  # never another user's file
        yield temporary


def _row(place: int, food: TableFood) -> tuple[object, ...]:
    servings = [[p.id, p.quantity, p.unit, p.weight_g] for p in food.portions]
    name, head = name_words(food.name)
    amounts = np.array([food.per_100_g.get(key, np.nan) for key in NUTRIENTS])
    return (
        place,
        food.id,
        food.kind,
        food.category,
        food.name,
        food.brand_name or None,
        food.glycemic_index,
        food.gi_source,
        json.dumps(servings, ensure_ascii=False, separators=(",", ":")),
        amounts.tobytes(),
        " ".join(name),
        head,
        ";".join(_everyday_names(food)),
    )


def _everyday_names(food: TableFood) -> list[str]:
    return [" ".join(words(name)) for name in food.also_called.split(";")]


def _searchable(food: TableFood) -> str:
    text = f"{food.name} {food.brand_name} {food.also_called}"
    if food.brand_name:
        text += f" {food.category}"  # "raisin bran cereal" is a breakfast cereal
    return " ".join(dict.fromkeys(words(text)))
