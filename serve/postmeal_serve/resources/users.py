"""Registered users of partners."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from postmeal_serve.storage.tables import end_user

__all__ = ["User", "change", "create", "find", "list_all", "stored_user_id"]


@dataclass(frozen=True, slots=True)
class User:
    """A registered user."""

    id: str
    partner_user_id: str | None
    profile: Mapping[str, Any]


def create(
    connection: Connection,
    organization_id: int,
    partner_user_id: str | None,
    profile: Mapping[str, Any],
    now: datetime,
) -> User | None:
    """Register a user; return None if the partner's ID is already in use."""
    if partner_user_id is not None and find(connection, organization_id, partner_user_id):
        return None
    user = User(str(uuid.uuid4()), partner_user_id, profile)
    try:
        with connection.begin_nested():
            connection.execute(
                insert(end_user).values(
                    id=user.id,
                    organization_id=organization_id,
                    partner_user_id=partner_user_id,
                    profile=profile,
                    created_at=now,
                    updated_at=now,
                )
            )
    except IntegrityError:  # Another request has registered the same ID.
        return None
    return user


def find(connection: Connection, organization_id: int, user_id: str) -> User | None:
    """Return the user with the given UUID or partner's ID; None if the partner has no such user."""
    row = connection.execute(select(end_user).where(_has_id(organization_id, user_id))).first()
    return None if row is None else _user(row)


def change(
    connection: Connection,
    organization_id: int,
    user_id: str,
    profile: Mapping[str, Any],
    now: datetime,
) -> User | None:
    """Update the fields of a user's profile that `profile` contains.

    Return the changed user, or None if no user of the partner has the ID.
    """
    row = connection.execute(
        select(end_user).where(_has_id(organization_id, user_id)).with_for_update()
    ).first()
    if row is None:
        return None
    changed = {**row.profile, **profile}
    connection.execute(
        update(end_user).where(end_user.c.id == row.id).values(profile=changed, updated_at=now)
    )
    return User(row.id, row.partner_user_id, changed)


def list_all(connection: Connection, organization_id: int) -> list[User]:
    """List the users of a partner, oldest first."""
    rows = connection.execute(
        select(end_user)
        .where(end_user.c.organization_id == organization_id)
        .order_by(end_user.c.created_at, end_user.c.id)
    )
    return [_user(row) for row in rows]


def stored_user_id(connection: Connection, organization_id: int, user_id: str) -> str:
    """Return the ID under which a user's data is stored.

    A registered user has a UUID and may also have an ID chosen by the partner. Data stored under
    one of these IDs must be found under the other.
    """
    try:
        own_uuid = str(uuid.UUID(user_id))
    except ValueError:
        return user_id
    if own_uuid != user_id.lower():
        return user_id
    query = select(end_user.c.partner_user_id).where(
        end_user.c.organization_id == organization_id, end_user.c.id == own_uuid
    )
    row = connection.execute(query).one_or_none()
    return user_id if row is None else row.partner_user_id or own_uuid


def _has_id(organization_id: int, user_id: str) -> ColumnElement[bool]:
    either = or_(end_user.c.id == user_id.lower(), end_user.c.partner_user_id == user_id)
    return and_(end_user.c.organization_id == organization_id, either)


def _user(row: Row[Any]) -> User:
    return User(row.id, row.partner_user_id, row.profile)
