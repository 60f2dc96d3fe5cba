"""Lookup of API keys and client tokens, with a short-lived cache."""

from __future__ import annotations

import asyncio
import hmac
from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, select
from sqlalchemy.exc import SQLAlchemyError

from postmeal_serve.partners.keys import digest
from postmeal_serve.partners.organizations import Organization
from postmeal_serve.partners.plans import Plan
from postmeal_serve.partners.tokens import mark_expired
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.tables import api_key, client_token, organization
from postmeal_serve.storage.transactions import Transactions

__all__ = ["CACHE_S", "Caller", "Credentials", "State"]

CACHE_S = 30.0
"""Seconds for which a valid credential is cached."""

_BATCHES_PER_S = 20
_MOST_IN_QUERY = 500


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request."""

    organization: Organization
    version: str
    key_id: int | None
    end_user_id: str | None
    scopes: frozenset[str] | None
    ends_at: datetime | None
    issued_at: datetime | None = field(default=None, compare=False)
    expires_at: datetime | None = field(default=None, compare=False)

    @property
    def is_token(self) -> bool:
        """Whether the credential is a client token."""
        return self.scopes is not None

    @property
    def name(self) -> str:
        """The name of the caller in the audit trail."""
        return "client token" if self.key_id is None else f"key {self.key_id}"

    @property
    def credential(self) -> str:
        """Name of the credential in limits; all client tokens of a user share one name."""
        if self.key_id is not None:
            return f"key {self.key_id}"
        return f"user {self.organization.id} {self.end_user_id}"


State = str
"""The reason why a credential is invalid: ``unknown``, ``token_expired`` or ``token_revoked``."""


class Credentials:
    """Lookup of the credentials of all partners, with a cache of valid credentials."""

    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        plans: Mapping[str, Plan],
        pepper: bytes = b"",
        max_cached: int = 50_000,
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans
        self._pepper = pepper
        self._most_remembered = max_cached
        self._cache: OrderedDict[bytes, tuple[bytes, Caller, float]] = OrderedDict()
        self._partners: dict[int, Organization] = {}
        self._batches = _Batches(database)

    def cached(self, secret: str) -> Caller | None:
        """Return the caller of a secret if the secret is cached and valid, or None otherwise."""
        sha256 = digest(secret, self._pepper)
        hit = self._cache.get(sha256)
        if hit and self._clock.monotonic_s() - hit[2] < CACHE_S:
            stored, caller, _ = hit
            if hmac.compare_digest(stored, sha256) and not self._has_ended(caller):
                return caller
        return None

    async def look_up(self, secret: str, *, batched: bool = False) -> Caller | State:
        """Look up a secret in the database; return its caller, or the reason why it is invalid.

        If `batched` is true, the secret waits for up to a twentieth of a second, and one query then
        looks up all waiting secrets. The database therefore does not notice how many there are, and
        none of them is refused because of the others.
        """
        sha256 = digest(secret, self._pepper)
        read_at = self._clock.monotonic_s()
        is_token = secret.startswith("ct-")
        if batched:
            row = await self._batches.find(sha256, is_token)
        else:
            row = (await self._database.read(_rows, [sha256], is_token)).get(sha256)
        if row is None or not hmac.compare_digest(row.sha256, sha256):
            self._cache.pop(sha256, None)
            return "unknown"
        if is_token and row.revoked_at is not None:
            self._cache.pop(sha256, None)
            return "token_revoked"
        caller = self._caller(row, is_token)
        if self._has_ended(caller) or (is_token and row.expired_at is not None):
            self._cache.pop(sha256, None)
            if is_token and row.expired_at is None:
                with suppress(SQLAlchemyError):  # The next request with the token tries again.
                    await self._database.write(mark_expired, self._clock.now(), sha256)
            return "token_expired" if is_token else "unknown"
        self._cache[sha256] = (row.sha256, caller, read_at)
        self._cache.move_to_end(sha256)
        if len(self._cache) > self._most_remembered:
            self._cache.popitem(last=False)
        return caller

    def evict(self, organization_id: int, end_user_id: str | None) -> None:
        """Remove the client tokens of an end user from the cache of this process."""
        for sha256, (_, caller, _) in list(self._cache.items()):
            if (caller.organization.id, caller.end_user_id) == (organization_id, end_user_id):
                del self._cache[sha256]

    def _has_ended(self, caller: Caller) -> bool:
        """Return whether a credential has expired in monotonic time or in wall time."""
        if caller.ends_at is not None and caller.ends_at <= self._clock.steady():
            return True
        if caller.expires_at is None or caller.issued_at is None:
            return False
        return caller.expires_at <= self._clock.latest(caller.issued_at)

    def _caller(self, row: Row[Any], is_token: bool) -> Caller:
        partner = Organization.of(row, self._plans)
        if self._partners.get(partner.id) != partner:
            self._partners[partner.id] = partner
        partner = self._partners[partner.id]  # shared by its credentials, to save memory
        if is_token:
            scopes = frozenset(row.scopes.split())
            ends_at = row.ends_at or row.expires_at
            details = (row.end_user_id, scopes, ends_at, row.issued_at, row.expires_at)
            return Caller(partner, "v1.2", None, *details)
        ends_at = row.ends_at or row.disabled_at
        return Caller(partner, row.version, row.key_id, None, None, ends_at)


class _Batches:
    """Lookups of many hashes at once, at most 20 times a second and one after another."""

    def __init__(self, database: Transactions) -> None:
        self._database = database
        self._waiting: dict[bool, set[bytes]] = {True: set(), False: set()}
        self._next: asyncio.Task[dict[bytes, Row[Any]]] | None = None
        self._latest: asyncio.Task[dict[bytes, Row[Any]]] | None = None

    async def find(self, sha256: bytes, is_token: bool) -> Row[Any] | None:
        """Return the row of a hash in the next batch; None if there is none."""
        if self._next is None:
            self._next = self._latest = asyncio.create_task(self._read_next(self._latest))
        self._waiting[is_token].add(sha256)
        async with self._database.deadline():
            return (await asyncio.shield(self._next)).get(sha256)

    async def _read_next(
        self, previous: asyncio.Task[dict[bytes, Row[Any]]] | None
    ) -> dict[bytes, Row[Any]]:
        if previous is not None and not previous.done():
            await asyncio.wait([previous])
        await asyncio.sleep(1 / _BATCHES_PER_S)
        waiting, self._waiting = self._waiting, {True: set(), False: set()}
        self._next = None
        rows: dict[bytes, Row[Any]] = {}
        for is_token, hashes in waiting.items():
            if hashes:
                rows |= await self._database.read(_rows, hashes, is_token)
        return rows


def _rows(
    connection: Connection, hashes: Collection[bytes], is_token: bool
) -> dict[bytes, Row[Any]]:
    """Return the rows of credentials by hash."""
    query, column = _TOKENS if is_token else _KEYS
    wanted = list(hashes)
    rows: dict[bytes, Row[Any]] = {}
    for start in range(0, len(wanted), _MOST_IN_QUERY):
        batch = wanted[start : start + _MOST_IN_QUERY]
        rows |= {row.sha256: row for row in connection.execute(query.where(column.in_(batch)))}
    return rows


_Query = tuple[Select[Any], Column[bytes]]
_KEYS: _Query = (
    select(
        organization,
        api_key.c.id.label("key_id"),
        api_key.c.sha256,
        api_key.c.version,
        api_key.c.disabled_at,
        api_key.c.ends_at,
    ).join(api_key),
    api_key.c.sha256,
)
_TOKENS: _Query = (
    select(
        organization,
        client_token.c.sha256,
        client_token.c.end_user_id,
        client_token.c.scopes,
        client_token.c.expires_at,
        client_token.c.created_at.label("issued_at"),
        client_token.c.revoked_at,
        client_token.c.ends_at,
        client_token.c.expired_at,
    ).join(client_token),
    client_token.c.sha256,
)
