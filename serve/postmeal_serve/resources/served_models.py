"""Check that the weights of a served model version never change.

The registry next to the weights contains their hash, but anyone who can change the weights can also
change the registry. The database therefore stores the hash of every model version that has been
served, and the service rejects a model if the weights of its version have changed.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from postmeal.errors import ModelError
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import served_model
from postmeal_serve.storage.upsert import insert_missing

__all__ = ["check_served"]


def check_served(database: Database, name: str, sha256: str, now: datetime) -> None:
    """Record that a model is served, or raise an error if its weights have changed."""
    query = select(served_model.c.sha256).where(served_model.c.name == name)

    def find(connection: Connection) -> str | None:
        return connection.execute(query).scalar_one_or_none()

    def record(connection: Connection) -> str | None:
        insert_missing(connection, served_model, name=name, sha256=sha256, first_served_at=now)
        return find(connection)  # Another process may have recorded it first.

    recorded = database.read_blocking(find) or database.write_blocking(record)
    if recorded != sha256:
        raise ModelError(
            f"model {name!r} was previously served with different weights: their SHA-256 was"
            f" {recorded} and is now {sha256}; use a new version for changed weights"
        )
