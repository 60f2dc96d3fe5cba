"""Integrity of a SQLite file: whether all its pages and rows can be read."""

from __future__ import annotations

import logging

from sqlalchemy.exc import DatabaseError

from postmeal_serve.storage.database import Database

__all__ = ["damage", "log_damage"]

_log = logging.getLogger(__name__)


def damage(database: Database) -> str:
    """Return the first problem of a SQLite file, or an empty text if there is none.

    The check (https://www.sqlite.org/pragma.html#pragma_quick_check) reads the whole file, which
    takes about 1.4 s of CPU time per GB, and does not block writes. Bytes that were changed within
    a text or a number are not noticed, because SQLite has no checksums.
    """
    try:
        with database.reading() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    except DatabaseError as error:
        return str(error.orig)
    return "" if found == "ok" else str(found)


def log_damage(database: Database) -> None:
    """Log an error if a SQLite file is damaged."""
    if problem := damage(database):
        message = (
            "the database file is damaged; stop the service and restore a backup"
            " (postmeal-serve admin restore): %s"
        )
        _log.error(message, problem)
