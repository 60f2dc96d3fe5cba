"""Tombstones of erased users, which prevent their older client tokens from writing data.

Processes cache credentials for 30 seconds, so other processes may still accept client tokens of an
erased user. Every transaction that writes data of a user therefore checks for a tombstone, under a
lock that the erasure also acquires. The partner's API keys may write under the same ID again
immediately, and that data is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Connection, Row, Select, bindparam, delete, func, select, update

from postmeal_serve.partners.audit import person as hashed
from postmeal_serve.storage import secure_erase
from postmeal_serve.storage.tables import food_log, idempotency, tombstone
from postmeal_serve.storage.upsert import put

__all__ = ["LIFETIME", "Erased", "allow_writing", "insert", "lock", "sweep"]

LIFETIME = timedelta(seconds=60)
"""Lifetime of a tombstone: twice the time for which processes cache credentials."""

_WRITTEN_BY_TOKENS = (food_log, idempotency)

# Built once, since every transaction that writes a user's data runs one of these statements.
_KEY = bindparam("key", type_=BigInteger)
_LOCK = select(func.pg_advisory_xact_lock(_KEY))
_LOCK_SHARED = select(func.pg_advisory_xact_lock_shared(_KEY))
_IS_USER = (
    tombstone.c.organization_id == bindparam("owner"),
    tombstone.c.person == bindparam("hashed_id"),
)
_FIND = select(tombstone.c.begun_again_at).where(*_IS_USER)
_BEGIN_AGAIN = update(tombstone).where(*_IS_USER).values(begun_again_at=bindparam("now"))


class Erased(Exception):
    """The user was erased after the client token was minted."""


def insert(
    connection: Connection,
    organization_id: int,
    names: Iterable[str],
    now: datetime,
    pepper: bytes = b"",
) -> None:
    """Insert tombstones for the IDs of a user, in the transaction that erases the user."""
    for name in sorted(names):
        key = {"organization_id": organization_id, "person": hashed(organization_id, name, pepper)}
        put(connection, tombstone, key, {"erased_at": now, "begun_again_at": None})


def lock(
    connection: Connection, organization_id: int, names: Iterable[str], pepper: bytes = b""
) -> None:
    """Prevent other transactions from writing data of a user until this transaction ends.

    SQLite needs no lock, since it has only one write transaction at a time.
    """
    for name in sorted(names):
        _lock(connection, hashed(organization_id, name, pepper), _LOCK)


def allow_writing(
    connection: Connection,
    organization_id: int,
    name: str,
    now: datetime,
    *,
    token_issued_at: datetime | None,
    pepper: bytes = b"",
) -> None:
    """Raise an error if a client token predates the erasure of its user.

    API keys may always write; their first write after the erasure is recorded in the tombstone.
    """
    hashed_id = hashed(organization_id, name, pepper)
    _lock(connection, hashed_id, _LOCK_SHARED)
    values = {"owner": organization_id, "hashed_id": hashed_id}
    row = connection.execute(_FIND, values).one_or_none()
    if row is None:
        return
    begun_again_at = row.begun_again_at
    if token_issued_at is not None:
        if begun_again_at is None or token_issued_at < begun_again_at:
            raise Erased
    elif begun_again_at is None:
        connection.execute(_BEGIN_AGAIN, {**values, "now": now})


def sweep(connection: Connection, now: datetime, pepper: bytes = b"") -> int:
    """Delete rows that were written after their user was erased, once the tombstone has expired.

    Such rows come from processes of an earlier release, which do not check tombstones. Rows that
    were written after an API key reused the ID are kept. The caller deletes the tombstones.
    """
    is_due = tombstone.c.erased_at <= now - LIFETIME
    by_owner: dict[int, dict[str, Row[tuple[int, str, datetime, datetime | None]]]] = {}
    for row in connection.execute(select(tombstone).where(is_due)):
        by_owner.setdefault(row.organization_id, {})[row.person] = row
    deleted = sum(_sweep(connection, owner, rows, pepper) for owner, rows in by_owner.items())
    if deleted:
        secure_erase.mark(connection)
    return deleted


def _sweep(
    connection: Connection,
    owner: int,
    tombstones: Mapping[str, Row[tuple[int, str, datetime, datetime | None]]],
    pepper: bytes,
) -> int:
    # The margin allows for clock differences between processes.
    since = min(row.erased_at for row in tombstones.values()) - LIFETIME
    deleted = 0
    for table in _WRITTEN_BY_TOKENS:
        of_owner = table.c.organization_id == owner
        recent = select(table.c.end_user_id).where(of_owner, table.c.created_at >= since).distinct()
        for name in connection.execute(recent).scalars().all():
            erased = tombstones.get(hashed(owner, name, pepper))
            if erased is None:
                continue
            rows = delete(table).where(of_owner, table.c.end_user_id == name)
            if erased.begun_again_at is not None:
                rows = rows.where(table.c.created_at < erased.begun_again_at)
            deleted += connection.execute(rows).rowcount
    return deleted


def _lock(connection: Connection, hashed_id: str, statement: Select[Any]) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(statement, {"key": int(hashed_id.removeprefix("person "), 16)})
