"""Write probe: a small transaction that fails where the transactions of calls would fail."""

from __future__ import annotations

import secrets
import shutil
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from serve.storage.tables import METADATA, write_probe
from serve.storage.upsert import put

__all__ = ["DiskFull", "probe"]

_SLOTS = 64
_ROOM = 2**20

# A sort that does not fit into its memory needs a file of a mebibyte, on the disk of the tables.
_SPILL = (
    "SET LOCAL work_mem = '64kB'; SET LOCAL temp_tablespaces = '';"
    " SELECT count(filler) FROM (SELECT n, repeat('x', 1024) AS filler"
    " FROM generate_series(1, 1024) AS n ORDER BY n DESC) AS sorted"
)


class DiskFull(SQLAlchemyError):
    """The disk of an SQLite file has no room left."""


def probe(connection: Connection, now: datetime) -> None:
    """Check that every table can be written and that there is room, and write one row.

    Tables are locked one by one, as a write locks them, and released at once: a probe never holds a
    lock while it waits for another. The row is one of 64, drawn anew each time, so that a process
    that stands still while it holds one does not fail the probes of all others.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The time.

    Raises
    ------
    SQLAlchemyError
        A table is locked, the disk is full or read-only, or the server does not answer.
    """
    if connection.dialect.name == "sqlite":
        path = Path(connection.engine.url.database or "")
        if shutil.disk_usage(path.parent).free < _ROOM:
            raise DiskFull(f"less than {_ROOM} bytes are free on the disk of {path.name}")
    else:
        connection.execute(text(_locks(connection)))
        connection.execute(text(_SPILL))
    put(connection, write_probe, {"slot": secrets.randbelow(_SLOTS)}, {"written_at": now})


def _locks(connection: Connection) -> str:
    quoted = connection.dialect.identifier_preparer.quote
    statements = ["SAVEPOINT probe"]
    for name in METADATA.tables:
        statements += [f"LOCK TABLE {quoted(name)} IN ROW EXCLUSIVE MODE", "ROLLBACK TO probe"]
    return "; ".join(statements)
