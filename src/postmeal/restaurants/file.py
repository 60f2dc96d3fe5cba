"""The places file: a SQLite database followed by arrays. It never changes after it is written.

The database contains the texts of the places, the imported menu items and the vocabulary. The
arrays follow the last page of the database. Processes map the arrays into memory and share this
memory. SQLite ignores the arrays, because it reads only the number of pages in the header
(https://www.sqlite.org/fileformat2.html, section 1.3.8).
"""

from __future__ import annotations

import mmap
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import CatalogError
from postmeal.foods.catalog.connections import Connections
from postmeal.foods.catalog.vocabulary import VOCABULARY_SCHEMA

SCHEMA_VERSION = 1
APPLICATION_ID = 0x706D706C  # "pmpl", the application ID in the SQLite header

PLACES_SCHEMA = f"""
CREATE TABLE place (
    number INTEGER PRIMARY KEY,     -- from 0: by row of latitude, then by longitude, then by ID
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    brand TEXT, city TEXT, address1 TEXT, address2 TEXT,
    cuisines TEXT NOT NULL, diets TEXT NOT NULL, source TEXT NOT NULL
);
CREATE TABLE chain (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE dish (
    number INTEGER PRIMARY KEY,     -- from 0: by menu, then by name, then by ID
    id INTEGER NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,       -- restaurant or place, and item
    menu INTEGER NOT NULL,
    food TEXT NOT NULL              -- JSON
);
CREATE TABLE posting (
    kind TEXT, word TEXT,           -- a word of a name, of a dish or of a dish's restaurant
    first INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (kind, word)
) WITHOUT ROWID;
CREATE TABLE array (
    name TEXT PRIMARY KEY, type TEXT NOT NULL,
    start INTEGER NOT NULL, count INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE file (
    version TEXT NOT NULL, tail_bytes INTEGER NOT NULL, words INTEGER NOT NULL
);
{VOCABULARY_SCHEMA}
"""

_VERSION_BYTES = 64
_ALIGNED = 64
_ATTEMPTS = 20
_HEADER = "PRAGMA application_id", "PRAGMA user_version", "PRAGMA page_size", "PRAGMA page_count"
_FOREVER_S = float("inf")


class PlacesFile(NamedTuple):
    """An open places file."""

    version: str
    words: int
    connections: Connections
    arrays: dict[str, NDArray[Any]]


def append_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], version: str, words: int) -> None:
    """Append arrays to a finished database, after its last page."""
    start = _VERSION_BYTES
    rows = []
    for name, array in arrays.items():
        rows.append((name, array.dtype.str, start, len(array)))
        start = _aligned(start + array.nbytes)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=OFF")
        database.executemany("INSERT INTO array VALUES (?, ?, ?, ?)", rows)
        database.execute("INSERT INTO file VALUES (?, ?, ?)", (version, start, words))
    with path.open("ab") as file:
        end = file.tell()
        file.write(version.encode().ljust(_VERSION_BYTES, b"\0"))
        for (_, _, offset, _), array in zip(rows, arrays.values(), strict=True):
            file.write(b"\0" * (end + offset - file.tell()))
            file.write(np.ascontiguousarray(array).data)
        file.write(b"\0" * (end + start - file.tell()))
        file.flush()
        os.fsync(file.fileno())


def open_places_file(path: Path) -> PlacesFile:
    """Open a places file."""
    for _ in range(_ATTEMPTS):
        before = _identity(path)
        try:
            opened = _open(path)
        except CatalogError:
            if _identity(path) == before:
                raise
            continue
        if opened is not None:
            return opened
    raise CatalogError(
        "unreachable",
        f"{path.name} was replaced several times while it was being opened; try again",
    )


def _open(path: Path) -> PlacesFile | None:
    """Open the database and the arrays; return None if the file was replaced in the meantime."""
    connections = Connections(path, "places file", "postmeal places import")
    try:
        with connections.reading(_FOREVER_S) as read:
            *header, page_bytes, pages = (read(pragma, ())[0][0] for pragma in _HEADER)
            if header != [APPLICATION_ID, SCHEMA_VERSION]:
                raise CatalogError(
                    "damaged",
                    f"{path.name} is not a places file with schema version {SCHEMA_VERSION}; import"
                    " the places again",
                )
            version, tail_bytes, words = read("SELECT * FROM file", ())[0]
            rows = read("SELECT * FROM array", ())
        mapped = _mapped(path, page_bytes * pages, tail_bytes)
        if mapped[:_VERSION_BYTES].tobytes().rstrip(b"\0") != version.encode():
            connections.close()
            return None
        arrays = {
            name: mapped[start : start + count * np.dtype(kind).itemsize].view(kind)
            for name, kind, start, count in rows
        }
    except (IndexError, ValueError, TypeError, AttributeError) as error:
        connections.close()
        raise CatalogError(
            "damaged", f"{path.name} is damaged: {error}; import or copy it again"
        ) from error
    except BaseException:
        connections.close()
        raise
    return PlacesFile(version, words, connections, arrays)


def _mapped(path: Path, start: int, size: int) -> NDArray[np.uint8]:
    """Map the arrays that follow the database into memory, as bytes."""
    try:
        with path.open("rb") as file:
            length = os.fstat(file.fileno()).st_size
            if length != start + size:
                raise CatalogError(
                    "damaged",
                    f"{path.name} has {length:,} bytes instead of {start + size:,}; import or copy"
                    " it again",
                )
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise CatalogError(
            "unreachable", f"{path.name} cannot be read: {error}; check the path"
        ) from error
    return np.frombuffer(mapped, np.uint8)[start:]


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
