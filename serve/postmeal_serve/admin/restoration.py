"""Restoration of a backup, without users, keys and tokens that were removed after it was made.

The backup is copied to a temporary file, which is migrated to this release. All erasures, disabled
keys and revoked tokens in the receipts are repeated in this file. The receipts come from the
replaced database and, optionally, from a receipts file. The temporary file then replaces the
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

from postmeal_serve.admin.receipts import Replayed, replay_receipts, stored_receipts
from postmeal_serve.resources.erasure_receipts import Receipt
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.clock_synchronization import synchronize
from postmeal_serve.storage.backup import BackupError, restore
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate
from postmeal_serve.storage.secure_erase import rewrite

__all__ = ["Restored", "restore_database"]

_SUFFIXES = ("", "-wal", "-shm", "-turn")


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore."""

    replayed: Replayed
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
    """Restore a backup while the service is stopped, and repeat later erasures and revocations.

    The users who were erased, the keys that were disabled and the tokens that were revoked after
    the backup was made are erased, disabled and revoked again.
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
                f"{leftover} was left by another database and would be applied to the restored"
                " one; move it to another folder, and try again"
            )
    part = path.with_name(f"{path.name}.restoring")
    _remove(part)
    try:
        restore(copy, part)
        replayed = _prepare(part, found, pepper)
        if moved_to is not None:
            os.link(path, moved_to)
        part.replace(path)
    except (OSError, SQLAlchemyError) as error:
        raise BackupError(f"{copy} cannot be restored: {error}") from None
    finally:
        _remove(part)
    return Restored(replayed, moved_to)


def _fold_log(path: Path) -> None:
    """Merge the write-ahead log of a database into its file."""
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
            return stored_receipts(connection)
    except SQLAlchemyError as error:
        raise BackupError(_unreadable(path, error)) from None
    finally:
        database.close()
        _fold_log(path)


def _unreadable(path: Path, error: Exception) -> str:
    return (
        f"cannot read the receipts in {path} ({error}); move the file elsewhere and pass a"
        " receipts file written earlier with --receipts"
    )


def _prepare(part: Path, found: Sequence[Receipt], pepper: bytes) -> Replayed:
    """Migrate a copy and replay the receipts on it."""
    database = Database(f"sqlite:///{part}")
    try:
        migrate(database)
        with database.writing() as connection:
            clock = Clock()
            synchronize(connection, clock)
            replayed = replay_receipts(connection, found, clock, pepper)
        rewrite(database)
    finally:
        database.close()
    _fold_log(part)
    return replayed


def _remove(part: Path) -> None:
    for suffix in _SUFFIXES:
        part.with_name(part.name + suffix).unlink(missing_ok=True)
