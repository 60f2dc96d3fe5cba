"""Database session of an admin command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection

from postmeal_serve.app import check_endpoints
from postmeal_serve.partners import organizations
from postmeal_serve.partners.organizations import Organization
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.clock_synchronization import join
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate

__all__ = ["AdminSession", "open_session"]


class AdminSession:
    """Settings, clock and database of one admin command."""

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
