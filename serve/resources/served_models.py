"""Served models: which weights served under which name, so that a name never means two models.

The registry beside the weights pins their hash, but anyone who can change the weights can change
the registry too. The database is another place: a model that served is known there by its hash, for
all processes and after each restart, and changed weights of a known name are refused.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from postmeal.errors import ModelError
from serve.storage.database import Database
from serve.storage.tables import served_model
from serve.storage.upsert import insert_missing

__all__ = ["check_served"]


def check_served(database: Database, name: str, sha256: str, now: datetime) -> None:
    """Note that a model serves, or refuse it where another one served under its name.

    Parameters
    ----------
    database : Database
        Where the models that served are noted.
    name : str
        The model's version, such as ``population-2``.
    sha256 : str
        Hash of its weights, in hexadecimal.
    now : datetime
        When it serves first, if it never did.

    Raises
    ------
    ModelError
        Weights with another hash served under this name.
    """
    query = select(served_model.c.sha256).where(served_model.c.name == name)

    def find(connection: Connection) -> str | None:
        return connection.execute(query).scalar_one_or_none()

    def note(connection: Connection) -> str | None:
        insert_missing(connection, served_model, name=name, sha256=sha256, first_served_at=now)
        return find(connection)  # another process may have been first

    known = database.read_blocking(find) or database.write_blocking(note)
    if known != sha256:
        raise ModelError(
            f"the model {name!r} served here with other weights: sha256 was {known}, is {sha256};"
            " give changed weights a version of their own"
        )
