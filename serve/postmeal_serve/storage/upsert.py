"""Upserts (insert a row or update the existing one) for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["add", "insert_missing", "put", "put_all"]


def insert_missing(connection: Connection, table: Table, **values: Any) -> bool:
    """Insert a row unless a row with its key exists; return whether it was inserted."""
    statement = _insert(connection)(table).values(**values).on_conflict_do_nothing()
    return connection.execute(statement).rowcount == 1


def add(connection: Connection, table: Table, column: str, amount: int, **key: Any) -> None:
    """Add an amount to a column of the row with the given key; insert the row if it is missing."""
    statement = _insert(connection)(table).values(**key, **{column: amount})
    update = {column: table.c[column] + amount}
    connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=update))


def put(connection: Connection, table: Table, key: dict[str, Any], values: dict[str, Any]) -> None:
    """Insert a row with the given key and values, or update the values of the existing row."""
    statement = _insert(connection)(table).values(**key, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=[*key], set_=values))


def put_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert many rows, or update the existing ones with the same primary keys."""
    if not rows:
        return
    statement = _insert(connection)(table)
    others = {
        column.name: statement.excluded[column.name]
        for column in table.columns
        if not column.primary_key
    }
    statement = statement.on_conflict_do_update(index_elements=[*table.primary_key], set_=others)
    connection.execute(statement, rows)


def _insert(connection: Connection) -> Any:
    return sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
