"""Synchronization: all processes of an installation share one steady time.

On one machine they count from the same boot, so one stored moment per boot makes them agree
exactly, whatever the wall clock does and however often they restart. After a boot, and on another
machine, steady time continues from the latest record, plus what has passed since by the
database's clock. It never runs backwards: a boot that is behind a record is moved ahead to it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from serve.runtime.clock import Clock
from serve.storage.database import Database
from serve.storage.tables import steady_time
from serve.storage.upsert import insert_missing

__all__ = ["join", "synchronize"]


def join(database: Database, clock: Clock) -> None:
    """Synchronize the clock of a process that starts; this writes for the first one of a boot only.

    Parameters
    ----------
    database : Database
        The database of the installation.
    clock : Clock
        The clock of the process.
    """
    with database.reading() as connection:
        mine = _recorded(connection, clock.boot)
    if mine is not None and mine.seen_at <= _at(mine, clock):
        clock.synchronize(mine.zero_at, mine.wall_zero_at)
        return
    with database.writing() as connection:
        synchronize(connection, clock)


def synchronize(connection: Connection, clock: Clock) -> None:
    """Synchronize a clock, and record the time.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    clock : Clock
        The clock of the process.
    """
    mine = _recorded(connection, clock.boot, lock=True) or _begun(connection, clock)
    latest = connection.execute(select(func.max(steady_time.c.seen_at))).scalar_one()
    zero_at = mine.zero_at + max(timedelta(0), latest - _at(mine, clock))
    clock.synchronize(zero_at, mine.wall_zero_at)
    recorded = {
        "zero_at": zero_at,
        "wall_zero_at": clock.wall_zero_at,
        "seen_at": clock.steady(),
        "seen_wall_at": _wall(connection, clock),
    }
    this = update(steady_time).where(steady_time.c.boot == clock.boot)
    connection.execute(this.values(**recorded))


def _begun(connection: Connection, clock: Clock) -> Row[Any]:
    """Insert the row of a boot, which continues from the latest record."""
    wall = _wall(connection, clock)
    query = select(steady_time).order_by(steady_time.c.seen_at.desc()).limit(1)
    last = connection.execute(query).first()
    steady = clock.now()  # of a new installation
    if last is not None:
        steady = last.seen_at + max(timedelta(0), wall - last.seen_wall_at)
    begun = {
        "zero_at": steady - timedelta(seconds=clock.monotonic_s()),
        "wall_zero_at": clock.wall_zero_at,
        "seen_at": steady,
        "seen_wall_at": wall,
    }
    insert_missing(connection, steady_time, boot=clock.boot, **begun)
    mine = _recorded(connection, clock.boot, lock=True)
    assert mine is not None
    return mine


def _recorded(connection: Connection, boot: str, *, lock: bool = False) -> Row[Any] | None:
    query = select(steady_time).where(steady_time.c.boot == boot)
    return connection.execute(query.with_for_update() if lock else query).first()


def _at(row: Row[Any], clock: Clock) -> datetime:
    """Return the steady time of a clock by the record of its boot."""
    zero_at: datetime = row.zero_at
    return zero_at + timedelta(seconds=clock.monotonic_s())


def _wall(connection: Connection, clock: Clock) -> datetime:
    """Return the wall time of the database, which its machines share."""
    if connection.dialect.name == "sqlite":
        return clock.now()
    wall: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return wall
