"""Reservations: credits and slots that a call in flight holds, charged when it succeeds.

Before work, a call reserves its credits and a slot of its endpoint in one transaction;
afterwards the reservation ends, and the credits are charged if there was an answer. What a killed
process held runs out by itself.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, update

from serve.accounting.month import Month
from serve.accounting.month_counters import of_month, used
from serve.runtime.clock import SKEW
from serve.storage.tables import reservation, usage

__all__ = ["LIFE", "Reservation", "credits_left", "credits_used", "reserve", "settle"]

LIFE = timedelta(minutes=2)
"""How long a reservation holds; no call takes that long."""

Short = Literal["credits", "slots"]


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a call holds."""

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
) -> Reservation | Short:
    """Hold credits and a slot, or say what there are too few of.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The steady time.
    organization_id : int
        Who pays.
    credits : int
        What the call costs.
    ceiling : int or None
        The month's credits, None for no end of them.
    endpoint : str
        What is called.
    slots : int, optional
        How many calls of the endpoint may be in flight.
    month : Month, optional
        The month whose credits are held; the month of `now` if omitted.
    """
    month = month or Month.of(now)
    left = credits_left(connection, now, organization_id, ceiling, month, lock=True)
    if credits and left is not None and left < credits:
        return "credits"
    if slots is not None:
        of_endpoint = reservation.c.endpoint == endpoint
        query = select(func.count()).where(_live(organization_id, now), of_endpoint)
        if connection.execute(query).scalar_one() >= slots:
            return "slots"
    made = Reservation(str(uuid.uuid4()), organization_id, month, credits, ceiling)
    connection.execute(
        reservation.insert().values(
            id=made.id,
            organization_id=organization_id,
            endpoint=endpoint,
            credits=credits,
            expires_at=now + LIFE,
            month=month.name,
        )
    )
    return made


def settle(connection: Connection, now: datetime, held: Reservation, *, charged: bool) -> None:
    """End a reservation, and charge what it held if the call succeeded.

    One that ran out meanwhile is charged as far as the month's credits reach, which others may
    have used since.
    """
    left = credits_left(connection, now, held.organization_id, held.ceiling, held.month, lock=True)
    mine = delete(reservation).where(reservation.c.id == held.id)
    expires_at = connection.execute(mine.returning(reservation.c.expires_at)).scalar()
    if not charged or not held.credits:
        return
    lost = expires_at is None or expires_at <= now
    credits = held.credits
    if lost and left is not None:
        credits = min(credits, max(0, left))
    charge = update(usage).where(of_month(held.organization_id, held.month))
    connection.execute(charge.values(credits=usage.c.credits + credits))


def credits_used(connection: Connection, organization_id: int, month: Month) -> int:
    """Answer the credits that were charged in a month."""
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
    """Answer the credits that are neither used nor held; None where they have no end."""
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
    return (reservation.c.organization_id == organization_id) & held
