"""A temporary PostgreSQL database for a benchmark."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine, text

__all__ = ["engine_url", "temporary_database"]

_SERVER = os.environ.get("POSTMEAL_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")


@contextmanager
def temporary_database() -> Iterator[str]:
    """Create a database on the server at ``POSTMEAL_TEST_POSTGRES``, yield its URL, and drop it.

    Raises
    ------
    SQLAlchemyError
        The server does not respond.
    """
    name = f"postmeal_bench_{uuid.uuid4().hex[:8]}"
    engine = create_engine(engine_url(_SERVER), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        yield _SERVER.rsplit("/", 1)[0] + f"/{name}"
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        engine.dispose()


def engine_url(url: str) -> str:
    """Convert a PostgreSQL URL so that SQLAlchemy uses the psycopg driver."""
    return url.replace("postgresql://", "postgresql+psycopg://")
