"""Build the immutable SQLite file of a catalog.

Foods are grouped by kind and sorted by popularity within each kind. Each kind is therefore a range
of places (row numbers), and the first matches of a full-text search are the most popular ones. The
file contains its schema version and a digest of its foods. The same foods always produce the same
bytes.
"""

from __future__ import annotations

import hashlib
import marshal
import math
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, get_args

from postmeal.assets import cache_folders
from postmeal.errors import InputError
from postmeal.foods.catalog.completions import (
    COMPLETION_SCHEMA,
    beginnings,
    build_short_completions,
)
from postmeal.foods.catalog.ranking import ABUNDANCE
from postmeal.foods.catalog.row import FOOD_COLUMNS, FoodRow, food_row
from postmeal.foods.catalog.vocabulary import VOCABULARY_SCHEMA, build_vocabulary
from postmeal.foods.diets.food_diets import diets_of
from postmeal.foods.diets.verdicts import Diets
from postmeal.foods.food import CatalogKind
from postmeal.foods.table import TableFood, read_table
from postmeal.foods.words import name_words, words

SCHEMA_VERSION = 9
APPLICATION_ID = 0x706D666F  # "pmfo", the application ID in the SQLite header
KINDS: tuple[CatalogKind, ...] = ("generic", "dish", "recipe", "branded")
"""The kinds of food, in the order in which they are stored in the file."""

assert set(KINDS) == set(get_args(CatalogKind))

_FORMAT_FILES = (
    "words.py",
    "catalog/file.py",
    "catalog/row.py",
    "catalog/packed_amounts.py",
    "catalog/completions.py",
    "catalog/ranking.py",
    "catalog/vocabulary.py",
    "diets/*.*",
)
SUGGESTED: tuple[CatalogKind, ...] = ("generic", "dish")
"""The kinds of food whose names typeahead completes first."""

_BATCH = 2_000
_CATEGORY = FOOD_COLUMNS.index("category")
_FULL_TEXT = {
    "hashsize": 64 << 20,  # bytes buffered before writing
    "pgsz": 485,  # bytes per leaf; 8 leaves fill a page, so two-word searches are 4 times faster
}

_SCHEMA = f"""
CREATE TABLE food (
    place INTEGER PRIMARY KEY,      -- from 1: kind by kind, the most popular of each first
    {", ".join(FOOD_COLUMNS)}
);
CREATE TABLE category (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);
CREATE TABLE everyday (
    name TEXT PRIMARY KEY,          -- an everyday name as words
    place INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE catalogue (
    version TEXT NOT NULL,
    {", ".join(f"{kind} INTEGER NOT NULL" for kind in KINDS)}
);
CREATE VIRTUAL TABLE food_words USING fts5(
    text, content='', detail=none, columnsize=0, prefix='1 2 3', tokenize='ascii'
);
{VOCABULARY_SCHEMA}
{COMPLETION_SCHEMA}
"""


class IndexedFood(NamedTuple):
    """A food prepared for the file, with its sort key and searchable words."""

    kind: CatalogKind
    popularity: float
    category: str
    searchable: str
    """All words by which the food can be found."""
    row: FoodRow
    """The row; its `category` number is assigned when it is written."""


def catalog_file(table: Path) -> Path:
    """Return the SQLite file of a table of foods, building it if it is missing.

    The file name contains a digest of the table and of the code that determines the format.
    Several processes can call this function at the same time, because each of them writes its own
    temporary file and renames it at the end.
    """
    digest = hashlib.sha256(table.read_bytes() if table.is_file() else b"")
    for rules in sorted(
        file for glob in _FORMAT_FILES for file in Path(__file__).parents[1].glob(glob)
    ):
        digest.update(rules.read_bytes())
    name = f"foods-{digest.hexdigest()[:16]}-{SCHEMA_VERSION}.sqlite3"
    folders = list(cache_folders())
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    foods = by_kind(read_table(table))
    problem: OSError | None = None
    for folder in folders:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _build_atomically(foods, folder / name)
        except OSError as error:
            problem = error
    raise problem or OSError(
        "the catalog file cannot be stored because no cache or temporary folder is writable"
    )


def by_kind(foods: Iterable[TableFood]) -> list[TableFood]:
    """Sort foods by kind as `build_catalog_file` requires, keeping the order within a kind."""
    return sorted(foods, key=lambda food: KINDS.index(food.kind))


def build_catalog_file(foods: Iterable[TableFood], path: Path) -> None:
    """Write foods to a new SQLite file.

    The foods are streamed, so that they are never all in memory at the same time.
    """
    write_catalog_file(map(indexed, foods), path)


def indexed(food: TableFood, diets: Diets | None = None) -> IndexedFood:
    """Prepare a food for a catalog file; several foods can be prepared in parallel."""
    also = [" ".join(words(name)) for name in food.also_called.split(";") if name]
    name = name_words(food.name)
    row = food_row(food, name, also, 0, diets or diets_of(food))
    return IndexedFood(food.kind, food.popularity, food.category, _searchable(food, name[0]), row)


def write_catalog_file(foods: Iterable[IndexedFood], path: Path) -> None:
    """Write foods prepared by `indexed`, in the order that `build_catalog_file` requires."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
            f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
            f"PRAGMA threads=2; {_SCHEMA}"
        )
        set_option = "INSERT INTO food_words (food_words, rank) VALUES (?, ?)"
        database.executemany(set_option, _FULL_TEXT.items())
        database.execute("BEGIN")
        _write_foods(database, iter(foods))
        database.execute("INSERT INTO food_words (food_words) VALUES ('optimize')")
        build_vocabulary(database)
        build_short_completions(database)
        database.execute("CREATE UNIQUE INDEX food_id ON food (id)")
        database.execute("CREATE INDEX food_barcode ON food (barcode) WHERE barcode IS NOT NULL")
        database.execute("COMMIT")


def _write_foods(database: sqlite3.Connection, foods: Iterator[IndexedFood]) -> None:
    digest = hashlib.blake2b(digest_size=8)
    counts = dict.fromkeys(KINDS, 0)
    categories: dict[str, int] = {}
    everyday: dict[str, int] = {}
    insert = f"INSERT INTO food VALUES ({', '.join('?' * (1 + len(FOOD_COLUMNS)))})"
    place = 0
    last: tuple[int, float] = (0, -math.inf)
    while batch := list(islice(foods, _BATCH)):
        rows, texts, completions = [], [], []
        for kind, popularity, category, searchable, row in batch:
            place += 1
            rank = KINDS.index(kind)
            before = last[1] if rank == last[0] else -math.inf
            order = (rank, -popularity if popularity else before)
            if order < last:
                raise InputError(
                    f"foods[{place - 1}]",
                    "must not follow a less popular food or a food of a later kind; order of the"
                    " kinds",
                    row.name,
                    allowed=KINDS,
                )
            last = order
            counts[kind] += 1
            number = categories.setdefault(category, len(categories))
            numbered = (*row[:_CATEGORY], number, *row[_CATEGORY + 1 :])
            rows.append((place, *numbered))
            texts.append((place, searchable))
            if kind in SUGGESTED:
                standing = counts[kind] * ABUNDANCE[kind]
                found = beginnings(row, standing).items()
                completions += [(text, place, cost) for text, cost in found]
            digest.update(marshal.dumps((kind, searchable, *numbered), 2))
            if row.also:
                for name in row.also.split(";"):
                    everyday.setdefault(name, place)
        database.executemany(insert, rows)
        database.executemany("INSERT INTO completion VALUES (?, ?, ?)", completions)
        database.executemany("INSERT INTO food_words (rowid, text) VALUES (?, ?)", texts)
    digest.update(marshal.dumps(list(categories), 2))
    version = f"{SCHEMA_VERSION}-{digest.hexdigest()}"
    pairs = ((number, category) for category, number in categories.items())
    database.executemany("INSERT INTO category VALUES (?, ?)", pairs)
    database.executemany("INSERT INTO everyday VALUES (?, ?)", sorted(everyday.items()))
    header = (version, *counts.values())
    database.execute(f"INSERT INTO catalogue VALUES ({', '.join('?' * len(header))})", header)


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


def _searchable(food: TableFood, name: list[str]) -> str:
    found_by = dict.fromkeys(name)
    if food.display_name:
        found_by.update(dict.fromkeys(words(food.display_name)))
    if food.also_called:
        found_by.update(dict.fromkeys(words(food.also_called)))
    if food.brand_name:
        found_by.update(_cached_words(food.brand_name))
        found_by.update(_cached_words(food.category))  # "raisin bran" is a breakfast cereal
    return " ".join(found_by)


@lru_cache(10_000)
def _cached_words(text: str) -> dict[str, None]:
    return dict.fromkeys(words(text))
