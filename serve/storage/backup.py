"""Backup: a copy of the SQLite database while it is in use, and the way back."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from serve.storage.database import Database

__all__ = ["BackupError", "backup", "restore"]


class BackupError(Exception):
    """There is no copy; why is the message."""


def backup(database: Database, path: Path) -> None:
    """Copy the database while others read and write it.

    The copy is the database at one moment: it holds every write that was acknowledged before the
    call. It is one file that only its owner may read.

    Parameters
    ----------
    database : Database
        SQLite.
    path : Path
        The copy, which must not exist yet.

    Raises
    ------
    BackupError
        The database is PostgreSQL, the path is taken or cannot be written, or the copy is damaged;
        no file is left.
    """
    if not database.is_sqlite:
        raise BackupError(
            "postmeal copies SQLite alone: copy a PostgreSQL database with pg_dump, and bring it"
            " back with pg_restore"
        )
    _copy(Path(database.engine.url.database or ""), path)


def restore(copy: Path, path: Path) -> None:
    """Bring a copy back while the service is stopped.

    Parameters
    ----------
    copy : Path
        What `backup` made.
    path : Path
        The database, which must not exist: the one to be replaced is moved away first, together
        with its ``-wal`` and ``-shm``.

    Raises
    ------
    BackupError
        There is no copy, it is damaged, or the path is taken; no file is left.
    """
    _copy(copy, path)


def _copy(source: Path, target: Path) -> None:
    if not source.is_file() or not source.stat().st_size:
        raise BackupError(f"there is no database {source}")
    for taken in (target, *(target.with_name(target.name + end) for end in ("-wal", "-shm"))):
        if taken.exists():
            raise BackupError(f"{taken} exists already, and is not overwritten")
    part = target.with_name(target.name + ".part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise BackupError(f"{part} cannot be made: {error.strerror}") from None
    try:
        _fill(source, part)
        part.rename(target)  # so that a file of this name is whole
        _sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise BackupError(f"{source} cannot be copied: {error}") from None
    finally:
        part.unlink(missing_ok=True)


def _fill(source: Path, part: Path) -> None:
    read_only = f"{source.resolve().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(read_only, uri=True, timeout=30)) as original,
        closing(sqlite3.connect(part)) as copy,
    ):
        original.backup(copy)  # all pages in one step: one moment, and nobody has to wait
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        found = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {found}")
    _sync(part)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
