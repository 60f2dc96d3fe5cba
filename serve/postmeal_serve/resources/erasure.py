"""Erasure of users, which deletes all their data and keeps only hashes of their IDs.

The audit trail keeps a receipt with the hashes (see `postmeal_serve.resources.erasure_receipts`).
Tombstones with the hashes exist for a minute (see `postmeal_serve.resources.tombstones`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, delete, func, or_, select

from postmeal_serve.partners import audit
from postmeal_serve.resources import tombstones, users
from postmeal_serve.resources.users import stored_user_id
from postmeal_serve.storage import secure_erase
from postmeal_serve.storage.tables import (
    client_token,
    end_user,
    food_log,
    idempotency,
    organization,
    personal_model,
    scanned_food,
)

__all__ = [
    "PERSONAL",
    "erase_names",
    "erase_test_identities",
    "erase_user",
    "purge_test_identities",
]

PERSONAL: tuple[Column[str], ...] = (
    client_token.c.end_user_id,
    food_log.c.end_user_id,
    idempotency.c.end_user_id,
    personal_model.c.end_user_id,
    scanned_food.c.end_user_id,
    end_user.c.partner_user_id,
    end_user.c.id,
)
"""All columns that contain user IDs. An erasure deletes every row with an ID of the user."""

_TEST = "test-"


def erase_user(
    connection: Connection,
    organization_id: int,
    user_id: str,
    now: datetime,
    actor: str,
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> frozenset[str]:
    """Erase a user, registered or not.

    A receipt and tombstones are written only if data was stored about the user.
    """
    names = {user_id, stored_user_id(connection, organization_id, user_id)}
    user = users.find(connection, organization_id, user_id)
    if user is not None:
        names |= {user.id, user.partner_user_id or user.id}
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
    """Erase all data stored under the given IDs, without a receipt; return whether data existed.

    Tombstones are written if there was data.
    """
    ids = list(names)
    tombstones.lock(connection, organization_id, ids, pepper)
    if not _erase(connection, organization_id, lambda column: column.in_(ids)):
        return False
    tombstones.insert(connection, organization_id, ids, steady, pepper)
    return True


def purge_test_identities(
    connection: Connection,
    organization_id: int | None,
    now: datetime,
    actor: str = "admin",
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> int:
    """Erase all users whose IDs start with ``test-``."""
    owners = select(organization.c.id)
    if organization_id is not None:
        owners = owners.where(organization.c.id == organization_id)
    purged = 0
    for owner in connection.execute(owners).scalars().all():
        if erased := erase_test_identities(connection, owner, steady or now, pepper):
            subject = f"test users: {erased}"
            audit.record(connection, now, actor, "test users deleted", subject, owner)
        purged += erased
    return purged


def erase_test_identities(
    connection: Connection, owner: int, steady: datetime, pepper: bytes
) -> int:
    """Erase the test users of a partner without a receipt; return the number of their IDs."""
    test_ids: set[str] = set()
    for column in PERSONAL:
        of_owner = column.table.c.organization_id == owner
        query = select(column).where(of_owner, _is_test(column)).distinct()
        test_ids.update(connection.execute(query).scalars())
    if test_ids:
        uuids = select(end_user.c.id).where(
            end_user.c.organization_id == owner, _is_test(end_user.c.partner_user_id)
        )
        _erase(connection, owner, lambda column: or_(_is_test(column), column.in_(uuids)))
        tombstones.insert(connection, owner, test_ids, steady, pepper)
    return len(test_ids)


def _is_test(column: Column[str]) -> ColumnElement[bool]:
    return func.substr(column, 1, len(_TEST)) == _TEST  # LIKE ignores case on SQLite.


def _erase(
    connection: Connection, owner: int, condition: Callable[[Column[str]], ColumnElement[bool]]
) -> int:
    """Delete the matching rows of a partner, those in `end_user` last; return their number.

    The rows in `end_user` are locked first. Training also locks them before it stores a model, so
    that a concurrent training either stores the model before this deletion or not at all.
    """
    registered = or_(*(condition(column) for column in PERSONAL if column.table is end_user))
    connection.execute(
        select(end_user.c.id)
        .where(end_user.c.organization_id == owner, registered)
        .order_by(end_user.c.id)
        .with_for_update()
    )
    erased = 0
    for column in PERSONAL:
        table = column.table
        rows = delete(table).where(table.c.organization_id == owner, condition(column))
        erased += connection.execute(rows).rowcount
    if erased:
        secure_erase.mark(connection)
    return erased
