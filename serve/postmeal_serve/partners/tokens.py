"""Client tokens: short-lived credentials, each bound to one end user of one partner.

A token is active until it expires or is revoked. It is deleted some time after that.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from sqlalchemy import ColumnElement, Connection, and_, insert, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from postmeal_serve.partners.audit import person, record
from postmeal_serve.partners.keys import digest
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import client_token

__all__ = [
    "DEFAULT_S",
    "LONGEST_S",
    "MOST_REVOKED",
    "SCOPES",
    "SHORTEST_S",
    "Revocation",
    "Scope",
    "Token",
    "live_ids",
    "mark_expired",
    "mint",
    "new_secret",
    "revoke",
    "revoke_live",
]

SHORTEST_S, DEFAULT_S, LONGEST_S = 300, 1800, 7200
"""Minimum, default and maximum lifetime of a client token, in seconds."""

Scope = Literal[
    "foods:read",
    "restaurants:read",
    "food_logs:read",
    "food_logs:write",
    "food_scans:write",
    "glucose:read",
]

SCOPES: tuple[Scope, ...] = get_args(Scope)
"""All scopes of client tokens."""

MOST_REVOKED = 500
"""Maximum number of tokens that one request revokes."""

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Token:
    """A new client token with its secret, which is shown only once."""

    secret: str
    end_user_id: str
    scopes: tuple[str, ...]
    ttl_s: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Revocation:
    """Numbers of tokens that were revoked, and of tokens that could not be revoked."""

    revoked: int
    failed: int


def new_secret() -> str:
    """Return a new client token: a prefix and 256 random bits."""
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
    """Mint a token and store its hash."""
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


def mark_expired(connection: Connection, now: datetime, sha256: bytes) -> None:
    """Record that a token has expired, so that a clock change cannot make it valid again."""
    where = (client_token.c.sha256 == sha256) & client_token.c.expired_at.is_(None)
    connection.execute(update(client_token).where(where).values(expired_at=now))


def live_ids(
    connection: Connection,
    now: datetime,
    organization_id: int,
    end_user_id: str,
    steady: datetime | None = None,
) -> list[int]:
    """Return the IDs of an end user's active tokens, oldest first, at most `MOST_REVOKED`."""
    query = (
        select(client_token.c.id)
        .where(
            client_token.c.organization_id == organization_id,
            client_token.c.end_user_id == end_user_id,
            _is_active(now, steady or now),
        )
        .order_by(client_token.c.id)
        .limit(MOST_REVOKED)
    )
    return list(connection.execute(query).scalars())


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
    """Revoke the tokens with the given IDs; return how many of them were active."""
    where = client_token.c.id.in_(ids) & _is_active(now, steady or now)
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
    """Revoke the active tokens of an end user, oldest first, at most `MOST_REVOKED`.

    Tokens are revoked in batches. If a batch fails, its tokens are revoked one by one, so that one
    row that cannot be written does not block the others. Tokens that remain when the deadline of a
    transaction has passed count as failed. If a concurrent request has revoked all tokens that were
    found, the search is repeated, so that the count is 0 only if no token is active.
    """
    revoked = failed = 0
    deadline_s = clock.monotonic_s() + (database.within_s or math.inf)
    user = (organization_id, end_user_id)
    ids = await database.read(live_ids, clock.now(), *user, clock.steady())

    async def revoke_ids(ids: list[int]) -> int:
        now, steady = clock.now(), clock.steady()
        return await database.write(revoke, now, *user, ids, actor, pepper, steady)

    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        if clock.monotonic_s() >= deadline_s:
            failed += len(batch)
            continue
        try:
            revoked += await revoke_ids(batch)
        except SQLAlchemyError:
            for token_id in batch:
                if clock.monotonic_s() >= deadline_s:
                    failed += 1
                    continue
                try:
                    revoked += await revoke_ids([token_id])
                except SQLAlchemyError:
                    failed += 1
    if ids and not revoked and not failed:
        return await revoke_live(database, clock, *user, actor, pepper)
    return Revocation(revoked, failed)


def _is_active(now: datetime, steady: datetime) -> ColumnElement[bool]:
    return and_(
        client_token.c.revoked_at.is_(None),
        client_token.c.expired_at.is_(None),
        client_token.c.expires_at > now,
        or_(client_token.c.ends_at > steady, client_token.c.ends_at.is_(None)),
    )
