"""Setup of SQLite connections."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from postmeal_serve.storage.transaction import CUT

__all__ = ["WRITES", "set_up"]

WRITES = "writes"
"""Name of the execution option that marks connections for write transactions."""

_BUSY_S = 30.0
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",  # Acknowledged writes survive a power failure.
    "foreign_keys=ON",
    "secure_delete=ON",  # Overwrite deleted data.
)


def set_up(engine: Engine, within_s: float | None) -> None:
    """Configure all connections, and start write transactions with ``BEGIN IMMEDIATE``."""
    event.listen(engine, "connect", partial(_prepare, within_s or _BUSY_S))
    event.listen(engine, "begin", _begin)


def _prepare(busy_s: float, connection: Any, record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # Only `_begin` starts transactions.
    try:
        for setting in (f"busy_timeout={int(busy_s * 1000)}", *_PRAGMAS):
            connection.execute(f"PRAGMA {setting}").close()
    except UnicodeDecodeError:  # SQLite quotes the damaged bytes in its message.
        raise sqlite3.DatabaseError("the database file is damaged") from None
    record.info[CUT] = connection.interrupt


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
