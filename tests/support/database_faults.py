"""Faults of a database while a service uses it."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from sqlalchemy import Connection, event, text

from postmeal_serve.storage.database import Database


@contextmanager
def locked(url: str, table: str = "food_log") -> Iterator[None]:
    """Lock a PostgreSQL table, or the whole SQLite file, against writes of other connections."""
    if url.startswith("sqlite"):
        path = url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")
        return
    database = Database(url)
    try:
        with database.writing() as connection:
            connection.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
            yield
    finally:
        database.close()


def backends_of(url: str) -> list[int]:
    """Return the IDs of the PostgreSQL processes of all other connections to a database."""
    database = Database(url)
    try:
        with database.reading() as connection:
            mine = text(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            return [int(pid) for pid in connection.execute(mine).scalars()]
    finally:
        database.close()


@contextmanager
def stopped(*pids: int) -> Iterator[None]:
    """Stop processes, while the kernel continues to acknowledge the data sent to them."""
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
    except (PermissionError, ProcessLookupError):
        pytest.skip("the processes of PostgreSQL may not be stopped from here")
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def unwritable(database: Database) -> Iterator[None]:
    """Make every write of a database fail as on a read-only disk; reads succeed."""
    statement = "PRAGMA query_only = ON" if database.is_sqlite else "SET TRANSACTION READ ONLY"

    def forbid(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    event.listen(database.engine, "begin", forbid)
    try:
        yield
    finally:
        event.remove(database.engine, "begin", forbid)
        database.engine.dispose()  # Connections to SQLite stay as they are.
