"""Backup of a SQLite database while it is in use, and restoration of a backup."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from postmeal_serve.storage.database import Database

__all__ = ["BackupError", "backup", "restore"]


class BackupError(Exception):
    """A backup or restore failed; the message gives the reason."""


def backup(database: Database, path: Path) -> None:
    """Copy a database while other processes read and write it.

    The copy is a consistent snapshot with every write that was acknowledged before the call. It is
    a single file that only its owner can read.
    """
    if not database.is_sqlite:
        raise BackupError(
            "only SQLite databases can be backed up; for PostgreSQL, use pg_dump and pg_restore"
        )
    _copy(Path(database.engine.url.database or ""), path)


def restore(copy: Path, path: Path) -> None:
    """Restore a backup while the service is stopped."""
    _copy(copy, path)


def _copy(source: Path, target: Path) -> None:
    if not source.is_file() or not source.stat().st_size:
        raise BackupError(f"{source} does not exist or is empty; it must be a SQLite database")
    logs = (target.with_name(target.name + suffix) for suffix in ("-wal", "-shm"))
    for existing in (target, *logs):
        if existing.exists():
            raise BackupError(f"{existing} already exists; move it away or choose another path")
    part = target.with_name(target.name + ".part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise BackupError(
            f"cannot create {part}, the temporary file for the copy: {error.strerror}"
        ) from None
    try:
        _fill(source, part)
        part.rename(target)  # A file with the final name is always complete.
        _sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise BackupError(f"cannot copy {source}: {error}") from None
    finally:
        part.unlink(missing_ok=True)


def _fill(source: Path, part: Path) -> None:
    read_only = f"{source.resolve().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(read_only, uri=True, timeout=30)) as original,
        closing(sqlite3.connect(part)) as copy,
    ):
        original.backup(copy)  # Copies all pages in one consistent step, without blocking others.
        copy.execute("PRAGMA journal_mode=DELETE")  # Leave a single file without a write-ahead log.
        result = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if result != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {result}")
    _sync(part)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
