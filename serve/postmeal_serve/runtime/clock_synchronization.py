"""Clock synchronization, which gives all processes of an installation the same monotonic time.

All processes on a machine count the seconds since the machine booted, and the database stores the
monotonic time at each boot. The processes therefore agree exactly, even if the wall clock jumps or
processes restart. After a reboot, or on another machine, monotonic time continues from the latest
record plus the time that has passed since then according to the database's clock. Monotonic time
never runs backward: if the time of a boot is behind a record, it is advanced to the record.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import steady_time
from postmeal_serve.storage.upsert import insert_missing

__all__ = ["join", "synchronize"]


def join(database: Database, clock: Clock) -> None:
    """Synchronize the clock of a process when the process starts.

    Usually, only the first process after a boot writes to the database.
    """
    with database.reading() as connection:
        record = _record_of(connection, clock.boot)
    if record is not None and record.seen_at <= _steady_time(record, clock):
        clock.synchronize(record.zero_at, record.wall_zero_at)
        return
    with database.writing() as connection:
        synchronize(connection, clock)


def synchronize(connection: Connection, clock: Clock) -> None:
    """Synchronize a clock, and record its current monotonic time in the database."""
    record = _record_of(connection, clock.boot, lock=True) or _insert_boot(connection, clock)
    latest = connection.execute(select(func.max(steady_time.c.seen_at))).scalar_one()
    zero_at = record.zero_at + max(timedelta(0), latest - _steady_time(record, clock))
    clock.synchronize(zero_at, record.wall_zero_at)
    values = {
        "zero_at": zero_at,
        "wall_zero_at": clock.wall_zero_at,
        "seen_at": clock.steady(),
        "seen_wall_at": _wall(connection, clock),
    }
    statement = update(steady_time).where(steady_time.c.boot == clock.boot)
    connection.execute(statement.values(**values))


def _insert_boot(connection: Connection, clock: Clock) -> Row[Any]:
    """Insert a record for a new boot, whose time continues from the latest record."""
    wall = _wall(connection, clock)
    query = select(steady_time).order_by(steady_time.c.seen_at.desc()).limit(1)
    last = connection.execute(query).first()
    steady = clock.now()  # Default for a new installation.
    if last is not None:
        steady = last.seen_at + max(timedelta(0), wall - last.seen_wall_at)
    values = {
        "zero_at": steady - timedelta(seconds=clock.monotonic_s()),
        "wall_zero_at": clock.wall_zero_at,
        "seen_at": steady,
        "seen_wall_at": wall,
    }
    insert_missing(connection, steady_time, boot=clock.boot, **values)
    record = _record_of(connection, clock.boot, lock=True)
    assert record is not None
    return record


def _record_of(connection: Connection, boot: str, *, lock: bool = False) -> Row[Any] | None:
    query = select(steady_time).where(steady_time.c.boot == boot)
    return connection.execute(query.with_for_update() if lock else query).first()


def _steady_time(row: Row[Any], clock: Clock) -> datetime:
    """Return the current monotonic time according to the record of this boot."""
    zero_at: datetime = row.zero_at
    return zero_at + timedelta(seconds=clock.monotonic_s())


def _wall(connection: Connection, clock: Clock) -> datetime:
    """Return the wall time of the database, which is the same for all machines."""
    if connection.dialect.name == "sqlite":
        return clock.now()
    wall: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return wall
