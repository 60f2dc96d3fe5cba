"""Removal of remnants of deleted rows from the database files.

SQLite overwrites deleted rows in place (``secure_delete``), but two kinds of remnants can stay:
the write-ahead log contains old versions of pages, and the free space of a page that was
rearranged earlier may contain copies of rows. PostgreSQL retains deleted rows until ``VACUUM``.
Copies of moved rows stay in the free space of pages even after that; only ``VACUUM FULL`` removes
them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from sqlalchemy import Connection, text

from postmeal_serve.storage.database import Database

__all__ = ["REWRITTEN_EVERY_S", "empty_log", "mark", "rewrite", "vacuum"]

REWRITTEN_EVERY_S = 3600.0
"""Maximum interval in seconds between checks of whether the SQLite file must be rewritten."""

_CHECKPOINT_WITHIN_S = 0.2  # Short, because a checkpoint blocks writers while it waits for readers.
_REWRITE_WITHIN_S = 30


def mark(connection: Connection) -> None:
    """Mark a SQLite database for `rewrite`, in the transaction that erases data."""
    if connection.dialect.name == "sqlite":
        erasures = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        connection.exec_driver_sql(f"PRAGMA user_version={(erasures + 1) % 2**31}")


def empty_log(database: Database) -> bool:
    """Empty SQLite's write-ahead log; return False if the log is in use."""
    if not database.is_sqlite:
        return True
    with closing(_connect(database, _CHECKPOINT_WITHIN_S)) as connection:
        try:
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:  # Another process is truncating the log.
            return False
        return not busy


def rewrite(database: Database) -> bool:
    """Rewrite a SQLite file if it was marked since its last rewrite.

    Return whether the file was rewritten.

    During the rewrite, other processes can read, but writes have to wait (several seconds for a
    file of 1 GB). If other processes write without a pause, the rewrite is postponed.
    """
    if not database.is_sqlite:
        return False
    with closing(_connect(database, _REWRITE_WITHIN_S)) as connection:
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
        if _erasures(connection) == erasures:  # Otherwise, the file has been marked again.
            connection.execute("PRAGMA user_version=0")
        connection.execute("COMMIT")
    empty_log(database)
    return True


def vacuum(database: Database, tables: Iterable[str]) -> None:
    """Rewrite tables, so that their files contain no remnants of deleted rows.

    Requests that need a table wait until it has been rewritten. PostgreSQL's write-ahead log still
    contains the rows until its segments are overwritten.
    """
    if database.is_sqlite:
        rewrite(database)
        return
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        quoted = connection.dialect.identifier_preparer.quote
        for name in tables:
            connection.execute(text(f"VACUUM (FULL) {quoted(name)}"))
        connection.execute(text("CHECKPOINT"))  # This deletes the old files.


def _connect(database: Database, timeout_s: float) -> sqlite3.Connection:
    path = database.engine.url.database or ""
    return sqlite3.connect(path, timeout=timeout_s, isolation_level=None)


def _erasures(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
