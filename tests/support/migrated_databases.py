"""Databases whose tables exist already, as copies of one that was migrated."""

from __future__ import annotations

import uuid
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate


@cache
def migrated_file() -> bytes:
    """Return the file of a migrated SQLite database."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "postmeal.sqlite"
        _migrate(f"sqlite:///{file}")
        return file.read_bytes()


_EMPTY = """
DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;  -- in any order, whatever refers to them
    FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences
    LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', name); END LOOP;
END $$
"""
_DISCONNECT = "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = %s"


class PostgreSQL:
    """Databases on a server of PostgreSQL; those with tables are emptied and used again."""

    def __init__(self, server: str) -> None:
        self.server = server
        self._connection = psycopg.connect(f"{server}/postgres", autocommit=True, connect_timeout=3)
        self._used: list[str] = []

    def create(self, *, with_tables: bool) -> str:
        """Return the name of a new or an emptied database."""
        if with_tables and self._used:
            return self._used.pop()
        name = f"postmeal_test_{uuid.uuid4().hex}"
        self._connection.execute(f"CREATE DATABASE {name}")
        if with_tables:
            _migrate(self.url(name))
        return name

    def url(self, name: str) -> str:
        return f"{self.server}/{name}"

    def empty(self, name: str) -> None:
        """Delete all rows, so that the next test can use the database."""
        self._connection.execute(_DISCONNECT, [name])
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            connection.execute(_EMPTY)
        self._used.append(name)

    def drop(self, name: str) -> None:
        self._connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        for name in self._used:
            self.drop(name)
        self._connection.close()


def _migrate(url: str) -> None:
    database = Database(url)
    migrate(database)
    database.close()
