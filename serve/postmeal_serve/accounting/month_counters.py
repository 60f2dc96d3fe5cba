"""Monthly usage counters of partners."""

from __future__ import annotations

from sqlalchemy import Column, ColumnElement, Connection, select

from postmeal_serve.accounting.month import Month
from postmeal_serve.storage.tables import usage
from postmeal_serve.storage.upsert import insert_missing

__all__ = ["of_month", "used"]


def of_month(organization_id: int, month: Month) -> ColumnElement[bool]:
    """Return the SQL condition that selects the row of a partner and month in `usage`."""
    return (usage.c.organization_id == organization_id) & (usage.c.month == month.name)


def used(
    connection: Connection,
    organization_id: int,
    month: Month,
    counter: Column[int],
    *,
    lock: bool = False,
) -> int:
    """Return a partner's count for a month, or 0 if nothing has been counted yet.

    With `lock`, the row is locked until the transaction ends, and inserted if it is missing.
    """
    query = select(counter).where(of_month(organization_id, month))
    if lock:
        query = query.with_for_update()
    number: int | None = connection.execute(query).scalar()
    if number is None and lock:
        row = {"organization_id": organization_id, "month": month.name}
        insert_missing(connection, usage, **row, requests=0, credits=0)
        number = connection.execute(query).scalar_one()
    return number or 0
