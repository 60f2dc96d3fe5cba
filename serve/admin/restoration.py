"""Restoration of a backup, without the people who were erased after it was made.

The copy is prepared in a temporary file: it is migrated to this release, and every erasure that the
replaced database or a file of receipts records is repeated. The file then replaces the database in
one step, so a restoration that is killed leaves the old database.
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

_BESIDE = ("", "-wal", "-shm", "-turn")


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restoration.

    Attributes
    ----------
    erased : int
        The number of ids whose rows were erased again.
    replayed : int
        The number of receipts that were compared with the backup.
    moved_to : Path or None
        New path of the replaced database.
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
    """Restore a backup while the service is stopped, without the people erased since.

    Parameters
    ----------
    database : Database
        The database whose place the copy takes; SQLite.
    copy : Path
        A file made by `serve.storage.backup.backup`.
    now : datetime
        The wall time, which names the replaced database.
    replaces : bool, default=False
        Whether an existing database is moved aside. Its receipts are replayed first.
    more_receipts : sequence of Receipt, default=()
        Receipts from elsewhere, such as a lost machine.
    pepper : bytes, default=b""
        Secret of the installation, the key of the hashes in receipts.

    Returns
    -------
    Restored
        The counts, and the path of the replaced database.

    Raises
    ------
    BackupError
        The database is PostgreSQL, exists and is not to be replaced, is in use or cannot be read,
        or there is no whole copy. Nothing has changed.
    """
    if not database.is_sqlite:
        raise BackupError(
            "postmeal restores SQLite alone: write the receipts with `admin receipts PATH`, bring"
            " the database back with pg_restore, then call `admin replay-erasures PATH`"
        )
    path = Path(database.engine.url.database or "")
    found = list(more_receipts)
    moved_to = None
    if path.exists() and path.stat().st_size:
        if not replaces:
            raise BackupError(f"{path} exists already: stop the service and say --replace")
        _take_out_of_use(path)
        found = _receipts_of(path) + found
        moved_to = path.with_name(f"{path.name}.replaced-{now:%Y%m%dT%H%M%S}")
        if moved_to.exists():
            raise BackupError(f"{moved_to} exists already, and is not overwritten")
    for taken in (path.with_name(path.name + end) for end in ("-wal", "-shm")):
        if taken.exists():
            raise BackupError(f"{taken} is of another database: move it away, with its database")
    part = path.with_name(f"{path.name}.restoring")
    _remove(part)
    try:
        restore(copy, part)
        erased = _made_ready(part, found, pepper)
        if moved_to is not None:
            os.link(path, moved_to)
        part.replace(path)
    except (OSError, SQLAlchemyError) as error:
        raise BackupError(f"{copy} cannot be restored: {error}") from None
    finally:
        _remove(part)
    return Restored(erased, len(found), moved_to)


def _take_out_of_use(path: Path) -> None:
    """Fold the write-ahead log into the file; fail while another process has it open."""
    try:
        with closing(sqlite3.connect(path, timeout=1)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.OperationalError:
        message = f"{path} is in use, or cannot be written: stop the service first"
        raise BackupError(message) from None
    except sqlite3.DatabaseError as error:
        raise BackupError(_unreadable(path, error)) from None


def _receipts_of(path: Path) -> list[Receipt]:
    database = Database(f"sqlite:///{path}")
    try:
        with database.reading() as connection:
            return receipts(connection)
    except SQLAlchemyError as error:
        raise BackupError(_unreadable(path, error)) from None
    finally:
        database.close()
        _take_out_of_use(path)


def _unreadable(path: Path, error: Exception) -> str:
    return (
        f"the receipts of erasures in {path} cannot be read ({error}): move the file away, and name"
        " receipts that were written before with --receipts"
    )


def _made_ready(part: Path, found: Sequence[Receipt], pepper: bytes) -> int:
    """Migrate a copy, erase the people of the receipts from it, and rewrite the file."""
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
    _take_out_of_use(part)
    return erased


def _remove(part: Path) -> None:
    for end in _BESIDE:
        part.with_name(part.name + end).unlink(missing_ok=True)
