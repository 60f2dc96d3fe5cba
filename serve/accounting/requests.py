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

from sqlalchemy import ColumnElement, Connection, func, select, update

from serve.accounting.month import Month
from serve.accounting.used import of_month, used
from serve.clock import LARGEST_STEP_BACK, Clock
from serve.partners.plans import Allowances
from serve.storage.database import Database
from serve.storage.rows import add
from serve.storage.tables import burst, usage

__all__ = ["BURST_SHARE", "LARGEST_BLOCK", "Grant", "Requests", "lease_requests"]

BURST_SHARE = 0.2
"""Part of the monthly allowance that may be used within any 24 hours."""

LARGEST_BLOCK = 256
"""Requests that a process leases at once at most."""

_BLOCKS_LEFT = 64
_DAY = timedelta(days=1)
_HELD_S = 5.0


@dataclass(frozen=True, slots=True)
class Grant:
    """What a lease gave.

    Attributes
    ----------
    requests : int
        How many may be served; 0 when an allowance is spent.
    minute : datetime
        The minute on which they are counted.
    retry_after_s : int or None
        When the burst guard opens again; None when it is the month that is spent.
    """

    requests: int
    minute: datetime
    retry_after_s: int | None = None


@dataclass(slots=True)
class _Lease:
    month: Month | None = None
    minute: datetime | None = None
    left: int = 0
    size: int = 1
    taken_s: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Requests:
    """The requests of all partners, as one process takes them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._leases: dict[int, _Lease] = {}

    async def take(self, organization_id: int, allowances: Allowances) -> Grant:
        """Count one request; of 0 requests when none is left."""
        lease = self._leases.setdefault(organization_id, _Lease())
        grant = _served(lease, self._clock.now())
        if grant is not None:
            return grant
        async with lease.lock:
            now = self._clock.now()
            grant = _served(lease, now)
            if grant is not None:
                return grant
            await self._give_back(organization_id, lease)
            moment = self._clock.monotonic_s()
            eager = moment - lease.taken_s < 1.0
            lease.size = min(lease.size * 2, LARGEST_BLOCK) if eager else 1
            lease.taken_s = moment
            grant = await self._database.write(
                lease_requests, now, organization_id, allowances, lease.size
            )
            if grant.requests:
                lease.month, lease.minute = Month.of(now), grant.minute
                lease.left = grant.requests - 1
                return Grant(1, grant.minute)
            return grant

    async def put_back(self, organization_id: int, grant: Grant) -> None:
        """Uncount a request that was refused for another reason."""
        if not grant.requests:
            return
        lease = self._leases[organization_id]
        if lease.minute == grant.minute:
            lease.left += 1
        else:
            await self._database.write(_return_requests, organization_id, grant.minute, 1)

    async def return_idle(self, *, all_of_them: bool = False) -> None:
        """Give back what has been held for a while, or all of it when the process stops."""
        for organization_id, lease in list(self._leases.items()):
            held_s = self._clock.monotonic_s() - lease.taken_s
            if lease.left and (all_of_them or held_s > _HELD_S):
                async with lease.lock:
                    await self._give_back(organization_id, lease)

    async def _give_back(self, organization_id: int, lease: _Lease) -> None:
        """End a lease; what is put back from now on goes straight to the database."""
        number, minute = lease.left, lease.minute
        lease.left, lease.minute = 0, None
        if number and minute:
            await self._database.write(_return_requests, organization_id, minute, number)


def _served(lease: _Lease, now: datetime) -> Grant | None:
    if lease.left <= 0 or lease.minute is None or lease.month is not Month.of(now):
        return None
    lease.left -= 1
    return Grant(1, lease.minute)


def lease_requests(
    connection: Connection,
    now: datetime,
    organization_id: int,
    allowances: Allowances,
    most: int,
) -> Grant:
    """Count up to `most` requests of a partner, fewer towards the end of an allowance."""
    month = Month.of(now)
    minute = now.replace(second=0, microsecond=0)
    before = used(connection, organization_id, month, usage.c.requests, lock=True)
    number = most
    ceiling = allowances.monthly_requests
    if ceiling is not None:
        month_left = ceiling - before
        if month_left <= 0:
            return Grant(0, minute)
        guard = math.ceil(ceiling * BURST_SHARE)
        burst_left = guard - _of_last_day(connection, organization_id, now)
        if burst_left <= 0:
            return Grant(0, minute, _reopens_s(connection, organization_id, now, guard))
        left = min(month_left, burst_left)
        number = max(1, min(most, left // _BLOCKS_LEFT))
    counted = update(usage).where(of_month(organization_id, month))
    connection.execute(counted.values(requests=before + number))
    add(connection, burst, "requests", number, organization_id=organization_id, minute=minute)
    return Grant(number, minute)


def _of_last_day(connection: Connection, organization_id: int, now: datetime) -> int:
    total = select(func.sum(burst.c.requests)).where(_recent(organization_id, now))
    return int(connection.execute(total).scalar() or 0)


def _reopens_s(connection: Connection, organization_id: int, now: datetime, guard: int) -> int:
    """Answer when enough minutes have left the last day, in whole seconds, a day at most."""
    recent = _recent(organization_id, now)
    minutes = connection.execute(select(burst.c.minute, burst.c.requests).where(recent))
    rows: list[tuple[datetime, int]] = sorted((minute, number) for minute, number in minutes)
    used: int = sum(number for _, number in rows)
    wait = _DAY
    for minute, number in rows:
        used -= number
        if used < guard:
            wait = min(wait, minute + _DAY - now)
            break
    return max(1, math.ceil(wait.total_seconds()))


def _recent(organization_id: int, now: datetime) -> ColumnElement[bool]:
    minutes = (burst.c.minute > now - _DAY) & (burst.c.minute <= now + LARGEST_STEP_BACK)
    return (burst.c.organization_id == organization_id) & minutes


def _return_requests(
    connection: Connection, organization_id: int, minute: datetime, number: int
) -> None:
    counted = update(usage).where(of_month(organization_id, Month.of(minute)))
    connection.execute(counted.values(requests=usage.c.requests - number))
    of_minute = (burst.c.organization_id == organization_id) & (burst.c.minute == minute)
    connection.execute(update(burst).where(of_minute).values(requests=burst.c.requests - number))
