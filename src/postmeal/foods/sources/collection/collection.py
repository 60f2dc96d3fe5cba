"""The collection: a SQLite file with all imported foods, from which a catalog is compiled.

A food is identified by its source and key. When a food is first imported, it gets an ID that never
changes. Foods are never removed, and foods of the shipped table keep their IDs from the table.

A file is imported in batches. Each batch is one transaction that also stores the position in the
file, so that an interrupted import can be resumed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from postmeal.errors import DataSetError
from postmeal.foods.food import CatalogKind
from postmeal.foods.id_ranges import FIRST_IMPORTED_ID, LAST_IMPORTED_ID
from postmeal.foods.sources.collection.packed_food import pack, unpack
from postmeal.foods.sources.collection.text_lines import Mark
from postmeal.foods.table import COLLECTION_ID, TableFood

_VERSION = 1
_WAIT_S = 60.0
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS food (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    popularity REAL NOT NULL,
    revision INTEGER NOT NULL,      -- the publisher's; an older revision never replaces a newer one
    known INTEGER NOT NULL,         -- number of known amounts
    packed BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS food_key ON food (source, key);
CREATE TABLE IF NOT EXISTS import (
    name TEXT PRIMARY KEY,          -- path of the file or folder
    fingerprint TEXT NOT NULL,
    offset INTEGER NOT NULL,        -- bytes of text read so far
    line INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    problem TEXT NOT NULL
);
PRAGMA application_id = {COLLECTION_ID};
PRAGMA user_version = {_VERSION};
COMMIT;
"""


IN_LANGUAGES = " in "
"""Text between the fingerprint of a file and the comma-separated languages of the names in it."""


class Imported(NamedTuple):
    """A food as read by an importer."""

    food: TableFood
    revision: int = 0
    """The publisher's revision, which increases with each update of the food."""


class ImportState(NamedTuple):
    """Progress of the import of a file."""

    name: str
    fingerprint: str = ""
    mark: Mark = Mark()
    complete: bool = False
    problem: str = ""


class Put(NamedTuple):
    """Numbers of foods that were new, changed and unchanged when they were stored."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: object) -> Put:
        if not isinstance(other, Put):
            return NotImplemented
        return Put(*(left + right for left, right in zip(self, other, strict=True)))


class Collection:
    """Imported foods in a SQLite file, which is created if it is missing."""

    def __init__(self, path: Path, shipped: Mapping[tuple[str, str], int] | None = None) -> None:
        self.path = path
        self._shipped = shipped or {}
        try:
            self.database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
        except sqlite3.Error as error:
            raise DataSetError(
                f"{path} cannot be opened: {error}; give the path of a file in an existing folder"
            ) from error
        try:
            if self._is_new():
                self.database.executescript(_SCHEMA)
            with suppress(sqlite3.OperationalError):  # in use: the next process sets the mode
                self.database.execute("PRAGMA journal_mode=WAL")
            self.database.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Run a transaction, which is committed at the end or rolled back after an error."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.database.execute("COMMIT")
        except BaseException:
            if self.database.in_transaction:  # SQLite itself rolls back if the disk is full
                self.database.execute("ROLLBACK")
            raise

    def put(self, batch: Iterable[Imported]) -> Put:
        """Store foods, replacing stored foods that have the same source and key.

        A food with an older revision than the stored food is ignored. Call this within `writing`.
        """
        done = Put()
        for food, revision in batch:
            found = self.database.execute(
                "SELECT id, revision, kind, name, popularity, packed FROM food"
                " WHERE source = ? AND key = ?",
                (food.source, food.key),
            ).fetchone()
            packed = pack(food)
            columns = (food.kind, food.name, food.popularity)
            known = len(food.per_100_g)
            if found is None:
                self.database.execute(
                    "INSERT INTO food VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (self._new_id(food), food.source, food.key, *columns, revision, known, packed),
                )
                done += Put(new=1)
            elif revision < found[1] or (revision, *columns, packed) == found[1:]:
                done += Put(unchanged=1)
            else:
                self.database.execute(
                    "UPDATE food SET kind = ?, name = ?, popularity = ?, revision = ?, known = ?,"
                    " packed = ? WHERE id = ?",
                    (*columns, revision, known, packed, found[0]),
                )
                done += Put(changed=1)
        return done

    def state(self, name: str) -> ImportState:
        """Return the import progress of a file."""
        row = self.database.execute("SELECT * FROM import WHERE name = ?", (name,)).fetchone()
        if row is None:
            return ImportState(name)
        _, fingerprint, offset, line, complete, problem = row
        return ImportState(name, fingerprint, Mark(offset, line), bool(complete), problem)

    def resume(self, name: str, fingerprint: str) -> ImportState:
        """Return the import progress of a file, even if the file has been moved."""
        if (state := self.state(name)).fingerprint == fingerprint:
            return state
        earlier = self.database.execute(
            "SELECT name FROM import WHERE fingerprint = ? ORDER BY complete DESC, line DESC",
            (fingerprint,),
        ).fetchone()
        if earlier is None:
            return ImportState(name, fingerprint)
        self.database.execute(
            "UPDATE OR REPLACE import SET name = ? WHERE name = ?", (name, *earlier)
        )
        return self.state(name)

    def save(self, state: ImportState) -> None:
        """Store the import progress of a file."""
        values = (state.name, state.fingerprint, *state.mark, state.complete, state.problem)
        self.database.execute("INSERT OR REPLACE INTO import VALUES (?, ?, ?, ?, ?, ?)", values)

    def discard(self, name: str) -> None:
        """Delete the record of an import that did not store any foods."""
        self.database.execute("DELETE FROM import WHERE name = ?", (name,))

    def incomplete(self) -> list[ImportState]:
        """Return the imports that are not complete."""
        names = self.database.execute(
            "SELECT name FROM import WHERE NOT complete AND name NOT LIKE 'fdc stage: %'"
            " ORDER BY name"
        )
        return [self.state(name) for (name,) in names.fetchall()]

    def foods(self, kind: CatalogKind) -> Iterator[TableFood]:
        """Yield the imported foods of a kind, most popular first.

        Foods are sorted by the publisher's measure of popularity, the number of known amounts and
        the name. SQLite sorts in a temporary file, and foods are read one by one.
        """
        rows = self.database.execute(
            "SELECT id, source, key, name, popularity, packed FROM food WHERE kind = ? AND id >= ?"
            " ORDER BY popularity DESC, known DESC, name, id",
            (kind, FIRST_IMPORTED_ID),
        )
        for food_id, source, key, name, popularity, packed in rows:
            yield unpack(
                packed, id=food_id, source=source, key=key, kind=kind, name=name,
                popularity=popularity,
            )  # fmt: skip

    def own_barcodes(self) -> set[str]:
        """Return the barcodes of the user's own foods."""
        own = self.database.execute(
            "SELECT source, key, kind, name, packed FROM food WHERE source = 'own'"
        )
        return {
            unpack(packed, source=source, key=key, kind=kind, name=name).barcode
            for source, key, kind, name, packed in own
        } - {""}

    def has_better_twin(self, food: TableFood) -> bool:
        """Return whether another publisher has more known amounts, or the more popular food."""
        if not food.barcode:
            return False
        rank = (len(food.per_100_g), food.popularity, -food.id)
        found = self.database.execute(
            "SELECT 1 FROM food WHERE source IN ('fdc', 'off') AND key = ?"
            " AND (known, popularity, -id) > (?, ?, ?)",
            (food.barcode, *rank),
        )
        return found.fetchone() is not None

    def official(self) -> dict[int, TableFood]:
        """Return the imported official data of foods in the shipped table, by food ID."""
        rows = self.database.execute(
            "SELECT id, source, key, iif(kind = 'recipe', 'dish', kind), name, packed FROM food"
            " WHERE id < ?",  # postmeal 0.1 stored ready dishes as recipes
            (FIRST_IMPORTED_ID,),
        )
        return {
            food_id: unpack(packed, id=food_id, source=source, key=key, kind=kind, name=name)
            for food_id, source, key, kind, name, packed in rows
        }

    def __len__(self) -> int:
        return int(self.database.execute("SELECT count(*) FROM food").fetchone()[0])

    def _is_new(self) -> bool:
        """Return whether the file is empty; raise a DataSetError if it is not a collection."""
        try:
            self.database.execute("BEGIN")  # another process may be creating the file
            (application,) = self.database.execute("PRAGMA application_id").fetchone()
            (version,) = self.database.execute("PRAGMA user_version").fetchone()
            (tables,) = self.database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            self.database.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise DataSetError(
                    f"{self.path} cannot be opened: {error}; check that no other process uses it"
                ) from error
            application = tables = -1
        if (application, tables) == (0, 0):
            return True
        if application != COLLECTION_ID:
            raise DataSetError(f"{self.path} is not a collection of foods; choose another file")
        if version != _VERSION:
            raise DataSetError(
                f"{self.path} must be a collection of version {_VERSION}, got version {version};"
                " import the foods into a new collection"
            )
        return False

    def _new_id(self, food: TableFood) -> int:
        shipped = self._shipped.get((food.source, food.key))
        if shipped is not None:
            return shipped
        last = self.database.execute("SELECT max(id) FROM food").fetchone()[0] or 0
        if last >= LAST_IMPORTED_ID:
            raise DataSetError(
                f"the collection {self.path} is full; import the foods into a new collection"
            )
        return max(int(last) + 1, FIRST_IMPORTED_ID)
