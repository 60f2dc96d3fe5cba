"""Rates: calls a minute of each endpoint, counted from the first call of the minute.

Small limits are counted call by call; from large ones a process leases a block, as it does of
`serve.accounting.requests`.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Connection, select, update

from serve.clock import LARGEST_STEP_BACK, Clock
from serve.storage.database import Database
from serve.storage.rows import insert_missing
from serve.storage.tables import rate_window

__all__ = ["WINDOW_S", "Rates", "Standing", "lease_calls"]

WINDOW_S = 60
"""Seconds from the first call of a window to the next window."""

_LARGEST_BLOCK = 256
_BLOCKS_LEFT = 64
_COUNTED_SINGLY = 1000
_WINDOW = timedelta(seconds=WINDOW_S)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a caller stands with a limit.

    Attributes
    ----------
    limit : int
        Calls a window.
    left : int
        Calls left in this window, as far as this process knows.
    reset_s : int
        Whole seconds to the next window.
    admitted : bool
        Whether this call was within the limit.
    opened_at : datetime
        When this window was opened.
    """

    limit: int
    left: int
    reset_s: int
    admitted: bool
    opened_at: datetime

    @property
    def headers(self) -> dict[str, str]:
        """The limit and what is left (draft-ietf-httpapi-ratelimit-headers-10)."""
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
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Rates:
    """The windows of all callers, as one process counts in them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._leases: dict[tuple[str, str], _Lease] = {}

    async def take(self, holder: str, endpoint: str, limit: int) -> Standing:
        """Count one call, if the limit allows it."""
        lease = self._leases.setdefault((holder, endpoint), _Lease())
        standing = _known(lease, limit, self._clock.now())
        if standing is not None:
            return standing
        async with lease.lock:
            now = self._clock.now()
            standing = _known(lease, limit, now)
            if standing is not None:
                return standing
            opened_at, granted, elsewhere = await self._database.write(
                lease_calls, now, holder, endpoint, limit
            )
            if (lease.opened_at, lease.limit) != (opened_at, limit):
                lease.opened_at, lease.limit, lease.left = opened_at, limit, 0
            lease.left += granted
            lease.elsewhere = elsewhere
            return _counted(lease, opened_at, self._clock.now())

    def put_back(self, holder: str, endpoint: str, standing: Standing) -> None:
        """Uncount a call that was refused for another reason; an ended window needs none."""
        lease = self._leases.get((holder, endpoint))
        if lease and (lease.opened_at, lease.limit) == (standing.opened_at, standing.limit):
            lease.left += 1

    def forget_old(self) -> None:
        """Forget the windows that have ended."""
        now = self._clock.now()
        for key, lease in list(self._leases.items()):
            ended = lease.opened_at is None or not _is_open(lease.opened_at, now)
            if ended and not lease.lock.locked():
                del self._leases[key]


def _known(lease: _Lease, limit: int, now: datetime) -> Standing | None:
    """Count a call without asking the database, which only a new window or block needs."""
    opened_at = lease.opened_at
    if opened_at is None or lease.limit != limit or not _is_open(opened_at, now):
        return None
    if not lease.left and lease.elsewhere:
        return None
    return _counted(lease, opened_at, now)


def _counted(lease: _Lease, opened_at: datetime, now: datetime) -> Standing:
    admitted = lease.left > 0
    if admitted:
        lease.left -= 1
    reset_s = max(1, math.ceil((opened_at + _WINDOW - now).total_seconds()))
    return Standing(lease.limit, lease.left + lease.elsewhere, reset_s, admitted, opened_at)


def _is_open(opened_at: datetime, now: datetime) -> bool:
    return opened_at + _WINDOW - LARGEST_STEP_BACK <= now < opened_at + _WINDOW


def lease_calls(
    connection: Connection, now: datetime, holder: str, endpoint: str, limit: int
) -> tuple[datetime, int, int]:
    """Count a block of calls; answer when the window opened, how many, and how many are left."""
    where = (rate_window.c.holder == holder) & (rate_window.c.endpoint == endpoint)
    query = select(rate_window.c.opened_at, rate_window.c.calls).where(where).with_for_update()
    row = connection.execute(query).first()
    if row is None:
        key = {"holder": holder, "endpoint": endpoint}
        insert_missing(connection, rate_window, **key, opened_at=now, calls=0)
        row = connection.execute(query).one()
    opened_at, calls = row
    if not _is_open(opened_at, now):
        opened_at, calls = now, 0
    left = max(0, limit - calls)
    block = 1 if limit <= _COUNTED_SINGLY else min(_LARGEST_BLOCK, max(1, left // _BLOCKS_LEFT))
    granted = min(left, block)
    if granted:
        counted = {"opened_at": opened_at, "calls": calls + granted}
        connection.execute(update(rate_window).where(where).values(**counted))
    return opened_at, granted, left - granted
