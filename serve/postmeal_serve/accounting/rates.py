"""Rate limits per minute and endpoint, in windows that start with their first request.

If a limit is small, every request is counted in the database. If it is large, a process leases
blocks of requests: it counts them in the database in advance, as in
`postmeal_serve.accounting.requests`.

While the database cannot be written, requests are counted in the memory that the processes of a
machine share, in addition to those in the database.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, select, update

from postmeal_serve.accounting.minutes import WINDOW_S, Minutes
from postmeal_serve.accounting.outage import CounterWrites, Unwritable
from postmeal_serve.accounting.shared_refill import SharedRefill
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.tables import rate_window
from postmeal_serve.storage.transactions import Transactions
from postmeal_serve.storage.upsert import insert_missing

__all__ = ["RateStatus", "Rates", "lease_calls"]

_LARGEST_BLOCK = 1024
_BLOCKS_LEFT = 64
_COUNTED_SINGLY = 1000
_WINDOW = timedelta(seconds=WINDOW_S)


class RateStatus(NamedTuple):
    """State of a rate limit after a request."""

    limit: int
    left: int
    reset_s: int
    admitted: bool
    opened_at: datetime

    @property
    def headers(self) -> dict[str, str]:
        """The ``RateLimit`` headers (draft-ietf-httpapi-ratelimit-headers-10)."""
        return {
            "ratelimit-policy": f'"endpoint";q={self.limit};w={WINDOW_S}',
            "ratelimit": f'"endpoint";r={self.left};t={self.reset_s}',
        }


@dataclass(slots=True)
class _Lease:
    opened_at: datetime | None = None
    limit: int = 0
    left: int = 0
    elsewhere: int = 0
    unwritten: int = 0
    refill: SharedRefill[None] = field(default_factory=SharedRefill)


class Rates:
    """Rate limits of all callers, as counted by one process."""

    def __init__(
        self, database: Transactions, clock: Clock, minutes: Minutes | None = None
    ) -> None:
        self._database = database
        self._clock = clock
        self._minutes = minutes or Minutes()
        self._writes = CounterWrites(database, clock)
        self._leases: dict[tuple[str, str], _Lease] = {}

    async def take(self, holder: str, endpoint: str, limit: int) -> RateStatus:
        """Count a request if the limit allows it, and return the state of the limit."""
        lease = self._leases.get((holder, endpoint))
        if lease is None:
            lease = self._leases[holder, endpoint] = _Lease()
        while (standing := _count_leased(lease, limit, self._clock.steady())) is None:
            refill = partial(self._refill, lease, holder, endpoint, limit)
            async with self._database.deadline():
                await lease.refill.join(refill)
        return standing

    def undo(self, holder: str, endpoint: str, standing: RateStatus) -> None:
        """Undo the count of a request that was refused for a different reason.

        If the window of the request has ended, the call has no effect.
        """
        lease = self._leases.get((holder, endpoint))
        if lease and (lease.opened_at, lease.limit) == (standing.opened_at, standing.limit):
            lease.left += 1

    def forget_old(self) -> None:
        """Remove windows that have ended from memory."""
        now = self._clock.steady()
        for key, lease in list(self._leases.items()):
            ended = lease.opened_at is None or not _is_open(lease.opened_at, now)
            if ended and not lease.refill.waiting:
                del self._leases[key]

    async def _refill(self, lease: _Lease, holder: str, endpoint: str, limit: int) -> None:
        """Lease a block that covers all waiting requests."""
        now, waiting = self._clock.steady(), lease.refill.waiting
        has_window = lease.opened_at is not None and _is_open(lease.opened_at, now)
        unwritten = lease.unwritten if has_window else 0
        key = (holder, endpoint, limit, waiting)
        try:
            window = await self._writes.write(lease_calls, now, *key, unwritten)
            lease.unwritten = 0
        except Unwritable:
            stored = await self._database.read(_open_window, now, holder, endpoint)
            window = self._lease_in_memory(stored, now, *key)
            lease.unwritten = unwritten + window[1]
            if has_window and lease.opened_at is not None:
                window = (lease.opened_at, *window[1:])
        opened_at, granted, elsewhere = window
        if (lease.opened_at, lease.limit) != (opened_at, limit):
            lease.opened_at, lease.limit, lease.left = opened_at, limit, 0
        lease.left += granted
        lease.elsewhere = elsewhere

    def _lease_in_memory(
        self,
        stored: tuple[datetime, int] | None,
        now: datetime,
        holder: str,
        endpoint: str,
        limit: int,
        most: int,
    ) -> tuple[datetime, int, int]:
        """Count requests in memory, beside those of the stored window; see `lease_calls`."""
        name, now_s = f"unwritten {holder} {endpoint}", self._clock.monotonic_s()
        cell = self._minutes.find(name, now_s)
        opened_at, calls = stored or (now - cell.age, 0)
        left = max(0, limit - calls - cell.calls)
        granted = min(left, most)
        for _ in range(granted):
            self._minutes.count(name, now_s)
        return opened_at, granted, left - granted


def _count_leased(lease: _Lease, limit: int, now: datetime) -> RateStatus | None:
    """Count a request in memory; return None if a block must be leased from the database first."""
    opened_at = lease.opened_at
    if opened_at is None or lease.limit != limit or not _is_open(opened_at, now):
        return None
    if not lease.left and lease.elsewhere:
        return None
    return _count(lease, opened_at, now)


def _count(lease: _Lease, opened_at: datetime, now: datetime) -> RateStatus:
    admitted = lease.left > 0
    if admitted:
        lease.left -= 1
    reset_s = max(1, math.ceil((opened_at + _WINDOW - now).total_seconds()))
    return RateStatus(lease.limit, lease.left + lease.elsewhere, reset_s, admitted, opened_at)


def _is_open(opened_at: datetime, now: datetime) -> bool:
    return now < opened_at + _WINDOW


def _of_endpoint(holder: str, endpoint: str) -> ColumnElement[bool]:
    return (rate_window.c.holder == holder) & (rate_window.c.endpoint == endpoint)


def _open_window(
    connection: Connection, now: datetime, holder: str, endpoint: str
) -> tuple[datetime, int] | None:
    """Return the start and the count of the stored window; None if none is open."""
    query = select(rate_window.c.opened_at, rate_window.c.calls)
    row = connection.execute(query.where(_of_endpoint(holder, endpoint))).first()
    if row is None or not _is_open(row.opened_at, now):
        return None
    return min(row.opened_at, now), row.calls


def lease_calls(
    connection: Connection,
    now: datetime,
    holder: str,
    endpoint: str,
    limit: int,
    wanted: int = 1,
    unwritten: int = 0,
) -> tuple[datetime, int, int]:
    """Count a block of requests in the current window.

    If the stored window starts in the future, its start is set to `now`, so that it ends within a
    minute. Its count does not change.
    """
    where = _of_endpoint(holder, endpoint)
    query = select(rate_window.c.opened_at, rate_window.c.calls).where(where).with_for_update()
    row = connection.execute(query).first()
    if row is None:
        key = {"holder": holder, "endpoint": endpoint}
        insert_missing(connection, rate_window, **key, opened_at=now, calls=0)
        row = connection.execute(query).one()
    opened_at, calls = min(row.opened_at, now), row.calls
    if not _is_open(opened_at, now):
        opened_at, calls = now, 0
    calls += unwritten
    left = max(0, limit - calls)
    block = 0 if limit <= _COUNTED_SINGLY else min(_LARGEST_BLOCK, left // _BLOCKS_LEFT)
    granted = min(left, max(wanted, block))
    if granted or unwritten or opened_at < row.opened_at:
        counted = {"opened_at": opened_at, "calls": calls + granted}
        connection.execute(update(rate_window).where(where).values(**counted))
    return opened_at, granted, left - granted
