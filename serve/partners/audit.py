"""Audit trail, whose entries are written in the same transaction as the changes they record."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, insert

from serve.storage.tables import audit

__all__ = ["Action", "person", "record"]

Action = Literal[
    "partner created",
    "partner changed",
    "key created",
    "key disabled",
    "token minted",
    "tokens revoked",
    "user deleted",
    "test users deleted",
    "purged",
]


def record(
    connection: Connection,
    at: datetime,
    actor: str,
    action: Action,
    subject: str,
    organization_id: int | None = None,
) -> None:
    """Add an entry to the audit trail.

    Parameters
    ----------
    connection : Connection
        Connection of the transaction that makes the change.
    at : datetime
        Wall time of the change.
    actor : str
        Who made the change: ``"admin"``, ``"key 5"`` or ``"job"``.
    action : Action
        Kind of change.
    subject : str
        What was changed, without personal data. Users appear under the pseudonym that `person`
        returns.
    organization_id : int, optional
        ID of the partner concerned.
    """
    row = {"at": at, "actor": actor, "action": action, "subject": subject}
    connection.execute(insert(audit).values(organization_id=organization_id, **row))


def person(organization_id: int, end_user_id: str, pepper: bytes = b"") -> str:
    """Return a pseudonym for a user, which can be verified only with the user's ID.

    Parameters
    ----------
    organization_id : int
        ID of the partner.
    end_user_id : str
        ID of the user.
    pepper : bytes, default=b""
        Secret of the installation, used as the hash key. Without a pepper, anyone who has the audit
        trail can guess an ID and check whether it occurs there.

    Returns
    -------
    str
        The word ``person`` and the first 48 bits of a hash in hexadecimal.

    Examples
    --------
    >>> person(1, "u-1")
    'person 84c1be9fe429'
    >>> person(1, "u-1", b"pepper")
    'person 0f1e1d23be0d'
    """
    content = f"{organization_id}\0{end_user_id}".encode()
    if pepper:
        digest = hmac.new(pepper, content, hashlib.sha256).hexdigest()
    else:
        digest = hashlib.sha256(content).hexdigest()
    return f"person {digest[:12]}"
