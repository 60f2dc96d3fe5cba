"""Erasure: everything of a person goes, and a receipt that names no one stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, delete, func, or_, select

from serve.partners import audit
from serve.resources import tombstones, users
from serve.resources.users import one_person
from serve.storage import secure_erase
from serve.storage.tables import (
    client_token,
    end_user,
    food_log,
    idempotency,
    organization,
    personal_model,
)

__all__ = [
    "PERSONAL",
    "erase_names",
    "erase_person",
    "erase_test_identities",
    "purge_test_identities",
]

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
    connection: Connection,
    organization_id: int,
    given: str,
    now: datetime,
    actor: str,
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> frozenset[str]:
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
    pepper : bytes, default=b""
        Secret of the installation, the key of the hashes in receipt and tombstone.
    steady : datetime, optional
        The steady time, for the tombstone; `now` if omitted.

    Returns
    -------
    frozenset of str
        The ids under which the person was known; none if nothing was stored. Only if something was
        are there a receipt and a tombstone.
    """
    names = {given, one_person(connection, organization_id, given)}
    person = users.find(connection, organization_id, given)
    if person is not None:
        names |= {person.id, person.partner_user_id or person.id}
    if not erase_names(connection, organization_id, names, steady or now, pepper):
        return frozenset()
    receipt = ", ".join(audit.person(organization_id, name, pepper) for name in sorted(names))
    audit.record(connection, now, actor, "user deleted", receipt, organization_id)
    return frozenset(names)


def erase_names(
    connection: Connection,
    organization_id: int,
    names: Iterable[str],
    steady: datetime,
    pepper: bytes,
) -> bool:
    """Erase what is stored under some ids, without a receipt; return whether anything was."""
    stored = list(names)
    tombstones.lock(connection, organization_id, stored, pepper)
    if not _erase(connection, organization_id, lambda column: column.in_(stored)):
        return False
    tombstones.bury(connection, organization_id, stored, steady, pepper)
    return True


def purge_test_identities(
    connection: Connection,
    organization_id: int | None,
    now: datetime,
    actor: str = "admin",
    pepper: bytes = b"",
    steady: datetime | None = None,
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
    pepper : bytes, default=b""
        Secret of the installation, the key of the hashes in tombstones.
    steady : datetime, optional
        The steady time, for the tombstones; `now` if omitted.

    Returns
    -------
    int
        The number of ids under which something was stored.
    """
    owners = select(organization.c.id)
    if organization_id is not None:
        owners = owners.where(organization.c.id == organization_id)
    purged = 0
    for owner in connection.execute(owners).scalars().all():
        if found := erase_test_identities(connection, owner, steady or now, pepper):
            subject = f"test users: {found}"
            audit.record(connection, now, actor, "test users deleted", subject, owner)
        purged += found
    return purged


def erase_test_identities(
    connection: Connection, owner: int, steady: datetime, pepper: bytes
) -> int:
    """Erase the test identities of one partner, without a receipt; return their number."""
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
        tombstones.bury(connection, owner, found, steady, pepper)
    return len(found)


def _is_test(column: Column[str]) -> ColumnElement[bool]:
    return func.substr(column, 1, len(_TEST)) == _TEST  # LIKE would take SQLite's "TEST-" too


def _erase(
    connection: Connection, owner: int, whose: Callable[[Column[str]], ColumnElement[bool]]
) -> int:
    """Delete a partner's rows of persons, those of the register last; return their number.

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
        secure_erase.mark(connection)
    return erased
