"""Audit: rows that say what was done to whom, added in the transaction that does it."""

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
    """Add a row.

    Parameters
    ----------
    connection : Connection
        Of the transaction that does what is recorded.
    at : datetime
        When.
    actor : str
        Who: ``"admin"``, ``"key 5"`` or ``"job"``.
    action : Action
        What.
    subject : str
        To whom or what; no personal data: a person is named by `person`.
    organization_id : int, optional
        The partner concerned.
    """
    row = {"at": at, "actor": actor, "action": action, "subject": subject}
    connection.execute(insert(audit).values(organization_id=organization_id, **row))


def person(organization_id: int, end_user_id: str, pepper: bytes = b"") -> str:
    """Name a person so that a receipt can be checked by who knows the id, and read by no one else.

    Parameters
    ----------
    organization_id : int
        The partner.
    end_user_id : str
        The person's id.
    pepper : bytes, default=b""
        Secret of the installation, the key of the hash. Without it, whoever has the audit trail
        can try ids that are easy to guess.

    Returns
    -------
    str
        The word ``person`` and the first 48 bits of a hash, in hexadecimal.

    Examples
    --------
    >>> person(1, "u-1")
    'person 84c1be9fe429'
    >>> person(1, "u-1", b"pepper")
    'person 0f1e1d23be0d'
    """
    named = f"{organization_id}\0{end_user_id}".encode()
    if pepper:
        digest = hmac.new(pepper, named, hashlib.sha256).hexdigest()
    else:
        digest = hashlib.sha256(named).hexdigest()
    return f"person {digest[:12]}"
