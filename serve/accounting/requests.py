"""Monthly request limit and 24-hour limit of each partner.

Writing to the database for every request would take longer than most requests themselves. A process
therefore leases a block of requests (counts them in advance) and admits requests until the block is
used up. The closer the limit, the smaller the block. Leased requests count as used, so the limit is
never exceeded. If a process is killed, at most one block per partner is lost; an idle or stopping
process returns the unused rest of its block.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, update

from serve.accounting import daily_burst
from serve.accounting.month import Month
from serve.accounting.month_counters import of_month, used
from serve.accounting.shared_refill import SharedRefill
from serve.partners.plans import Allowances
from serve.runtime.clock import Clock
from serve.storage.tables import usage
from serve.storage.transactions import Transactions

__all__ = ["LARGEST_BLOCK", "Grant", "Requests", "lease_requests"]

LARGEST_BLOCK = 1024
"""Maximum number of requests that a process leases at once."""

_BLOCKS_LEFT = 64
_IDLE_AFTER_S = 5.0


class Grant(NamedTuple):
    """Requests granted to a partner, or the time to wait if none were granted.

    Attributes
    ----------
    requests : int
        Number of granted requests; 0 if a limit is reached.
    minute : datetime
        Minute in which they are counted, in monotonic time.
    month : Month
        Month in which they are counted.
    retry_after_s : int or None
        Seconds until the 24-hour limit admits requests again; None if this limit is not reached.
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
    leased_s: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    refill: SharedRefill[Grant] = field(default_factory=SharedRefill)


class Requests:
    """The leased requests of one process, by partner.

    Parameters
    ----------
    database : Transactions
        Database with the counters, which all processes share.
    clock : Clock
        Source of the current time.
    """

    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock
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
        else:
            await self._database.write(_return_requests, organization_id, grant)

    async def return_idle(self, *, all_of_them: bool = False) -> None:
        """Give back the unused requests of leases that are older than 5 s, or of all leases."""
        for organization_id, lease in list(self._leases.items()):
            held_s = self._clock.monotonic_s() - lease.leased_s
            if lease.left and (all_of_them or held_s > _IDLE_AFTER_S):
                async with lease.lock:
                    await self._return_unused(organization_id, lease)

    async def _refill(self, organization_id: int, lease: _Lease, allowances: Allowances) -> Grant:
        """Lease a block for all waiting requests; its size doubles while demand is high."""
        async with lease.lock:
            await self._return_unused(organization_id, lease)
            moment = self._clock.monotonic_s()
            is_busy = moment - lease.leased_s < 1.0
            size = max(lease.size * 2 if is_busy else 1, lease.refill.waiting)
            lease.size = min(size, LARGEST_BLOCK)
            lease.leased_s = moment
            month, steady = Month.of(self._clock.now()), self._clock.steady()
            grant = await self._database.write(
                lease_requests, steady, organization_id, allowances, lease.size, month
            )
            if grant.requests:
                lease.month, lease.minute = grant.month, grant.minute
                lease.left = grant.requests
            return grant

    async def _return_unused(self, organization_id: int, lease: _Lease) -> None:
        """Give back the unused requests of a lease, and end the lease.

        If a request from this lease is refused later, its count is undone directly in the database.
        """
        number, minute, month = lease.left, lease.minute, lease.month
        lease.left, lease.minute = 0, None
        if number and minute and month:
            unused = Grant(number, minute, month)
            await self._database.write(_return_requests, organization_id, unused)


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
    """Count a block of requests for a partner; blocks get smaller as a limit gets closer.

    Parameters
    ----------
    connection : Connection
        Connection of a write transaction.
    now : datetime
        Current monotonic time.
    organization_id : int
        ID of the partner.
    allowances : Allowances
        Limits of the partner.
    most : int
        Maximum number of requests to count.
    month : Month, optional
        Month that the requests count toward; the month of `now` by default.

    Returns
    -------
    Grant
        The counted requests, with their minute and month; none if a limit is reached.
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
        burst_left = daily_burst.left(connection, organization_id, ceiling, now)
        if burst_left <= 0:
            reopens_s = daily_burst.reopens_s(connection, organization_id, ceiling, now)
            return Grant(0, minute, month, reopens_s)
        number = max(1, min(most, min(month_left, burst_left) // _BLOCKS_LEFT))
    counted = update(usage).where(of_month(organization_id, month))
    connection.execute(counted.values(requests=before + number))
    daily_burst.count(connection, organization_id, minute, number)
    return Grant(number, minute, month)


def _return_requests(connection: Connection, organization_id: int, unused: Grant) -> None:
    number = unused.requests
    counted = update(usage).where(of_month(organization_id, unused.month))
    connection.execute(counted.values(requests=usage.c.requests - number))
    daily_burst.uncount(connection, organization_id, unused.minute, number)
