"""The collection: every food that was ever imported, from which a catalogue is compiled.

One SQLite file that grows. A food gets its id when its (source, key) is first seen, keeps it, and
is never withdrawn; foods of the shipped table keep the ids that they have there. A file is
imported in batches, and each batch is one transaction with the mark up to which the file was read,
so that an import that was stopped, however hard, goes on there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from postmeal.errors import DataSetError
from postmeal.foods.food import FoodKind
from postmeal.foods.id_ranges import FIRST_IMPORTED_ID, LAST_IMPORTED_ID
from postmeal.foods.sources.collection.packed_food import pack, unpack
from postmeal.foods.sources.collection.text_lines import Mark
from postmeal.foods.table import TableFood

__all__ = ["IN_LANGUAGES", "Collection", "ImportState", "Imported", "Put"]

_APPLICATION = 0x706D6663  # "pmfc"
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
    revision INTEGER NOT NULL,      -- the publisher's; an older one never replaces a newer one
    known INTEGER NOT NULL,         -- how many amounts
    packed BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS food_key ON food (source, key);
CREATE TABLE IF NOT EXISTS import (
    name TEXT PRIMARY KEY,          -- path of the file or folder
    fingerprint TEXT NOT NULL,
    offset INTEGER NOT NULL,        -- read so far
    line INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    problem TEXT NOT NULL
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
COMMIT;
"""


IN_LANGUAGES = " in "
"""Stands in a fingerprint before the languages of the names that are read, joined by commas."""


class Imported(NamedTuple):
    """A food as an importer reads it."""

    food: TableFood
    revision: int = 0
    """The publisher's: grows with each new description of the food."""


class ImportState(NamedTuple):
    """How far the import of a file came."""

    name: str
    fingerprint: str = ""
    mark: Mark = Mark()
    complete: bool = False
    problem: str = ""


class Put(NamedTuple):
    """What became of foods that were put."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: object) -> Put:  # counts add up
        if not isinstance(other, Put):
            return NotImplemented
        return Put(*(mine + more for mine, more in zip(self, other, strict=True)))


class Collection:
    """A growing set of imported foods in a SQLite file, made where it is missing.

    Parameters
    ----------
    path : Path
        The file.
    shipped : mapping of (str, str) to int, optional
        Ids of the foods of the shipped table by source and key.

    Raises
    ------
    DataSetError
        The file cannot be opened, is no collection, or of a later release.
    """

    def __init__(self, path: Path, shipped: Mapping[tuple[str, str], int] | None = None) -> None:
        self.path = path
        self._shipped = shipped or {}
        try:
            self.database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
        except sqlite3.Error as error:
            raise DataSetError(f"{path} cannot be opened: {error}") from error
        try:
            if self._is_new():
                self.database.executescript(_SCHEMA)
            with suppress(sqlite3.OperationalError):  # in use: whoever opens it next does so
                self.database.execute("PRAGMA journal_mode=WAL")
            self.database.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> Collection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: all of it is stored at the end, or nothing after an error."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.database.execute("COMMIT")
        except BaseException:
            if self.database.in_transaction:  # SQLite itself ends it when the disk is full
                self.database.execute("ROLLBACK")
            raise

    def put(self, batch: Iterable[Imported]) -> Put:
        """Store foods, each in place of what is known of its (source, key).

        An older revision than the one that is stored changes nothing. Call it while `writing`.

        Parameters
        ----------
        batch : iterable of Imported
            Foods; their ids are not looked at.

        Returns
        -------
        Put
            How many were new, changed and unchanged.
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
        """Tell how far the import of a file came."""
        row = self.database.execute("SELECT * FROM import WHERE name = ?", (name,)).fetchone()
        if row is None:
            return ImportState(name)
        _, fingerprint, offset, line, complete, problem = row
        return ImportState(name, fingerprint, Mark(offset, line), bool(complete), problem)

    def begun(self, name: str, fingerprint: str) -> ImportState:
        """Find the import of a file to go on with, also where it lay elsewhere when it began.

        Parameters
        ----------
        name : str
            Path of the file as it is now.
        fingerprint : str
            What the file is.

        Returns
        -------
        ImportState
            How far it came; nothing yet when another file, or none, was imported by this name.
        """
        if (state := self.state(name)).fingerprint == fingerprint:
            return state
        before = self.database.execute(
            "SELECT name FROM import WHERE fingerprint = ? ORDER BY complete DESC, line DESC",
            (fingerprint,),
        ).fetchone()
        if before is None:
            return ImportState(name, fingerprint)
        self.database.execute(
            "UPDATE OR REPLACE import SET name = ? WHERE name = ?", (name, *before)
        )
        return self.state(name)

    def note(self, state: ImportState) -> None:
        """Remember how far the import of a file came."""
        values = (state.name, state.fingerprint, *state.mark, state.complete, state.problem)
        self.database.execute("INSERT OR REPLACE INTO import VALUES (?, ?, ?, ?, ?, ?)", values)

    def forget(self, name: str) -> None:
        """Forget the import of a file of which nothing was put."""
        self.database.execute("DELETE FROM import WHERE name = ?", (name,))

    def incomplete(self) -> list[ImportState]:
        """List the imports that have not come to their end."""
        names = self.database.execute(
            "SELECT name FROM import WHERE NOT complete AND name NOT LIKE 'fdc stage: %'"
            " ORDER BY name"
        )
        return [self.state(name) for (name,) in names.fetchall()]

    def foods(self, kind: FoodKind) -> Iterator[TableFood]:
        """Read the imported foods of a kind, the most popular first.

        The publisher's measure of popularity comes first, then the number of known amounts, then
        the name. The order is made in a temporary file; foods are read one by one.
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
        """List the barcodes of one's own foods, whatever their keys are."""
        own = self.database.execute(
            "SELECT source, key, kind, name, packed FROM food WHERE source = 'own'"
        )
        return {
            unpack(packed, source=source, key=key, kind=kind, name=name).barcode
            for source, key, kind, name, packed in own
        } - {""}

    def has_better_twin(self, food: TableFood) -> bool:
        """Whether another publisher tells more of the product with this food's barcode.

        The number of known amounts decides, then popularity.
        """
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
        """Read what was imported of foods of the shipped table, by id."""
        rows = self.database.execute(
            "SELECT id, source, key, kind, name, packed FROM food WHERE id < ?",
            (FIRST_IMPORTED_ID,),
        )
        return {
            food_id: unpack(packed, id=food_id, source=source, key=key, kind=kind, name=name)
            for food_id, source, key, kind, name, packed in rows
        }

    def __len__(self) -> int:
        return int(self.database.execute("SELECT count(*) FROM food").fetchone()[0])

    def _is_new(self) -> bool:
        """Whether nothing is in the file yet; refuse one that is no collection."""
        try:
            self.database.execute("BEGIN")  # all at one moment: it may be made meanwhile
            (application,) = self.database.execute("PRAGMA application_id").fetchone()
            (version,) = self.database.execute("PRAGMA user_version").fetchone()
            (tables,) = self.database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            self.database.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise DataSetError(f"{self.path} cannot be opened: {error}") from error
            application = tables = -1
        if (application, tables) == (0, 0):
            return True
        if application != _APPLICATION:
            raise DataSetError(f"{self.path} is no collection of foods; name another file")
        if version != _VERSION:
            raise DataSetError(f"{self.path} is a collection of version {version}, not {_VERSION}")
        return False

    def _new_id(self, food: TableFood) -> int:
        shipped = self._shipped.get((food.source, food.key))
        if shipped is not None:
            return shipped
        last = self.database.execute("SELECT max(id) FROM food").fetchone()[0] or 0
        if last >= LAST_IMPORTED_ID:
            raise DataSetError(f"{self.path} has no ids left")
        return max(int(last) + 1, FIRST_IMPORTED_ID)
