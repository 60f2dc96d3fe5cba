"""People: the users that a partner registers."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from serve.storage.tables import end_user

__all__ = ["Person", "all_people", "change", "create", "find", "one_person"]


@dataclass(frozen=True, slots=True)
class Person:
    """A registered user.

    Attributes
    ----------
    id : str
        UUID that the service gave.
    partner_user_id : str or None
        The partner's own id.
    profile : mapping of str to Any
        Arguments of `postmeal.Profile.imperial`: kept in the units in which they came, for a
        conversion there and back may change the last digit.
    """

    id: str
    partner_user_id: str | None
    profile: Mapping[str, Any]


def create(
    connection: Connection,
    organization_id: int,
    partner_user_id: str | None,
    profile: Mapping[str, Any],
    now: datetime,
) -> Person | None:
    """Register a user; answer None if the partner's id names one already."""
    if partner_user_id is not None and find(connection, organization_id, partner_user_id):
        return None
    person = Person(str(uuid.uuid4()), partner_user_id, profile)
    try:
        with connection.begin_nested():
            connection.execute(
                insert(end_user).values(
                    id=person.id,
                    organization_id=organization_id,
                    partner_user_id=partner_user_id,
                    profile=profile,
                    created_at=now,
                    updated_at=now,
                )
            )
    except IntegrityError:  # someone else registered the same id in this moment
        return None
    return person


def find(connection: Connection, organization_id: int, given: str) -> Person | None:
    """Answer the user of a partner that an id names: the service's UUID, or the partner's own."""
    row = connection.execute(select(end_user).where(_named(organization_id, given))).first()
    return None if row is None else _person(row)


def change(
    connection: Connection,
    organization_id: int,
    given: str,
    profile: Mapping[str, Any],
    now: datetime,
) -> Person | None:
    """Change what `profile` tells and keep the rest; answer None if the id names no user."""
    row = connection.execute(
        select(end_user).where(_named(organization_id, given)).with_for_update()
    ).first()
    if row is None:
        return None
    changed = {**row.profile, **profile}
    connection.execute(
        update(end_user).where(end_user.c.id == row.id).values(profile=changed, updated_at=now)
    )
    return Person(row.id, row.partner_user_id, changed)


def all_people(connection: Connection, organization_id: int) -> list[Person]:
    """List the users of a partner, the oldest first."""
    rows = connection.execute(
        select(end_user)
        .where(end_user.c.organization_id == organization_id)
        .order_by(end_user.c.created_at, end_user.c.id)
    )
    return [_person(row) for row in rows]


def one_person(connection: Connection, organization_id: int, given: str) -> str:
    """Answer the id under which a person's data is kept, whichever of two ids was given.

    A registered person has a UUID of ours and may have an id of the partner's: what is stored
    under the one must be found under the other.

    Parameters
    ----------
    connection : Connection
        Of the transaction that reads or writes the person's data.
    organization_id : int
        The partner.
    given : str
        The id as the call gives it; it need not be registered.

    Returns
    -------
    str
        Of a registered person's UUID the partner's id, or the UUID where there is none; `given`
        otherwise.
    """
    try:
        known = str(uuid.UUID(given))
    except ValueError:
        return given
    if known != given.lower():
        return given
    of_partner = select(end_user.c.partner_user_id).where(
        end_user.c.organization_id == organization_id, end_user.c.id == known
    )
    row = connection.execute(of_partner).one_or_none()
    return given if row is None else row.partner_user_id or known


def _named(organization_id: int, given: str) -> ColumnElement[bool]:
    names = or_(end_user.c.id == given.lower(), end_user.c.partner_user_id == given)
    return and_(end_user.c.organization_id == organization_id, names)


def _person(row: Row[Any]) -> Person:
    return Person(row.id, row.partner_user_id, row.profile)
