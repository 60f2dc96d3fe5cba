"""Tombstones: for a minute after an erasure, older client tokens cannot write for the person.

A process remembers a credential for 30 seconds, so that other processes still admit the token of
someone who was erased. Its writes are refused in the transaction that writes, under a lock that the
erasure also takes. An API key of the partner may write for the same id again at once; whatever is
written from then on is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Connection, Row, Select, bindparam, delete, func, select, update

from serve.partners.audit import person as hashed
from serve.storage import secure_erase
from serve.storage.tables import food_log, idempotency, tombstone
from serve.storage.upsert import put

__all__ = ["STANDS_FOR", "Erased", "allow_writing", "bury", "lock", "sweep"]

STANDS_FOR = timedelta(seconds=60)
"""How long a tombstone stands: twice as long as any process remembers a credential."""

_WRITTEN_BY_TOKENS = (food_log, idempotency)

# Statements are built once: one of these runs in every transaction that writes for a person.
_KEY = bindparam("key", type_=BigInteger)
_LOCK = select(func.pg_advisory_xact_lock(_KEY))
_LOCK_SHARED = select(func.pg_advisory_xact_lock_shared(_KEY))
_THIS = (
    tombstone.c.organization_id == bindparam("owner"),
    tombstone.c.person == bindparam("who"),
)
_FIND = select(tombstone.c.begun_again_at).where(*_THIS)
_BEGIN_AGAIN = update(tombstone).where(*_THIS).values(begun_again_at=bindparam("now"))


class Erased(Exception):
    """The person was erased after the client token was minted."""


def bury(
    connection: Connection,
    organization_id: int,
    names: Iterable[str],
    now: datetime,
    pepper: bytes = b"",
) -> None:
    """Insert the tombstones of a person, in the transaction that erases them.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    organization_id : int
        The partner whose user it was.
    names : iterable of str
        The ids under which something was stored. Only their hashes are kept.
    now : datetime
        When the person was erased, in steady time.
    pepper : bytes, default=b""
        Secret of the installation, the key of the hash.
    """
    for name in sorted(names):
        key = {"organization_id": organization_id, "person": hashed(organization_id, name, pepper)}
        put(connection, tombstone, key, {"erased_at": now, "begun_again_at": None})


def lock(
    connection: Connection, organization_id: int, names: Iterable[str], pepper: bytes = b""
) -> None:
    """Lock a person against writes of other transactions until this one ends.

    On SQLite the transaction has the whole database to itself.
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
    """Refuse a client token of someone who was erased; let an API key begin again.

    Parameters
    ----------
    connection : Connection
        Of the transaction that writes, before it does.
    organization_id : int
        The partner.
    name : str
        The id under which the person's data is kept.
    now : datetime
        The moment that the rows to be written are given, in steady time.
    token_issued_at : datetime or None
        When the client token was minted, in steady time; None for an API key.
    pepper : bytes, default=b""
        Secret of the installation.

    Raises
    ------
    Erased
        The token was minted before the person was erased.
    """
    who = hashed(organization_id, name, pepper)
    _lock(connection, who, _LOCK_SHARED)
    this = {"owner": organization_id, "who": who}
    found = connection.execute(_FIND, this).one_or_none()
    if found is None:
        return
    begun_again_at = found.begun_again_at
    if token_issued_at is not None:
        if begun_again_at is None or token_issued_at < begun_again_at:
            raise Erased
    elif begun_again_at is None:
        connection.execute(_BEGIN_AGAIN, {**this, "now": now})


def sweep(connection: Connection, now: datetime, pepper: bytes = b"") -> int:
    """Delete late rows of erased people whose tombstones have expired.

    The caller deletes the tombstones. Rows that a process of an earlier release, which does not
    check tombstones, wrote for an erased person are deleted; rows of a new beginning are kept.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The steady time.
    pepper : bytes, default=b""
        Secret of the installation.

    Returns
    -------
    int
        The number of rows of erased people that were found and deleted.
    """
    due = tombstone.c.erased_at <= now - STANDS_FOR
    by_owner: dict[int, dict[str, Row[tuple[int, str, datetime, datetime | None]]]] = {}
    for row in connection.execute(select(tombstone).where(due)):
        by_owner.setdefault(row.organization_id, {})[row.person] = row
    swept = sum(_sweep(connection, owner, rows, pepper) for owner, rows in by_owner.items())
    if swept:
        secure_erase.mark(connection)
    return swept


def _sweep(
    connection: Connection,
    owner: int,
    buried: Mapping[str, Row[tuple[int, str, datetime, datetime | None]]],
    pepper: bytes,
) -> int:
    since = min(row.erased_at for row in buried.values()) - STANDS_FOR  # clocks may differ a little
    swept = 0
    for table in _WRITTEN_BY_TOKENS:
        mine = table.c.organization_id == owner
        recent = select(table.c.end_user_id).where(mine, table.c.created_at >= since).distinct()
        for name in connection.execute(recent).scalars().all():
            found = buried.get(hashed(owner, name, pepper))
            if found is None:
                continue
            rows = delete(table).where(mine, table.c.end_user_id == name)
            if found.begun_again_at is not None:
                rows = rows.where(table.c.created_at < found.begun_again_at)
            swept += connection.execute(rows).rowcount
    return swept


def _lock(connection: Connection, who: str, statement: Select[Any]) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(statement, {"key": int(who.removeprefix("person "), 16)})
