"""Restoration of a backup, without the users who were erased after the backup was made.

The backup is copied to a temporary file. This file is migrated to this release, and every erasure
recorded in the replaced database or in a receipts file is repeated on it. It then replaces the
database in one step, so that an interrupted restore leaves the old database in place.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from serve.resources.erasure_receipts import Receipt, receipts, replay
from serve.runtime.clock import Clock
from serve.runtime.clock_synchronization import synchronize
from serve.storage.backup import BackupError, restore
from serve.storage.database import Database
from serve.storage.schema import migrate
from serve.storage.secure_erase import rewrite

__all__ = ["Restored", "restore_database"]

_SUFFIXES = ("", "-wal", "-shm", "-turn")


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore.

    Attributes
    ----------
    erased : int
        Number of user IDs whose data was erased from the restored database.
    replayed : int
        Number of replayed erasure receipts, including those that had no effect.
    moved_to : Path or None
        New path of the replaced database; None if there was none.
    """

    erased: int
    replayed: int
    moved_to: Path | None


def restore_database(
    database: Database,
    copy: Path,
    now: datetime,
    *,
    replaces: bool = False,
    more_receipts: Sequence[Receipt] = (),
    pepper: bytes = b"",
) -> Restored:
    """Restore a backup while the service is stopped, without the users erased since.

    Parameters
    ----------
    database : Database
        SQLite database to restore to.
    copy : Path
        A file written by `serve.storage.backup.backup`.
    now : datetime
        Wall time for the new name of the replaced database.
    replaces : bool, default=False
        Whether to replace an existing database. It is renamed, and the erasures recorded in its
        receipts are repeated.
    more_receipts : sequence of Receipt, default=()
        Erasure receipts from other sources, such as a file from a lost machine.
    pepper : bytes, default=b""
        Secret of the installation that keys the hashes in receipts.

    Returns
    -------
    Restored
        The number of repeated erasures, and the new path of the replaced database.

    Raises
    ------
    BackupError
        The database is PostgreSQL, is in use or cannot be read, or it exists although `replaces` is
        false. Or the backup is missing or damaged. Nothing has changed.
    """
    if not database.is_sqlite:
        raise BackupError(
            "only SQLite databases can be restored; for PostgreSQL, write the receipts with `admin"
            " receipts PATH`, run pg_restore, then run `admin replay-erasures PATH`"
        )
    path = Path(database.engine.url.database or "")
    found = list(more_receipts)
    moved_to = None
    if path.exists() and path.stat().st_size:
        if not replaces:
            raise BackupError(
                f"{path} already exists; to replace it, stop the service and pass --replace"
            )
        _fold_log(path)
        found = _read_receipts(path) + found
        moved_to = path.with_name(f"{path.name}.replaced-{now:%Y%m%dT%H%M%S}")
        if moved_to.exists():
            raise BackupError(f"{moved_to} already exists; move it away, then try again")
    for leftover in (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")):
        if leftover.exists():
            raise BackupError(
                f"{leftover} belongs to another database; move it together with that database"
            )
    part = path.with_name(f"{path.name}.restoring")
    _remove(part)
    try:
        restore(copy, part)
        erased = _prepare(part, found, pepper)
        if moved_to is not None:
            os.link(path, moved_to)
        part.replace(path)
    except (OSError, SQLAlchemyError) as error:
        raise BackupError(f"{copy} cannot be restored: {error}") from None
    finally:
        _remove(part)
    return Restored(erased, len(found), moved_to)


def _fold_log(path: Path) -> None:
    """Merge the write-ahead log of a database into its file.

    Raises
    ------
    BackupError
        Another process has the file open, or the file is not writable or not a database.
    """
    try:
        with closing(sqlite3.connect(path, timeout=1)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.OperationalError:
        message = (
            f"{path} is in use or not writable; stop the service and check the file permissions"
        )
        raise BackupError(message) from None
    except sqlite3.DatabaseError as error:
        raise BackupError(_unreadable(path, error)) from None


def _read_receipts(path: Path) -> list[Receipt]:
    database = Database(f"sqlite:///{path}")
    try:
        with database.reading() as connection:
            return receipts(connection)
    except SQLAlchemyError as error:
        raise BackupError(_unreadable(path, error)) from None
    finally:
        database.close()
        _fold_log(path)


def _unreadable(path: Path, error: Exception) -> str:
    return (
        f"cannot read the erasure receipts in {path} ({error}); move the file elsewhere and pass a"
        " receipts file written earlier with --receipts"
    )


def _prepare(part: Path, found: Sequence[Receipt], pepper: bytes) -> int:
    """Migrate a copy, repeat the erasures on it, and return the number of erased IDs."""
    database = Database(f"sqlite:///{part}")
    try:
        migrate(database)
        with database.writing() as connection:
            clock = Clock()
            synchronize(connection, clock)
            erased = replay(connection, found, clock.steady(), pepper)
        rewrite(database)
    finally:
        database.close()
    _fold_log(part)
    return erased


def _remove(part: Path) -> None:
    for suffix in _SUFFIXES:
        part.with_name(part.name + suffix).unlink(missing_ok=True)
