"""Retention periods of stored data, and the job that deletes expired data."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, or_

from postmeal_serve.partners import audit
from postmeal_serve.resources import scan_history, tombstones, transcripts
from postmeal_serve.resources.idempotency import KEY_LIFETIME
from postmeal_serve.resources.live_foods import ABSENT_FOR
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.clock_synchronization import synchronize
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.secure_erase import empty_log
from postmeal_serve.storage.tables import (
    absent_product,
    burst,
    client_token,
    idempotency,
    process,
    rate_window,
    reservation,
    steady_time,
    tombstone,
)

__all__ = ["INTERVAL_S", "KEPT", "SCANS_KEPT", "TRANSCRIPTS_KEPT", "delete_expired", "purge"]

INTERVAL_S = 60.0
"""Maximum interval between runs of the job, in seconds."""

TRANSCRIPTS_KEPT = timedelta(days=30)
"""Default retention period of transcripts."""

SCANS_KEPT = timedelta(days=30)
"""Default retention period of scan histories."""

KEPT = (
    (idempotency.c.created_at, KEY_LIFETIME),
    (burst.c.minute, timedelta(hours=24, minutes=1)),  # A row covers the minute after its time.
    (rate_window.c.opened_at, timedelta(days=1)),
    (reservation.c.expires_at, timedelta(0)),
    (process.c.ends_at, timedelta(0)),
    (absent_product.c.asked_at, ABSENT_FOR),
    (tombstone.c.erased_at, tombstones.LIFETIME),
    (steady_time.c.seen_at, timedelta(days=1)),
)
"""Columns with monotonic times, each with a retention period. A row is deleted when its time is
older than the period. The periods of client tokens, transcripts and scan histories are settings."""


def purge(
    connection: Connection,
    now: datetime,
    tokens_kept: timedelta,
    pepper: bytes = b"",
    steady: datetime | None = None,
    transcripts_kept: timedelta = TRANSCRIPTS_KEPT,
    scans_kept: timedelta = SCANS_KEPT,
) -> dict[str, int]:
    """Delete rows whose retention period has ended."""
    deleted = {}
    steady = steady or now
    if late_rows := tombstones.sweep(connection, steady, pepper):
        audit.record(connection, now, "job", "purged", f"rows of erased users: {late_rows}")
    latest_end = steady - tokens_kept
    # Earlier releases did not store `ends_at`.
    has_no_end = client_token.c.ends_at.is_(None)
    is_due = or_(
        client_token.c.ends_at <= latest_end, has_no_end & (client_token.c.expires_at <= latest_end)
    )
    deleted[client_token.name] = connection.execute(delete(client_token).where(is_due)).rowcount
    for column, retention in KEPT:
        statement = delete(column.table).where(column <= steady - retention)
        deleted[column.table.name] = connection.execute(statement).rowcount
    if tokens := deleted[client_token.name]:
        audit.record(connection, now, "job", "purged", f"client tokens: {tokens}")
    deleted["transcripts"] = transcripts.delete_until(connection, steady - transcripts_kept)
    if ended := deleted["transcripts"]:
        audit.record(connection, now, "job", "purged", f"transcripts: {ended}")
    deleted["scanned_food"] = scan_history.delete_until(connection, steady - scans_kept)
    if foods := deleted["scanned_food"]:
        audit.record(connection, now, "job", "purged", f"scanned foods: {foods}")
    return deleted


async def delete_expired(
    database: Database,
    clock: Clock,
    tokens_kept: timedelta,
    pepper: bytes = b"",
    transcripts_kept: timedelta = TRANSCRIPTS_KEPT,
    scans_kept: timedelta = SCANS_KEPT,
) -> None:
    """Synchronize the clock, delete expired rows, and empty SQLite's write-ahead log."""
    await database.write(synchronize, clock)
    now, steady = clock.now(), clock.steady()
    await database.maintain(purge, now, tokens_kept, pepper, steady, transcripts_kept, scans_kept)
    await asyncio.to_thread(empty_log, database)
