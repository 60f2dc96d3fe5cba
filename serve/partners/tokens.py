"""Client tokens: short-lived, each bound to one end user of one partner.

none → active → expired → purged, and active → revoked → purged; there are no other ways.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from sqlalchemy import Connection, and_, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from serve.clock import Clock
from serve.partners.audit import person, record
from serve.partners.keys import digest
from serve.storage.database import Database
from serve.storage.tables import client_token

__all__ = [
    "MOST_REVOKED",
    "SCOPES",
    "Revocation",
    "Scope",
    "Token",
    "live_ids",
    "mint",
    "revoke",
    "revoke_live",
]

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


def mint(
    connection: Connection,
    now: datetime,
    organization_id: int,
    end_user_id: str,
    scopes: tuple[str, ...],
    ttl_s: int,
    actor: str,
    pepper: bytes = b"",
) -> Token:
    """Make a token of 256 random bits; its hash is kept."""
    secret = f"ct-{secrets.token_urlsafe(32)}"
    expires_at = now + timedelta(seconds=ttl_s)
    row = {
        "organization_id": organization_id,
        "end_user_id": end_user_id,
        "sha256": digest(secret, pepper),
        "scopes": " ".join(scopes),
        "created_at": now,
        "expires_at": expires_at,
    }
    connection.execute(insert(client_token).values(**row))
    who = person(organization_id, end_user_id)
    record(connection, now, actor, "token minted", who, organization_id)
    return Token(secret, end_user_id, scopes, ttl_s, expires_at)


def live_ids(
    connection: Connection, now: datetime, organization_id: int, end_user_id: str
) -> list[int]:
    """Answer the ids of the live tokens of one end user, the oldest first, at most 500."""
    live = (
        select(client_token.c.id)
        .where(
            client_token.c.organization_id == organization_id,
            client_token.c.end_user_id == end_user_id,
            client_token.c.revoked_at.is_(None),
            client_token.c.expires_at > now,
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
) -> int:
    """Revoke tokens of one end user; answer how many were live until then."""
    still_live = (client_token.c.revoked_at.is_(None), client_token.c.expires_at > now)
    where = and_(client_token.c.id.in_(ids), *still_live)
    revoked = connection.execute(update(client_token).where(where).values(revoked_at=now)).rowcount
    if revoked:
        who = person(organization_id, end_user_id)
        record(connection, now, actor, "tokens revoked", who, organization_id)
    return revoked


async def revoke_live(
    database: Database, clock: Clock, organization_id: int, end_user_id: str, actor: str
) -> Revocation:
    """Revoke the live tokens of one end user, the oldest first, at most `MOST_REVOKED`.

    They are revoked a hundred at a time. Where that fails, each of the hundred is tried alone, so
    that one row that cannot be written does not keep the others alive. None is revoked only when
    none is live: what another call revokes at the same moment is looked for again.
    """
    revoked = failed = 0
    ids = await database.read(live_ids, clock.now(), organization_id, end_user_id)
    for start in range(0, len(ids), _REVOKED_AT_ONCE):
        chunk = ids[start : start + _REVOKED_AT_ONCE]
        whose = (organization_id, end_user_id)
        try:
            revoked += await database.write(revoke, clock.now(), *whose, chunk, actor)
        except SQLAlchemyError:
            for one in chunk:
                try:
                    revoked += await database.write(revoke, clock.now(), *whose, [one], actor)
                except SQLAlchemyError:
                    failed += 1
    if ids and not revoked and not failed:
        return await revoke_live(database, clock, organization_id, end_user_id, actor)
    return Revocation(revoked, failed)
