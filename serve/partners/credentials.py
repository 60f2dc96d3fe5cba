"""Lookup of API keys and client tokens, with a short-lived cache."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select
from sqlalchemy.exc import SQLAlchemyError

from serve.partners.keys import digest
from serve.partners.organizations import Organization
from serve.partners.plans import Plan
from serve.partners.tokens import mark_expired
from serve.runtime.clock import Clock
from serve.storage.tables import api_key, client_token, organization
from serve.storage.transactions import Transactions

__all__ = ["CACHE_S", "Caller", "Credentials", "State"]

CACHE_S = 30.0
"""Seconds for which a valid credential is cached."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request.

    Attributes
    ----------
    organization : Organization
        The partner.
    version : str
        API version of the credential, such as ``v1.2``. Client tokens always have ``v1.2``.
    key_id : int or None
        ID of the API key; None for a client token.
    end_user_id : str or None
        End user that the client token is bound to; None for an API key.
    scopes : frozenset of str or None
        Scopes of the client token; None for an API key, which gives access to all operations of its
        version.
    ends_at : datetime or None
        Monotonic time at which the credential becomes invalid; None if it stays valid.
    issued_at : datetime or None
        Monotonic time at which the client token was minted; None for an API key.
    expires_at : datetime or None
        Wall time at which the client token expires; None for an API key.
    """

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
    """Lookup of the credentials of all partners, with a cache of valid credentials.

    Parameters
    ----------
    database : Transactions
        Database of the credentials.
    clock : Clock
        Source of the current time.
    plans : mapping of str to Plan
        Plans by name.
    pepper : bytes, default=b""
        Secret of the installation, hashed together with every credential.
    max_cached : int, default=50_000
        Maximum number of cached credentials; 50,000 take about 50 MB of memory. When the cache is
        full, the credential that was looked up least recently is removed.
    """

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

    def cached(self, secret: str) -> Caller | None:
        """Return the caller of a secret if the secret is cached and valid, or None otherwise."""
        sha256 = digest(secret, self._pepper)
        hit = self._cache.get(sha256)
        if hit and self._clock.monotonic_s() - hit[2] < CACHE_S:
            stored, caller, _ = hit
            if hmac.compare_digest(stored, sha256) and not self._has_ended(caller):
                return caller
        return None

    def was_valid(self, secret: str) -> bool:
        """Return whether a secret was valid at its last lookup, even if that was long ago.

        A secret that was removed from the full cache counts as not valid.
        """
        return digest(secret, self._pepper) in self._cache

    async def look_up(self, secret: str) -> Caller | State:
        """Look up a secret in the database; return its caller, or the reason why it is invalid."""
        sha256 = digest(secret, self._pepper)
        read_at = self._clock.monotonic_s()
        is_token = secret.startswith("ct-")
        row = await self._database.read(_token_row if is_token else _key_row, sha256)
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


def _key_row(connection: Connection, sha256: bytes) -> Row[Any] | None:
    query = (
        select(
            organization,
            api_key.c.id.label("key_id"),
            api_key.c.sha256,
            api_key.c.version,
            api_key.c.disabled_at,
            api_key.c.ends_at,
        )
        .join(api_key)
        .where(api_key.c.sha256 == sha256)
    )
    return connection.execute(query).first()


def _token_row(connection: Connection, sha256: bytes) -> Row[Any] | None:
    query = (
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
        )
        .join(client_token)
        .where(client_token.c.sha256 == sha256)
    )
    return connection.execute(query).first()
