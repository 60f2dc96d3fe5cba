"""Retention: what is kept how long, and the job that purges it."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, or_

from serve.partners import audit
from serve.resources import tombstones
from serve.resources.idempotency import FORGOTTEN_AFTER
from serve.resources.live_foods import ABSENT_FOR
from serve.runtime.clock import Clock
from serve.runtime.clock_synchronization import synchronize
from serve.storage.database import Database
from serve.storage.secure_erase import empty_log
from serve.storage.tables import (
    absent_product,
    burst,
    client_token,
    idempotency,
    rate_window,
    reservation,
    steady_time,
    tombstone,
)

__all__ = ["INTERVAL_S", "KEPT", "keep_house", "purge"]

INTERVAL_S = 60.0
"""Seconds from one run of the job to the next, at most."""

KEPT = (
    (idempotency.c.created_at, FORGOTTEN_AFTER),
    (burst.c.minute, timedelta(hours=24, minutes=1)),  # it counts the minute that follows
    (rate_window.c.opened_at, timedelta(days=1)),
    (reservation.c.expires_at, timedelta(0)),
    (absent_product.c.asked_at, ABSENT_FOR),
    (tombstone.c.erased_at, tombstones.STANDS_FOR),
    (steady_time.c.seen_at, timedelta(days=1)),
)
"""How long a row is kept after a moment in steady time; for client tokens this is a setting."""


def purge(
    connection: Connection,
    now: datetime,
    tokens_kept: timedelta,
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> dict[str, int]:
    """Delete what has been kept long enough.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The wall time.
    tokens_kept : timedelta
        How long a client token is kept after its expiry.
    pepper : bytes, default=b""
        Secret of the installation, the key of the hashes in tombstones.
    steady : datetime, optional
        The steady time; `now` if omitted.

    Returns
    -------
    dict of str to int
        The number of rows that went, by table.
    """
    gone = {}
    steady = steady or now
    if swept := tombstones.sweep(connection, steady, pepper):
        audit.record(connection, now, "job", "purged", f"rows of erased users: {swept}")
    ended = steady - tokens_kept
    of_an_earlier_release = client_token.c.ends_at.is_(None) & (client_token.c.expires_at <= ended)
    old_tokens = or_(client_token.c.ends_at <= ended, of_an_earlier_release)
    gone[client_token.name] = connection.execute(delete(client_token).where(old_tokens)).rowcount
    for moment, kept in KEPT:
        due = delete(moment.table).where(moment <= steady - kept)
        gone[moment.table.name] = connection.execute(due).rowcount
    if tokens := gone[client_token.name]:
        audit.record(connection, now, "job", "purged", f"client tokens: {tokens}")
    return gone


async def keep_house(
    database: Database, clock: Clock, tokens_kept: timedelta, pepper: bytes = b""
) -> None:
    """Synchronize the clock, purge what is due, and take what was deleted out of the log file."""
    await database.write(synchronize, clock)
    await database.maintain(purge, clock.now(), tokens_kept, pepper, clock.steady())
    await asyncio.to_thread(empty_log, database)
