"""Retention: what is kept how long, and the job that purges it."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete

from serve.clock import Clock
from serve.live_foods import ABSENT_FOR
from serve.partners import audit
from serve.storage.database import Database
from serve.storage.residue import empty_log
from serve.storage.tables import (
    absent_product,
    burst,
    client_token,
    idempotency,
    rate_window,
    reservation,
)

__all__ = ["INTERVAL_S", "keep_house", "purge"]

INTERVAL_S = 60.0
"""Seconds from one run of the job to the next, at most."""

_KEPT = (
    (idempotency.c.created_at, timedelta(hours=24)),
    (burst.c.minute, timedelta(hours=24, minutes=1)),  # it counts the minute that follows
    (rate_window.c.opened_at, timedelta(days=1)),
    (reservation.c.expires_at, timedelta(0)),
    (absent_product.c.asked_at, ABSENT_FOR),
)
"""How long a row is kept after a moment that it tells; for client tokens this is a setting."""


def purge(connection: Connection, now: datetime, tokens_kept: timedelta) -> dict[str, int]:
    """Delete what has been kept long enough.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The time.
    tokens_kept : timedelta
        How long a client token is kept after its expiry.

    Returns
    -------
    dict of str to int
        The number of rows that went, by table.
    """
    gone = {}
    for moment, kept in ((client_token.c.expires_at, tokens_kept), *_KEPT):
        due = delete(moment.table).where(moment <= now - kept)
        gone[moment.table.name] = connection.execute(due).rowcount
    if tokens := gone[client_token.name]:
        audit.record(connection, now, "job", "purged", f"client tokens: {tokens}")
    return gone


async def keep_house(database: Database, clock: Clock, tokens_kept: timedelta) -> None:
    """Purge what is due, then take what was deleted since the last time out of the log file."""
    await database.write(purge, clock.now(), tokens_kept)
    await asyncio.to_thread(empty_log, database)
