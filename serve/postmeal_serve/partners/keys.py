"""API keys, which are stored as hashes and shown only when they are created.

A key consists of a prefix with its API version and 256 random bits. Because it cannot be guessed,
plain SHA-256 is secure enough, and one lookup by hash finds a key.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert, select, update

from postmeal.errors import InputError
from postmeal_serve.partners.audit import record
from postmeal_serve.storage.tables import api_key

__all__ = ["Key", "create", "digest", "disable", "list_all", "rotate"]


@dataclass(frozen=True, slots=True)
class Key:
    """An API key without its secret."""

    id: int
    organization_id: int
    version: str
    name: str
    last_4: str
    created_at: datetime
    disabled_at: datetime | None
    ends_at: datetime | None = None

    @property
    def shown(self) -> str:
        """The prefix and last four characters of the key, for display."""
        return f"sk-{self.version}-…{self.last_4}"


_COLUMNS = [api_key.c[name] for name in Key.__dataclass_fields__]


def digest(secret: str, pepper: bytes) -> bytes:
    """Return the SHA-256 of the installation's secret followed by a credential."""
    return hashlib.sha256(pepper + secret.encode()).digest()


def create(
    connection: Connection,
    now: datetime,
    organization_id: int,
    version: str,
    name: str,
    pepper: bytes = b"",
    secret: str | None = None,
) -> tuple[str, Key]:
    """Create an API key for a partner and an API version."""
    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise InputError("name", "must be 1 to 100 printable characters, not blank", name)
    secret = secret or f"sk-{version}-{secrets.token_urlsafe(32)}"
    row = {
        "organization_id": organization_id,
        "version": version,
        "name": name,
        "last_4": secret[-4:],
        "created_at": now,
    }
    key_id = connection.execute(
        insert(api_key).values(**row, sha256=digest(secret, pepper)).returning(api_key.c.id)
    ).scalar_one()
    key = Key(id=key_id, disabled_at=None, **row)  # type: ignore[arg-type]
    record(connection, now, "admin", "key created", f"key {key.id}", organization_id)
    return secret, key


def find(connection: Connection, secret: str, pepper: bytes = b"") -> Key | None:
    """Return the key with a secret, whether or not it is disabled; None if it does not exist."""
    same = api_key.c.sha256 == digest(secret, pepper)
    row = connection.execute(select(*_COLUMNS).where(same)).first()
    return None if row is None else Key(*row)


def list_all(connection: Connection, organization_id: int | None = None) -> list[Key]:
    """List the keys of one partner or of all partners, newest first."""
    query = select(*_COLUMNS).order_by(api_key.c.id.desc())
    if organization_id is not None:
        query = query.where(api_key.c.organization_id == organization_id)
    return [Key(*row) for row in connection.execute(query)]


def disable(
    connection: Connection, now: datetime, key_id: int, steady: datetime | None = None
) -> Key:
    """Disable a key. All processes reject it within 30 seconds."""
    return _end(connection, now, steady or now, timedelta(0), key_id)


def rotate(
    connection: Connection,
    now: datetime,
    key_id: int,
    grace: timedelta,
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> tuple[str, Key]:
    """Create a new key that replaces an old one; the old key expires after a grace period."""
    old, steady = _find(connection, key_id), steady or now
    ends_at = old.ends_at or old.disabled_at
    if ends_at is not None and ends_at <= steady:
        problem = f"{key_id} is the ID of a disabled key; create a new key with `admin key create`"
        raise InputError("id", problem)
    _end(connection, now, steady, grace, key_id)
    return create(connection, now, old.organization_id, old.version, old.name, pepper)


def _end(
    connection: Connection, now: datetime, steady: datetime, grace: timedelta, key_id: int
) -> Key:
    key = _find(connection, key_id)
    ends_at = key.ends_at or key.disabled_at
    if ends_at is None or ends_at > steady + grace:
        ends = {"disabled_at": now + grace, "ends_at": steady + grace}
        connection.execute(update(api_key).where(api_key.c.id == key_id).values(**ends))
        record(connection, now, "admin", "key disabled", f"key {key_id}", key.organization_id)
    return _find(connection, key_id)


def _find(connection: Connection, key_id: int) -> Key:
    row = connection.execute(select(*_COLUMNS).where(api_key.c.id == key_id)).first()
    if row is None:
        problem = f"{key_id} is not the ID of a key; list the keys with `admin key list`"
        raise InputError("id", problem)
    return Key(*row)
