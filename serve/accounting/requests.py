"""Requests: the monthly allowance and the burst guard of each partner, leased in blocks.

A write for every request would cost more than most requests do. A process therefore takes a block
of requests from the database at a time and serves from it; the nearer the end of an allowance, the
smaller the block. Counted is what was leased, so the allowance is never exceeded; a process that
is killed loses at most one block, and one that is idle or stops gives back what is left of it.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select, update

from serve.accounting.month import Month
from serve.accounting.month_counters import of_month, used
from serve.accounting.shared_refill import SharedRefill
from serve.partners.plans import Allowances
from serve.runtime.clock import SKEW, Clock
from serve.storage.tables import burst, usage
from serve.storage.transactions import Transactions
from serve.storage.upsert import add

__all__ = ["BURST_SHARE", "LARGEST_BLOCK", "Grant", "Requests", "lease_requests"]

BURST_SHARE = 0.2
"""Part of the monthly allowance that may be used within any 24 hours."""

LARGEST_BLOCK = 1024
"""Requests that a process leases at once at most."""

_BLOCKS_LEFT = 64
_DAY = timedelta(days=1)
_HELD_S = 5.0


class Grant(NamedTuple):
    """What a lease gave.

    Attributes
    ----------
    requests : int
        How many may be served; 0 when an allowance is spent.
    minute : datetime
        The minute on which they are counted, in steady time.
    month : Month
        The month in which they are counted.
    retry_after_s : int or None
        When the burst guard opens again; None when it is the month that is spent.
    """

    requests: int
    minute: datetime
    month: Month
    retry_after_s: int | None = None


@dataclass(slots=True)
class _Lease:
    month: Month | None = None
    minute: datetime | None = None
    left: int = 0
    size: int = 1
    taken_s: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    refill: SharedRefill[Grant] = field(default_factory=SharedRefill)


class Requests:
    """The requests of all partners, as one process takes them."""

    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._leases: dict[int, _Lease] = {}

    async def take(self, organization_id: int, allowances: Allowances) -> Grant:
        """Count one request; of 0 requests when none is left."""
        lease = self._leases.setdefault(organization_id, _Lease())
        refill = partial(self._refill, organization_id, lease, allowances)
        while (grant := _served(lease, self._clock.now())) is None:
            async with self._database.deadline():
                leased = await lease.refill.join(refill)
            if not leased.requests:
                return leased
        return grant

    async def put_back(self, organization_id: int, grant: Grant) -> None:
        """Uncount a request that was refused for another reason."""
        if not grant.requests:
            return
        lease = self._leases[organization_id]
        if (lease.minute, lease.month) == (grant.minute, grant.month):
            lease.left += 1
        else:
            await self._database.write(_return_requests, organization_id, grant)

    async def return_idle(self, *, all_of_them: bool = False) -> None:
        """Give back what has been held for a while, or all of it when the process stops."""
        for organization_id, lease in list(self._leases.items()):
            held_s = self._clock.monotonic_s() - lease.taken_s
            if lease.left and (all_of_them or held_s > _HELD_S):
                async with lease.lock:
                    await self._give_back(organization_id, lease)

    async def _refill(self, organization_id: int, lease: _Lease, allowances: Allowances) -> Grant:
        """Lease a block: larger while requests come quickly, and enough for all who wait."""
        async with lease.lock:
            await self._give_back(organization_id, lease)
            moment = self._clock.monotonic_s()
            eager = moment - lease.taken_s < 1.0
            size = max(lease.size * 2 if eager else 1, lease.refill.waiting)
            lease.size = min(size, LARGEST_BLOCK)
            lease.taken_s = moment
            month, steady = Month.of(self._clock.now()), self._clock.steady()
            grant = await self._database.write(
                lease_requests, steady, organization_id, allowances, lease.size, month
            )
            if grant.requests:
                lease.month, lease.minute = grant.month, grant.minute
                lease.left = grant.requests
            return grant

    async def _give_back(self, organization_id: int, lease: _Lease) -> None:
        """End a lease; what is put back from now on goes straight to the database."""
        number, minute, month = lease.left, lease.minute, lease.month
        lease.left, lease.minute = 0, None
        if number and minute and month:
            unused = Grant(number, minute, month)
            await self._database.write(_return_requests, organization_id, unused)


def _served(lease: _Lease, now: datetime) -> Grant | None:
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
    """Count requests of a partner, fewer towards the end of an allowance.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The steady time.
    organization_id : int
        The partner.
    allowances : Allowances
        Its limits.
    most : int
        How many requests to count at most.
    month : Month, optional
        In which they count; the month of `now` if omitted.

    Returns
    -------
    Grant
        How many were counted, and where.
    """
    month = month or Month.of(now)
    minute = now.replace(second=0, microsecond=0)
    before = used(connection, organization_id, month, usage.c.requests, lock=True)
    number = most
    ceiling = allowances.monthly_requests
    if ceiling is not None:
        month_left = ceiling - before
        if month_left <= 0:
            return Grant(0, minute, month)
        guard = math.ceil(ceiling * BURST_SHARE)
        burst_left = guard - _of_last_day(connection, organization_id, now)
        if burst_left <= 0:
            reopens_s = _reopens_s(connection, organization_id, now, guard)
            return Grant(0, minute, month, reopens_s)
        left = min(month_left, burst_left)
        number = max(1, min(most, left // _BLOCKS_LEFT))
    counted = update(usage).where(of_month(organization_id, month))
    connection.execute(counted.values(requests=before + number))
    add(connection, burst, "requests", number, organization_id=organization_id, minute=minute)
    return Grant(number, minute, month)


def _of_last_day(connection: Connection, organization_id: int, now: datetime) -> int:
    total = select(func.sum(burst.c.requests)).where(_recent(organization_id, now))
    return int(connection.execute(total).scalar() or 0)


def _reopens_s(connection: Connection, organization_id: int, now: datetime, guard: int) -> int:
    """Return the whole seconds until enough minutes have left the last day, a day at most."""
    recent = _recent(organization_id, now)
    query = select(burst.c.minute, burst.c.requests).where(recent).order_by(burst.c.minute)
    rows = connection.execute(query).all()
    total = sum(row.requests for row in rows)
    gone = accumulate(row.requests for row in rows)
    opens = next(row.minute for row, past in zip(rows, gone, strict=True) if total - past < guard)
    wait: timedelta = min(_DAY, opens + _DAY - now)
    return max(1, math.ceil(wait.total_seconds()))


def _recent(organization_id: int, now: datetime) -> ColumnElement[bool]:
    minutes = (burst.c.minute > now - _DAY) & (burst.c.minute <= now + SKEW)
    return (burst.c.organization_id == organization_id) & minutes


def _return_requests(connection: Connection, organization_id: int, unused: Grant) -> None:
    number = unused.requests
    counted = update(usage).where(of_month(organization_id, unused.month))
    connection.execute(counted.values(requests=usage.c.requests - number))
    of_minute = (burst.c.organization_id == organization_id) & (burst.c.minute == unused.minute)
    connection.execute(update(burst).where(of_minute).values(requests=burst.c.requests - number))
