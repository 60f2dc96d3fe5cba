"""Audit trail, whose entries are written in the same transaction as the changes they record."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, insert

from postmeal_serve.storage.tables import audit

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
    """Add an entry to the audit trail."""
    row = {"at": at, "actor": actor, "action": action, "subject": subject}
    connection.execute(insert(audit).values(organization_id=organization_id, **row))


def person(organization_id: int, end_user_id: str, pepper: bytes = b"") -> str:
    """Return a pseudonym for a user, which can be verified only with the user's ID."""
    content = f"{organization_id}\0{end_user_id}".encode()
    if pepper:
        digest = hmac.new(pepper, content, hashlib.sha256).hexdigest()
    else:
        digest = hashlib.sha256(content).hexdigest()
    return f"person {digest[:12]}"
