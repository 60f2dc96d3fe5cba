"""Write probe: a small transaction that fails whenever real writes would fail."""

from __future__ import annotations

import secrets
import shutil
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from postmeal_serve.storage.tables import METADATA, write_probe
from postmeal_serve.storage.upsert import put

__all__ = ["DiskFull", "probe"]

_SLOTS = 64
_LEAST_FREE_BYTES = 2**20

# A sort that exceeds its memory writes a temporary file of 1 MiB to the disk of the tables.
_SPILL = (
    "SET LOCAL work_mem = '64kB'; SET LOCAL temp_tablespaces = '';"
    " SELECT count(filler) FROM (SELECT n, repeat('x', 1024) AS filler"
    " FROM generate_series(1, 1024) AS n ORDER BY n DESC) AS sorted"
)


class DiskFull(SQLAlchemyError):
    """The disk of the SQLite file is full."""


def probe(connection: Connection, now: datetime) -> None:
    """Check that the disk has space and that all tables are writable, and write one row.

    On PostgreSQL, each table is locked as for a write and released immediately, so that a probe
    never holds one lock while it waits for another. The row is one of 64 and chosen at random: if
    a process hangs while it holds one of them, most probes of other processes still succeed.
    """
    if connection.dialect.name == "sqlite":
        path = Path(connection.engine.url.database or "")
        if shutil.disk_usage(path.parent).free < _LEAST_FREE_BYTES:
            raise DiskFull(
                f"the disk that contains {path.name} has fewer than {_LEAST_FREE_BYTES} free bytes;"
                " free some space"
            )
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
