"""Database session of an admin command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection

from serve.app import check_endpoints
from serve.partners import organizations
from serve.partners.organizations import Organization
from serve.runtime.clock import Clock
from serve.runtime.clock_synchronization import join
from serve.settings import Settings
from serve.storage.database import Database
from serve.storage.schema import migrate

__all__ = ["AdminSession", "open_session"]


class AdminSession:
    """Settings, clock and database of one admin command.

    Attributes
    ----------
    now : datetime
        Wall time at the start of the command.
    steady : datetime
        Monotonic time at the start of the command.
    """

    steady: datetime

    def __init__(self) -> None:
        self.settings = Settings()
        check_endpoints(self.settings)
        self.clock = Clock()
        self.now = self.clock.now()
        self.database = Database(self.settings.database_url)

    def partner(self, connection: Connection, name: str) -> Organization:
        """Return the partner with the given name; raise `InputError` if it does not exist."""
        return organizations.find(connection, name, self.settings.plans)


@contextmanager
def open_session() -> Iterator[AdminSession]:
    """Open the database for one command, migrate it, and synchronize the clock."""
    session = AdminSession()
    try:
        migrate(session.database)
        join(session.database, session.clock)
        session.steady = session.clock.steady()
        yield session
    finally:
        session.database.close()
