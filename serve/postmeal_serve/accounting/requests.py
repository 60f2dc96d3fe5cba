"""Monthly request limit and 24-hour limit of each partner.

Writing to the database for every request would take longer than most requests themselves. A process
therefore leases a block of requests (counts them in advance) and admits requests until the block is
used up. The closer the limit, the smaller the block. Leased requests count as used, so the limit is
never exceeded. If a process is killed, at most one block per partner is lost; an idle or stopping
process returns the unused rest of its block.

While the database cannot be written, a process counts in memory what it has read to be left, up to
one large block per partner, and writes these counts as soon as the database can be written again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, update

from postmeal_serve.accounting import daily_burst
from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.month_counters import of_month, used
from postmeal_serve.accounting.outage import CounterWrites, Unwritable
from postmeal_serve.accounting.shared_refill import SharedRefill
from postmeal_serve.partners.plans import Allowances
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.tables import usage
from postmeal_serve.storage.transactions import Transactions

__all__ = ["LARGEST_BLOCK", "Grant", "Requests", "lease_requests"]

LARGEST_BLOCK = 1024
"""Maximum number of requests that a process leases at once."""

_BLOCKS_LEFT = 64
_IDLE_AFTER_S = 5.0
_UNLIMITED = 2**62


class Grant(NamedTuple):
    """Requests granted to a partner, or the time to wait if none were granted."""

    requests: int
    minute: datetime
    month: Month
    retry_after_s: int | None = None


_Counts = Counter[tuple[Month, datetime]]  # Requests by month and minute; negative if unused.


@dataclass(slots=True)
class _Lease:
    month: Month | None = None
    minute: datetime | None = None
    left: int = 0
    size: int = 1
    leased_s: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    refill: SharedRefill[Grant] = field(default_factory=SharedRefill)
    unwritten: _Counts = field(default_factory=Counter)


class Requests:
    """The leased requests of one process, by partner."""

    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._writes = CounterWrites(database, clock)
        self._leases: dict[int, _Lease] = {}

    async def take(self, organization_id: int, allowances: Allowances) -> Grant:
        """Count one request and return its grant, which has ``requests=0`` if none are left."""
        lease = self._leases.get(organization_id)
        if lease is None:
            lease = self._leases[organization_id] = _Lease()
        while (grant := _take_leased(lease, self._clock.now())) is None:
            refill = partial(self._refill, organization_id, lease, allowances)
            async with self._database.deadline():
                leased = await lease.refill.join(refill)
            if not leased.requests:
                return leased
        return grant

    async def undo(self, organization_id: int, grant: Grant) -> None:
        """Undo the count of a request that was refused for a different reason."""
        if not grant.requests:
            return
        lease = self._leases[organization_id]
        if (lease.minute, lease.month) == (grant.minute, grant.month):
            lease.left += 1
            return
        lease.unwritten[grant.month, grant.minute] -= 1
        with suppress(Unwritable):
            await self._write_counts(organization_id, lease)

    async def return_idle(self, *, all_of_them: bool = False) -> None:
        """Give back the unused requests of leases that are older than 5 s, or of all leases."""
        for organization_id, lease in list(self._leases.items()):
            held_s = self._clock.monotonic_s() - lease.leased_s
            is_idle = lease.left and (all_of_them or held_s > _IDLE_AFTER_S)
            if is_idle or lease.unwritten:
                async with lease.lock:
                    if is_idle:
                        _end(lease)
                    await self._write_counts(organization_id, lease)

    async def _refill(self, organization_id: int, lease: _Lease, allowances: Allowances) -> Grant:
        """Lease a block for all waiting requests; its size doubles while demand is high."""
        async with lease.lock:
            _end(lease)
            moment = self._clock.monotonic_s()
            is_busy = moment - lease.leased_s < 1.0
            size = max(lease.size * 2 if is_busy else 1, lease.refill.waiting)
            lease.size = min(size, LARGEST_BLOCK)
            lease.leased_s = moment
            month, steady = Month.of(self._clock.now()), self._clock.steady()
            block = (steady, organization_id, allowances, lease.size, month)
            try:
                await self._write_counts(organization_id, lease)
                grant = await self._writes.write(lease_requests, *block)
            except Unwritable:
                counted = lease.unwritten.total()
                in_memory = await self._database.read(_lease_in_memory, *block, counted)
                if in_memory is None:
                    raise
                grant = in_memory
                lease.unwritten[grant.month, grant.minute] += grant.requests
            if grant.requests:
                lease.month, lease.minute = grant.month, grant.minute
                lease.left = grant.requests
            return grant

    async def _write_counts(self, organization_id: int, lease: _Lease) -> None:
        """Add to the database what was counted in memory, and subtract what was not used.

        If it is unknown whether this succeeded, unused requests count as used.
        """
        counts, lease.unwritten = lease.unwritten, Counter()
        try:
            if counts:
                await self._writes.write(_add_counts, organization_id, counts)
        except Unwritable:
            lease.unwritten.update(counts)
            raise
        except BaseException:
            lease.unwritten.update(+counts)
            raise


def _end(lease: _Lease) -> None:
    """End a lease; its unused requests remain to be given back to the database."""
    if lease.left and lease.minute and lease.month:
        lease.unwritten[lease.month, lease.minute] -= lease.left
    lease.left, lease.minute = 0, None


def _take_leased(lease: _Lease, now: datetime) -> Grant | None:
    month = Month.of(now)
    if lease.left <= 0 or lease.minute is None or lease.month is not month:
        return None
    lease.left -= 1
    return Grant(1, lease.minute, month)


def lease_requests(
    connection: Connection,
    now: datetime,
    organization_id: int,
    allowances: Allowances,
    most: int,
    month: Month | None = None,
) -> Grant:
    """Count a block of requests for a partner; blocks get smaller as a limit gets closer."""
    left = _left(connection, now, organization_id, allowances, month or Month.of(now), lock=True)
    if not left.requests:
        return left
    grant = left._replace(requests=max(1, min(most, left.requests // _BLOCKS_LEFT)))
    _count(connection, organization_id, grant.month, grant.minute, grant.requests)
    return grant


def _lease_in_memory(
    connection: Connection,
    now: datetime,
    organization_id: int,
    allowances: Allowances,
    most: int,
    month: Month,
    counted: int,
) -> Grant | None:
    """Return a block for a process that has counted `counted` requests without writing them.

    A process may count 1,024 requests of a partner in this way, or a 64th of those that are left,
    and never more than are left. Return None if it has counted them all.
    """
    left = _left(connection, now, organization_id, allowances, month)
    if not left.requests:
        return left
    block = max(LARGEST_BLOCK, left.requests // _BLOCKS_LEFT)
    number = min(most, min(block, left.requests) - counted)
    return left._replace(requests=number) if number > 0 else None


def _left(
    connection: Connection,
    now: datetime,
    organization_id: int,
    allowances: Allowances,
    month: Month,
    *,
    lock: bool = False,
) -> Grant:
    """Return all requests that a partner has left in a month and within 24 hours."""
    minute = now.replace(second=0, microsecond=0)
    before = used(connection, organization_id, month, usage.c.requests, lock=lock)
    ceiling = allowances.monthly_requests
    if ceiling is None:
        return Grant(_UNLIMITED, minute, month)
    month_left = ceiling - before
    if month_left <= 0:
        return Grant(0, minute, month)
    burst_left = daily_burst.left(connection, organization_id, ceiling, now)
    if burst_left <= 0:
        reopens_s = daily_burst.reopens_s(connection, organization_id, ceiling, now)
        return Grant(0, minute, month, reopens_s)
    return Grant(min(month_left, burst_left), minute, month)


def _add_counts(
    connection: Connection, organization_id: int, counts: Mapping[tuple[Month, datetime], int]
) -> None:
    for (month, minute), number in sorted(counts.items(), key=lambda item: item[0][1]):
        used(connection, organization_id, month, usage.c.requests, lock=True)
        _count(connection, organization_id, month, minute, number)


def _count(
    connection: Connection, organization_id: int, month: Month, minute: datetime, number: int
) -> None:
    counted = update(usage).where(of_month(organization_id, month))
    connection.execute(counted.values(requests=usage.c.requests + number))
    daily_burst.count(connection, organization_id, minute, number)
