"""Limit on the requests of a partner within any 24 hours, as a share of the monthly limit."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from itertools import accumulate

from sqlalchemy import ColumnElement, Connection, func, select

from postmeal_serve.runtime.clock import SKEW
from postmeal_serve.storage.tables import burst
from postmeal_serve.storage.upsert import add

__all__ = ["BURST_SHARE", "allowed_in_24_h", "count", "left", "reopens_s"]

BURST_SHARE = 0.2
"""Share of the monthly limit that a partner can use within any 24 hours."""

_DAY = timedelta(days=1)


def allowed_in_24_h(monthly_requests: int) -> int:
    """Return the maximum number of requests within any 24 hours."""
    return math.ceil(monthly_requests * BURST_SHARE)


def left(connection: Connection, organization_id: int, monthly_requests: int, now: datetime) -> int:
    """Return how many more requests the 24-hour limit allows a partner to make now."""
    total = select(func.sum(burst.c.requests)).where(_recent(organization_id, now))
    counted = int(connection.execute(total).scalar() or 0)
    return allowed_in_24_h(monthly_requests) - counted


def reopens_s(
    connection: Connection, organization_id: int, monthly_requests: int, now: datetime
) -> int:
    """Return the seconds until the 24-hour limit admits requests again, rounded up."""
    allowed = allowed_in_24_h(monthly_requests)
    recent = _recent(organization_id, now)
    query = select(burst.c.minute, burst.c.requests).where(recent).order_by(burst.c.minute)
    rows = connection.execute(query).all()
    total = sum(row.requests for row in rows)
    expired = accumulate(row.requests for row in rows)
    minute = next(
        row.minute for row, past in zip(rows, expired, strict=True) if total - past < allowed
    )
    wait: timedelta = min(_DAY, minute + _DAY - now)
    return max(1, math.ceil(wait.total_seconds()))


def count(connection: Connection, organization_id: int, minute: datetime, number: int) -> None:
    """Add `number` requests, negative if they were not used, to a partner's count for a minute."""
    add(connection, burst, "requests", number, organization_id=organization_id, minute=minute)


def _recent(organization_id: int, now: datetime) -> ColumnElement[bool]:
    minutes = (burst.c.minute > now - _DAY) & (burst.c.minute <= now + SKEW)
    return (burst.c.organization_id == organization_id) & minutes
