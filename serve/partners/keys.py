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
from serve.partners.audit import record
from serve.storage.tables import api_key

__all__ = ["Key", "create", "digest", "disable", "list_all", "rotate"]


@dataclass(frozen=True, slots=True)
class Key:
    """An API key without its secret.

    Attributes
    ----------
    id : int
        ID of the key.
    organization_id : int
        ID of the partner.
    version : str
        API version of the key.
    name : str
        Display name of the key.
    last_4 : str
        Last four characters of the secret.
    created_at : datetime
        Wall time of the creation.
    disabled_at : datetime or None
        Wall time at which the key becomes invalid, possibly in the future; None if it stays valid.
    ends_at : datetime or None
        Monotonic time at which the key becomes invalid; None if it stays valid.
    """

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
    """Return the SHA-256 of the installation's secret followed by a credential.

    Examples
    --------
    >>> len(digest("sk-v1.2-x", b"pepper"))
    32
    """
    return hashlib.sha256(pepper + secret.encode()).digest()


def create(
    connection: Connection,
    now: datetime,
    organization_id: int,
    version: str,
    name: str,
    pepper: bytes = b"",
) -> tuple[str, Key]:
    """Create an API key for a partner and an API version.

    Parameters
    ----------
    connection : Connection
        Connection with an open write transaction.
    now : datetime
        Current wall time.
    organization_id : int
        ID of the partner.
    version : str
        API version, such as ``v1.2``.
    name : str
        Display name of the key.
    pepper : bytes, default=b""
        Secret of the installation, hashed together with the key.

    Returns
    -------
    tuple of str and Key
        The secret, which cannot be retrieved later, and the key.

    Raises
    ------
    InputError
        The name is blank, too long or not printable.
    """
    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise InputError("name", "must be 1 to 100 printable characters, not blank", name)
    secret = f"sk-{version}-{secrets.token_urlsafe(32)}"
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


def list_all(connection: Connection, organization_id: int | None = None) -> list[Key]:
    """List the keys of one partner or of all partners, newest first."""
    query = select(*_COLUMNS).order_by(api_key.c.id.desc())
    if organization_id is not None:
        query = query.where(api_key.c.organization_id == organization_id)
    return [Key(*row) for row in connection.execute(query)]


def disable(
    connection: Connection, now: datetime, key_id: int, steady: datetime | None = None
) -> Key:
    """Disable a key. All processes reject it within 30 seconds.

    Parameters
    ----------
    connection : Connection
        Connection with an open write transaction.
    now : datetime
        Current wall time.
    key_id : int
        ID of the key.
    steady : datetime, optional
        Current monotonic time. Defaults to `now`.

    Returns
    -------
    Key
        The disabled key.

    Raises
    ------
    InputError
        No key has this ID.
    """
    return _end(connection, now, steady or now, timedelta(0), key_id)


def rotate(
    connection: Connection,
    now: datetime,
    key_id: int,
    grace: timedelta,
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> tuple[str, Key]:
    """Create a new key that replaces an old one; the old key expires after a grace period.

    Parameters
    ----------
    connection : Connection
        Connection with an open write transaction.
    now : datetime
        Current wall time.
    key_id : int
        ID of the key to replace.
    grace : timedelta
        Time for which the old key remains valid.
    pepper : bytes, default=b""
        Secret of the installation, hashed together with the key.
    steady : datetime, optional
        Current monotonic time. Defaults to `now`.

    Returns
    -------
    tuple of str and Key
        The new secret, which cannot be retrieved later, and the new key.

    Raises
    ------
    InputError
        No key has this ID, or the key is already disabled.
    """
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
