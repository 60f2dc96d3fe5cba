"""Client tokens: short-lived, each bound to one end user of one partner.

none → active → expired → purged, and active → revoked → purged; there are no other ways.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from sqlalchemy import ColumnElement, Connection, and_, insert, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from serve.partners.audit import person, record
from serve.partners.keys import digest
from serve.runtime.clock import Clock
from serve.storage.database import Database
from serve.storage.tables import client_token

__all__ = [
    "LONGEST_S",
    "MOST_REVOKED",
    "SCOPES",
    "SHORTEST_S",
    "USUAL_S",
    "Revocation",
    "Scope",
    "Token",
    "keep_expired",
    "live_ids",
    "mint",
    "new_secret",
    "revoke",
    "revoke_live",
]

SHORTEST_S, USUAL_S, LONGEST_S = 300, 1800, 7200
"""Seconds for which a client token may be valid: at least, when not chosen, at most."""

Scope = Literal[
    "foods:read",
    "restaurants:read",
    "food_logs:read",
    "food_logs:write",
    "food_scans:write",
    "glucose:read",
]

SCOPES: tuple[Scope, ...] = get_args(Scope)
"""What a token may be allowed to do."""

MOST_REVOKED = 500
"""Tokens that one call revokes at most."""

_REVOKED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Token:
    """A minted token, with the secret that is shown this once."""

    secret: str
    end_user_id: str
    scopes: tuple[str, ...]
    ttl_s: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Revocation:
    """How many tokens were revoked, and how many could not be."""

    revoked: int
    failed: int


def new_secret() -> str:
    """Return the prefix of a client token and 256 random bits."""
    return f"ct-{secrets.token_urlsafe(32)}"


def mint(
    connection: Connection,
    now: datetime,
    organization_id: int,
    end_user_id: str,
    scopes: tuple[str, ...],
    ttl_s: int,
    actor: str,
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> Token:
    """Make a token of 256 random bits; its hash is kept.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The wall time.
    organization_id : int
        The partner.
    end_user_id : str
        The person, by the id under which their data is kept.
    scopes : tuple of str
        What the token may do.
    ttl_s : int
        How long it lives, in seconds.
    actor : str
        Who mints it, for the audit trail.
    pepper : bytes, default=b""
        Secret of the installation, hashed together with the token.
    steady : datetime, optional
        The steady time; `now` if omitted.

    Returns
    -------
    Token
        The token with its secret.
    """
    secret = new_secret()
    steady = steady or now
    expires_at = now + timedelta(seconds=ttl_s)
    row = {
        "organization_id": organization_id,
        "end_user_id": end_user_id,
        "sha256": digest(secret, pepper),
        "scopes": " ".join(scopes),
        "created_at": steady,
        "expires_at": expires_at,
        "ends_at": steady + timedelta(seconds=ttl_s),
    }
    connection.execute(insert(client_token).values(**row))
    who = person(organization_id, end_user_id, pepper)
    record(connection, now, actor, "token minted", who, organization_id)
    return Token(secret, end_user_id, scopes, ttl_s, expires_at)


def keep_expired(connection: Connection, now: datetime, sha256: bytes) -> None:
    """Store that a token was refused as expired, so that no clock makes it valid again.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction.
    now : datetime
        The wall time.
    sha256 : bytes
        Hash of the token.
    """
    this = (client_token.c.sha256 == sha256) & client_token.c.expired_at.is_(None)
    connection.execute(update(client_token).where(this).values(expired_at=now))


def live_ids(
    connection: Connection,
    now: datetime,
    organization_id: int,
    end_user_id: str,
    steady: datetime | None = None,
) -> list[int]:
    """Return the ids of the live tokens of one end user, the oldest first, at most 500."""
    live = (
        select(client_token.c.id)
        .where(
            client_token.c.organization_id == organization_id,
            client_token.c.end_user_id == end_user_id,
            _live(now, steady or now),
        )
        .order_by(client_token.c.id)
        .limit(MOST_REVOKED)
    )
    return list(connection.execute(live).scalars())


def revoke(
    connection: Connection,
    now: datetime,
    organization_id: int,
    end_user_id: str,
    ids: list[int],
    actor: str,
    pepper: bytes = b"",
    steady: datetime | None = None,
) -> int:
    """Revoke tokens of one end user; return how many were live until then."""
    where = client_token.c.id.in_(ids) & _live(now, steady or now)
    revoked = connection.execute(update(client_token).where(where).values(revoked_at=now)).rowcount
    if revoked:
        who = person(organization_id, end_user_id, pepper)
        record(connection, now, actor, "tokens revoked", who, organization_id)
    return revoked


async def revoke_live(
    database: Database,
    clock: Clock,
    organization_id: int,
    end_user_id: str,
    actor: str,
    pepper: bytes = b"",
) -> Revocation:
    """Revoke the live tokens of one end user, the oldest first, at most `MOST_REVOKED`.

    They are revoked a hundred at a time. Where that fails, each of the hundred is tried alone, so
    that one row that cannot be written does not keep the others alive, until as much time has
    passed as a transaction may take: the rest counts as failed. None is revoked only when none is
    live: what another call revokes at the same moment is looked for again.
    """
    revoked = failed = 0
    ends_s = clock.monotonic_s() + (database.within_s or math.inf)
    whose = (organization_id, end_user_id)
    ids = await database.read(live_ids, clock.now(), *whose, clock.steady())

    async def revoke_some(some: list[int]) -> int:
        now, steady = clock.now(), clock.steady()
        return await database.write(revoke, now, *whose, some, actor, pepper, steady)

    for start in range(0, len(ids), _REVOKED_AT_ONCE):
        chunk = ids[start : start + _REVOKED_AT_ONCE]
        if clock.monotonic_s() >= ends_s:
            failed += len(chunk)
            continue
        try:
            revoked += await revoke_some(chunk)
        except SQLAlchemyError:
            for one in chunk:
                if clock.monotonic_s() >= ends_s:
                    failed += 1
                    continue
                try:
                    revoked += await revoke_some([one])
                except SQLAlchemyError:
                    failed += 1
    if ids and not revoked and not failed:
        return await revoke_live(database, clock, *whose, actor, pepper)
    return Revocation(revoked, failed)


def _live(now: datetime, steady: datetime) -> ColumnElement[bool]:
    return and_(
        client_token.c.revoked_at.is_(None),
        client_token.c.expired_at.is_(None),
        client_token.c.expires_at > now,
        or_(client_token.c.ends_at > steady, client_token.c.ends_at.is_(None)),
    )
