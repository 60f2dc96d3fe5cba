"""Receipts of disabled API keys and revoked client tokens, for use after a backup is restored.

A backup still accepts keys and tokens that were disabled or revoked after it was made. Their
receipts contain the hashes of the credentials, which also identify them in the backup. They have
the form of erasure receipts and are written to the same file (see
`postmeal_serve.resources.erasure_receipts`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, and_, or_, select, update

from postmeal_serve.partners.audit import person, record
from postmeal_serve.resources.erasure_receipts import Receipt, ReceiptAction
from postmeal_serve.storage.tables import api_key, client_token

__all__ = ["Ended", "credential_receipts", "end_again"]

_DISABLED: ReceiptAction = "key disabled"
_REVOKED: ReceiptAction = "tokens revoked"


class Ended(NamedTuple):
    """Numbers of API keys that were disabled, and of client tokens that were revoked."""

    keys: int
    tokens: int


def credential_receipts(connection: Connection) -> list[Receipt]:
    """List the receipts of all disabled keys and revoked tokens, oldest first.

    The time of a receipt is the time at which the credential becomes invalid. This can be in the
    future if a key was rotated.
    """
    found = _receipts(connection, api_key, "disabled_at", _DISABLED)
    return found + _receipts(connection, client_token, "revoked_at", _REVOKED)


def end_again(
    connection: Connection,
    entries: Iterable[Receipt],
    now: datetime,
    steady: datetime,
    pepper: bytes = b"",
) -> Ended:
    """Disable keys and revoke tokens according to receipts, and record this in the audit trail.

    Credentials that the database does not contain, or that already end at the time in the receipt,
    are not changed.
    """
    keys = tokens = 0
    for each in entries:
        if each.action == _DISABLED:
            keys += _disable(connection, each, now, steady)
        elif each.action == _REVOKED:
            tokens += _revoke(connection, each, pepper)
    return Ended(keys, tokens)


def _receipts(
    connection: Connection, table: Table, time: str, action: ReceiptAction
) -> list[Receipt]:
    # Only these columns exist in databases of all releases.
    columns = (table.c.organization_id, table.c.sha256, table.c[time].label("at"))
    rows = connection.execute(select(*columns).where(table.c[time].is_not(None)).order_by("at"))
    return [
        Receipt(
            at=row.at,
            actor="admin",
            action=action,
            organization_id=row.organization_id,
            subject=row.sha256.hex(),
        )
        for row in rows
    ]


def _is_of(receipt: Receipt, table: Table) -> ColumnElement[bool]:
    """Return the SQL condition that selects the credential named in a receipt."""
    of_owner = table.c.organization_id == receipt.organization_id
    return and_(of_owner, table.c.sha256 == bytes.fromhex(receipt.subject))


def _disable(connection: Connection, receipt: Receipt, now: datetime, steady: datetime) -> int:
    ends_at = steady + max(receipt.at - now, timedelta(0))
    end = {"disabled_at": receipt.at, "ends_at": ends_at}
    is_later = or_(api_key.c.disabled_at.is_(None), api_key.c.disabled_at > receipt.at)
    changed = connection.execute(
        update(api_key).where(_is_of(receipt, api_key), is_later).values(**end)
        .returning(api_key.c.id)
    ).scalar()  # fmt: skip
    if changed is None:
        return 0
    owner = receipt.organization_id
    record(connection, receipt.at, receipt.actor, _DISABLED, f"key {changed}", owner)
    return 1


def _revoke(connection: Connection, receipt: Receipt, pepper: bytes) -> int:
    is_active = client_token.c.revoked_at.is_(None)
    user_id = connection.execute(
        update(client_token).where(_is_of(receipt, client_token), is_active)
        .values(revoked_at=receipt.at)
        .returning(client_token.c.end_user_id)
    ).scalar()  # fmt: skip
    if user_id is None:
        return 0
    owner = receipt.organization_id
    who = person(owner, user_id, pepper)
    record(connection, receipt.at, receipt.actor, _REVOKED, who, owner)
    return 1
