"""Reservations of credits and slots by requests in flight.

Each endpoint has a limited number of slots, one for each request in flight. Before a request is
handled, one transaction reserves its credits and a slot. Afterwards, the reservation ends, and the
credits are charged if the request succeeded. If a process is killed, its reservations end with its
lease; see `postmeal_serve.accounting.process_lease`.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, update

from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.month_counters import of_month, used
from postmeal_serve.accounting.process_lease import in_force
from postmeal_serve.runtime.clock import SKEW
from postmeal_serve.storage.tables import reservation, usage

__all__ = ["LIFE", "Reservation", "credits_left", "credits_used", "reserve", "settle"]

LIFE = timedelta(minutes=2)
"""Lifetime of a reservation, which is longer than any request takes."""

_Shortage = Literal["credits", "slots"]


@dataclass(frozen=True, slots=True)
class Reservation:
    """Credits and a slot reserved by one request."""

    id: str
    organization_id: int
    month: Month
    credits: int
    ceiling: int | None


def reserve(
    connection: Connection,
    now: datetime,
    organization_id: int,
    credits: int,
    ceiling: int | None,
    endpoint: str,
    slots: int | None = None,
    month: Month | None = None,
    process_id: str | None = None,
) -> Reservation | _Shortage:
    """Reserve credits and a slot, or return the name of the exhausted limit."""
    month = month or Month.of(now)
    left = credits_left(connection, now, organization_id, ceiling, month, lock=True)
    if credits and left is not None and left < credits:
        return "credits"
    if slots is not None:
        of_endpoint = reservation.c.endpoint == endpoint
        query = select(func.count()).where(_live(organization_id, now), of_endpoint)
        if connection.execute(query).scalar_one() >= slots:
            return "slots"
    created = Reservation(str(uuid.uuid4()), organization_id, month, credits, ceiling)
    connection.execute(
        reservation.insert().values(
            id=created.id,
            organization_id=organization_id,
            endpoint=endpoint,
            credits=credits,
            expires_at=now + LIFE,
            month=month.name,
            process_id=process_id,
        )
    )
    return created


def settle(connection: Connection, now: datetime, held: Reservation, *, charged: bool) -> None:
    """End a reservation, and charge its credits if the request succeeded.

    If the reservation has expired, other requests may have used its credits. In that case, at most
    the credits left in the month are charged.
    """
    left = credits_left(connection, now, held.organization_id, held.ceiling, held.month, lock=True)
    this = reservation.c.id == held.id
    query = select(reservation.c.id).where(this, _live(held.organization_id, now))
    is_live = connection.execute(query).first() is not None
    connection.execute(delete(reservation).where(this))
    if not charged or not held.credits:
        return
    credits = held.credits
    if not is_live and left is not None:
        credits = min(credits, max(0, left))
    charge = update(usage).where(of_month(held.organization_id, held.month))
    connection.execute(charge.values(credits=usage.c.credits + credits))


def credits_used(connection: Connection, organization_id: int, month: Month) -> int:
    """Return the number of credits charged to a partner in a month."""
    return used(connection, organization_id, month, usage.c.credits)


def credits_left(
    connection: Connection,
    now: datetime,
    organization_id: int,
    ceiling: int | None,
    month: Month | None = None,
    *,
    lock: bool = False,
) -> int | None:
    """Return the number of credits that are neither charged nor reserved; None if unlimited."""
    period = month or Month.of(now)
    charged = used(connection, organization_id, period, usage.c.credits, lock=lock)
    if ceiling is None:
        return None
    of_period = or_(reservation.c.month == period.name, reservation.c.month.is_(None))
    total = select(func.sum(reservation.c.credits)).where(_live(organization_id, now), of_period)
    held = connection.execute(total).scalar() or 0
    return ceiling - charged - held


def _live(organization_id: int, now: datetime) -> ColumnElement[bool]:
    latest = now + LIFE + SKEW
    held = (reservation.c.expires_at > now) & (reservation.c.expires_at <= latest)
    return (reservation.c.organization_id == organization_id) & held & in_force(now)
