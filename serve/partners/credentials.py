"""Credentials: from a secret to who calls, with a short memory of those that were found."""

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
from serve.partners.tokens import keep_expired
from serve.runtime.clock import Clock
from serve.storage.tables import api_key, client_token, organization
from serve.storage.transactions import Transactions

__all__ = ["CACHE_S", "Caller", "Credentials", "State"]

CACHE_S = 30.0
"""Seconds for which a credential that was found is not looked up again."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call.

    Attributes
    ----------
    organization : Organization
        The partner.
    version : str
        API version of the key; client tokens are of version 1.2.
    key_id : int or None
        The key's id, None for a client token.
    end_user_id : str or None
        The end user that a client token is bound to; None for a key.
    scopes : frozenset of str or None
        What a client token may do; None for a key, which may do everything of its version.
    ends_at : datetime or None
        When the token's lifetime or the key ends, in steady time.
    issued_at : datetime or None
        When the token was minted, in steady time; None for a key.
    expires_at : datetime or None
        When the token expires, in wall time; None for a key.
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
        """Whether a client token was used."""
        return self.scopes is not None

    @property
    def name(self) -> str:
        """The caller as the audit trail names it."""
        return "client token" if self.key_id is None else f"key {self.key_id}"

    @property
    def credential(self) -> str:
        """What limits per credential count by: the key, or all tokens of an end user."""
        if self.key_id is not None:
            return f"key {self.key_id}"
        return f"user {self.organization.id} {self.end_user_id}"


State = str
"""Why a credential does not serve: ``unknown``, ``token_expired`` or ``token_revoked``."""


class Credentials:
    """The credentials of all partners.

    Parameters
    ----------
    database : Transactions
        Where they are.
    clock : Clock
        The time.
    plans : mapping of str to Plan
        The plans that partners may have.
    pepper : bytes, default=b""
        Secret of the installation that is hashed together with every credential.
    most_remembered : int, default=50_000
        Credentials in memory at most, some 50 MB; beyond that, the one looked up longest ago is
        dropped.
    """

    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        plans: Mapping[str, Plan],
        pepper: bytes = b"",
        most_remembered: int = 50_000,
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans
        self._pepper = pepper
        self._most_remembered = most_remembered
        self._found: OrderedDict[bytes, tuple[bytes, Caller, float]] = OrderedDict()
        self._partners: dict[int, Organization] = {}

    def remembered(self, secret: str) -> Caller | None:
        """Return who a secret belongs to, if it was found within `CACHE_S` and still serves."""
        sha256 = digest(secret, self._pepper)
        hit = self._found.get(sha256)
        if hit and self._clock.monotonic_s() - hit[2] < CACHE_S:
            stored, caller, _ = hit
            if hmac.compare_digest(stored, sha256) and not self._has_ended(caller):
                return caller
        return None

    def was_found(self, secret: str) -> bool:
        """Return whether the last look-up of a secret, however long ago, found that it serves."""
        return digest(secret, self._pepper) in self._found

    async def look_up(self, secret: str) -> Caller | State:
        """Return who a secret belongs to by the database, or why it does not serve."""
        sha256 = digest(secret, self._pepper)
        asked_at = self._clock.monotonic_s()
        is_token = secret.startswith("ct-")
        row = await self._database.read(_token_row if is_token else _key_row, sha256)
        if row is None or not hmac.compare_digest(row.sha256, sha256):
            self._found.pop(sha256, None)
            return "unknown"
        if is_token and row.revoked_at is not None:
            self._found.pop(sha256, None)
            return "token_revoked"
        caller = self._caller(row, is_token)
        if self._has_ended(caller) or (is_token and row.expired_at is not None):
            self._found.pop(sha256, None)
            if is_token and row.expired_at is None:
                with suppress(SQLAlchemyError):  # it is refused, and kept at its next use
                    await self._database.write(keep_expired, self._clock.now(), sha256)
            return "token_expired" if is_token else "unknown"
        self._found[sha256] = (row.sha256, caller, asked_at)
        self._found.move_to_end(sha256)
        if len(self._found) > self._most_remembered:
            self._found.popitem(last=False)
        return caller

    def forget(self, organization_id: int, end_user_id: str | None) -> None:
        """Look up the tokens of an end user again at their next use, in this process."""
        for sha256, (_, caller, _) in list(self._found.items()):
            if (caller.organization.id, caller.end_user_id) == (organization_id, end_user_id):
                del self._found[sha256]

    def _has_ended(self, caller: Caller) -> bool:
        """Return whether a lifetime has passed, or `expires_at` by the wall clock."""
        if caller.ends_at is not None and caller.ends_at <= self._clock.steady():
            return True
        if caller.expires_at is None or caller.issued_at is None:
            return False
        return caller.expires_at <= self._clock.latest(caller.issued_at)

    def _caller(self, row: Row[Any], is_token: bool) -> Caller:
        partner = Organization.of(row, self._plans)
        if self._partners.get(partner.id) != partner:
            self._partners[partner.id] = partner
        partner = self._partners[partner.id]  # one object for all of its credentials
        if is_token:
            scopes = frozenset(row.scopes.split())
            ends_at = row.ends_at or row.expires_at
            whose = (row.end_user_id, scopes, ends_at, row.issued_at, row.expires_at)
            return Caller(partner, "v1.2", None, *whose)
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
