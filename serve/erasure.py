"""Erasure: everything of a person goes, and a receipt that names no one stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, delete, func, or_, select

from serve import people
from serve.identity import one_person
from serve.partners import audit
from serve.storage import residue
from serve.storage.tables import (
    client_token,
    end_user,
    food_log,
    idempotency,
    organization,
    personal_model,
)

__all__ = ["PERSONAL", "erase_person", "purge_test_identities"]

PERSONAL: tuple[Column[str], ...] = (
    client_token.c.end_user_id,
    food_log.c.end_user_id,
    idempotency.c.end_user_id,
    personal_model.c.end_user_id,
    end_user.c.partner_user_id,
    end_user.c.id,
)
"""Every column that names a person: a row that names one goes when the person is erased."""

_TEST = "test-"


def erase_person(
    connection: Connection, organization_id: int, given: str, now: datetime, actor: str
) -> bool:
    """Erase a person, registered or not.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    organization_id : int
        The partner whose user it is.
    given : str
        The partner's id of the person, or the service's; what is stored under either goes.
    now : datetime
        When, for the receipt.
    actor : str
        Who asked for it, for the receipt.

    Returns
    -------
    bool
        Whether anything was stored; only then is there a receipt.
    """
    names = {given, one_person(connection, organization_id, given)}
    person = people.find(connection, organization_id, given)
    if person is not None:
        names |= {person.id, person.partner_user_id or person.id}
    if not _erase(connection, organization_id, lambda column: column.in_(names)):
        return False
    receipt = ", ".join(audit.person(organization_id, name) for name in sorted(names))
    audit.record(connection, now, actor, "user deleted", receipt, organization_id)
    return True


def purge_test_identities(
    connection: Connection, organization_id: int | None, now: datetime, actor: str = "admin"
) -> int:
    """Erase every person whose id begins with ``test-``.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    organization_id : int or None
        The partner; all of them when None.
    now : datetime
        When, for the receipts: one a partner.
    actor : str, default="admin"
        Who asked for it, for the receipts.

    Returns
    -------
    int
        The number of ids under which something was stored.
    """
    owners = select(organization.c.id)
    if organization_id is not None:
        owners = owners.where(organization.c.id == organization_id)
    return sum(
        _purge(connection, owner, now, actor)
        for owner in connection.execute(owners).scalars().all()
    )


def _purge(connection: Connection, owner: int, now: datetime, actor: str) -> int:
    found: set[str] = set()
    for column in PERSONAL:
        mine = column.table.c.organization_id == owner
        found.update(
            connection.execute(select(column).where(mine, _is_test(column)).distinct()).scalars()
        )
    if found:
        of_ours = select(end_user.c.id).where(
            end_user.c.organization_id == owner, _is_test(end_user.c.partner_user_id)
        )
        _erase(connection, owner, lambda column: or_(_is_test(column), column.in_(of_ours)))
        subject = f"test users: {len(found)}"
        audit.record(connection, now, actor, "test users deleted", subject, owner)
    return len(found)


def _is_test(column: Column[str]) -> ColumnElement[bool]:
    return func.substr(column, 1, len(_TEST)) == _TEST  # LIKE would take SQLite's "TEST-" too


def _erase(
    connection: Connection, owner: int, whose: Callable[[Column[str]], ColumnElement[bool]]
) -> int:
    """Delete a partner's rows of persons, those of the register last; answer their number.

    Those of the register are locked first: a training that is about to keep its model locks them
    as well, so that the model is either found here or refused there.
    """
    registered = or_(*(whose(column) for column in PERSONAL if column.table is end_user))
    connection.execute(
        select(end_user.c.id)
        .where(end_user.c.organization_id == owner, registered)
        .order_by(end_user.c.id)
        .with_for_update()
    )
    erased = 0
    for column in PERSONAL:
        table = column.table
        rows = delete(table).where(table.c.organization_id == owner, whose(column))
        erased += connection.execute(rows).rowcount
    if erased:
        residue.mark(connection)
    return erased
