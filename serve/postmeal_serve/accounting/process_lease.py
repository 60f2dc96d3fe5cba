"""Leases of processes, which keep the reservations of a process valid while it runs.

Each process renews its lease every two seconds. If it is killed, its lease ends within 8 s, and the
slots and credits that its requests had reserved become available. The supervisor of the workers
ends the lease of a worker that died at once.
"""

from __future__ import annotations

import math
import uuid
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select

from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.tables import process, reservation
from postmeal_serve.storage.transactions import Transactions
from postmeal_serve.storage.upsert import put

__all__ = [
    "LIFE",
    "RENEWED_EVERY_S",
    "ProcessLease",
    "end_lease",
    "in_force",
    "renew",
    "retry_after_s",
]

LIFE = timedelta(seconds=8)
"""Duration of a lease."""

RENEWED_EVERY_S = 2.0
"""Maximum interval between renewals in seconds."""

_SILENT = timedelta(seconds=5)  # A process that has not renewed its lease for this time is dead.


class ProcessLease:
    """The lease of this process."""

    def __init__(self, database: Transactions, clock: Clock, process_id: str | None = None) -> None:
        self.process_id = process_id or str(uuid.uuid4())
        self._database = database
        self._clock = clock
        self._ends_at: datetime | None = None

    async def renew(self) -> None:
        """Renew the lease."""
        now = self._clock.steady()
        await self._database.write(renew, now, self.process_id)
        self._ends_at = now + LIFE

    async def hold(self) -> None:
        """Renew the lease if it has ended or ends soon, as when the database was unavailable."""
        if self._ends_at is None or self._ends_at - self._clock.steady() < LIFE / 2:
            await self.renew()

    async def end(self) -> None:
        """End the lease."""
        if self._ends_at is not None:
            await self._database.write(end_lease, self.process_id)


def renew(connection: Connection, now: datetime, process_id: str) -> None:
    """Start or renew the lease of a process."""
    put(connection, process, {"id": process_id}, {"ends_at": now + LIFE})


def end_lease(connection: Connection, process_id: str) -> None:
    """End the lease of a process, and delete its reservations."""
    connection.execute(delete(reservation).where(reservation.c.process_id == process_id))
    connection.execute(delete(process).where(process.c.id == process_id))


def in_force(now: datetime) -> ColumnElement[bool]:
    """Return the condition that the process of a reservation is alive, or unknown."""
    alive = select(process.c.id).where(process.c.ends_at > now)
    return or_(reservation.c.process_id.is_(None), reservation.c.process_id.in_(alive))


def retry_after_s(
    connection: Connection, now: datetime, organization_id: int, endpoint: str
) -> int | None:
    """Return after how many seconds a slot of a dead process becomes available."""
    ends_at = connection.execute(
        select(func.min(process.c.ends_at)).where(
            process.c.id == reservation.c.process_id,
            process.c.ends_at.between(now, now + LIFE - _SILENT),
            reservation.c.organization_id == organization_id,
            reservation.c.endpoint == endpoint,
        )
    ).scalar()
    return None if ends_at is None else max(1, math.ceil((ends_at - now).total_seconds()))
