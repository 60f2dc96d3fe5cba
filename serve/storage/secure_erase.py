"""Residue: what SQLite's files still hold of rows that were deleted.

What is deleted is overwritten where it lies (``secure_delete``), yet two traces can stay: the
write-ahead log holds pages as they were, and a page that was rearranged before may hold copies of
rows in its free space, which SQLite does not clear. PostgreSQL keeps deleted rows until VACUUM, and
copies of moved rows in the free space of its pages beyond that: only ``VACUUM FULL`` leaves none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from sqlalchemy import Connection, text

from serve.storage.database import Database

__all__ = ["REWRITTEN_EVERY_S", "empty_log", "mark", "rewrite", "vacuum"]

REWRITTEN_EVERY_S = 3600.0
"""Seconds from one look at whether the file must be written anew to the next, at most."""

_WRITERS_WAIT_S = 0.2  # for a checkpoint, which keeps them out while it waits for readers
_REWRITE_WAITS_S = 30


def mark(connection: Connection) -> None:
    """Note, in the transaction that erases someone, that `rewrite` has work to do."""
    if connection.dialect.name == "sqlite":
        erasures = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        connection.exec_driver_sql(f"PRAGMA user_version={(erasures + 1) % 2**31}")


def empty_log(database: Database) -> bool:
    """Empty the write-ahead log; answer False while someone reads or writes it."""
    if not database.is_sqlite:
        return True
    with closing(_connect(database, _WRITERS_WAIT_S)) as connection:
        try:
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:  # another process does the same
            return False
        return not busy


def rewrite(database: Database) -> bool:
    """Write the file anew if someone was erased since the last time; answer whether it was.

    Others read meanwhile, and writers wait: for some seconds where the file has a gigabyte. While
    others do not stop writing it is left for the next time.
    """
    if not database.is_sqlite:
        return False
    with closing(_connect(database, _REWRITE_WAITS_S)) as connection:
        erasures = _erasures(connection)
        if not erasures:
            return False
        try:
            connection.execute("VACUUM")
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            raise
        if _erasures(connection) == erasures:  # or someone was erased meanwhile: again next time
            connection.execute("PRAGMA user_version=0")
        connection.execute("COMMIT")
    empty_log(database)
    return True


def vacuum(database: Database, tables: Iterable[str]) -> None:
    """Write tables anew, so that nothing of deleted rows is left in their files.

    Calls that need a table wait meanwhile. PostgreSQL's write-ahead log still has the rows until
    its segments are written over.

    Parameters
    ----------
    database : Database
        SQLite, where the whole file is written anew if someone was erased, or PostgreSQL.
    tables : iterable of str
        Names of the tables.
    """
    if database.is_sqlite:
        rewrite(database)
        return
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        quoted = connection.dialect.identifier_preparer.quote
        for name in tables:
            connection.execute(text(f"VACUUM (FULL) {quoted(name)}"))
        connection.execute(text("CHECKPOINT"))  # the files of before go with it


def _connect(database: Database, timeout_s: float) -> sqlite3.Connection:
    path = database.engine.url.database or ""
    return sqlite3.connect(path, timeout=timeout_s, isolation_level=None)


def _erasures(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
