"""Office: what a command of administration works with."""

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

__all__ = ["Office", "open_office"]


class Office:
    """The database, the settings and the time of one command.

    Attributes
    ----------
    now : datetime
        The wall time.
    steady : datetime
        The steady time.
    """

    steady: datetime

    def __init__(self) -> None:
        self.settings = Settings()
        check_endpoints(self.settings)
        self.clock = Clock()
        self.now = self.clock.now()
        self.database = Database(self.settings.database_url)

    def partner(self, connection: Connection, name: str) -> Organization:
        """Find a partner by name."""
        return organizations.named(connection, name, self.settings.plans)


@contextmanager
def open_office() -> Iterator[Office]:
    """Open the database, brought up to this release's tables, for one command."""
    office = Office()
    try:
        migrate(office.database)
        join(office.database, office.clock)
        office.steady = office.clock.steady()
        yield office
    finally:
        office.database.close()
