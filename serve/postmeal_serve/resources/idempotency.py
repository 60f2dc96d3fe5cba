"""Idempotency: a request that is repeated with the same key runs only once.

A repeated request gets the response to the first one. The first request claims its key in a
separate transaction, so that concurrent duplicates are detected. The food log and the stored
response are then written in one transaction. A claim expires after 30 seconds, in case its process
dies. A key expires after a day. If a food log is deleted, the stored response is deleted too, but
the key stays in use, so that a late retry does not create the log again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, null, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from postmeal_serve.runtime.clock import SKEW
from postmeal_serve.storage.tables import idempotency
from postmeal_serve.wire.errors import Refusal

__all__ = ["KEY_HEADER", "KEY_LIFETIME", "REPLAYED", "Claim", "claim", "delete_responses"]

KEY_HEADER = "Idempotency-Key"
"""Name of the request header that contains the key."""

REPLAYED = {
    "Idempotency-Replayed": "`true` if this is the stored response to an earlier request;"
    " otherwise omitted.",
}
"""Response header that marks a replayed response, with its description for the documentation."""

KEY_LIFETIME = timedelta(hours=24)
"""Time for which a key and the response to its request are stored."""

_CLAIM_LIFETIME = timedelta(seconds=30)

_IS_KEY = and_(
    idempotency.c.organization_id == bindparam("owner"),
    idempotency.c.end_user_id == bindparam("person"),
    idempotency.c.key == bindparam("claimed_key"),
)
_FIND = select(idempotency.c.request_sha256, idempotency.c.answer).where(_IS_KEY)
_COMPLETE = (
    update(idempotency)
    .where(
        _IS_KEY,
        idempotency.c.answer.is_(None),
        idempotency.c.claimed_until == bindparam("held_until"),
    )
    .values(answer=bindparam("response"), food_log_id=bindparam("log"))
)
_DELETED = b""  # replaces the stored response when its food log has been deleted
_DELETE_RESPONSES = (
    update(idempotency)
    .where(
        idempotency.c.organization_id == bindparam("owner"),
        idempotency.c.end_user_id == bindparam("person"),
        idempotency.c.food_log_id == bindparam("log"),
    )
    .values(answer=_DELETED, food_log_id=null())
)


def _claim_statement(insert: Any) -> Any:
    """Return an SQL statement that inserts a claim, or takes over an expired claim or key."""
    row = insert(idempotency)
    now = bindparam("now", type_=idempotency.c.created_at.type)
    renewed = {
        name: row.excluded[name]
        for name in ("request_sha256", "created_at", "claimed_until", "answer", "food_log_id")
    }
    free = or_(
        and_(
            idempotency.c.answer.is_(None),
            or_(
                idempotency.c.claimed_until <= now,
                idempotency.c.claimed_until > bindparam("latest", type_=now.type),
            ),
        ),
        idempotency.c.created_at <= bindparam("oldest", type_=idempotency.c.created_at.type),
    )
    return row.on_conflict_do_update(
        index_elements=list(idempotency.primary_key), set_=renewed, where=free
    ).returning(idempotency.c.key)


_CLAIM = {
    "sqlite": _claim_statement(sqlite.insert),
    "postgresql": _claim_statement(postgresql.insert),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """The exclusive right to run the request that has a given key, until the claim expires."""

    organization_id: int
    person: str
    key: str
    held_until: datetime

    def complete(
        self, connection: Connection, response: bytes, food_log_id: str | None = None
    ) -> None:
        """Store the response and the ID of its food log, in the transaction that adds the log."""
        row = {
            "owner": self.organization_id,
            "person": self.person,
            "claimed_key": self.key,
            "held_until": self.held_until,
            "response": response,
            "log": food_log_id,
        }
        if connection.execute(_COMPLETE, row).rowcount != 1:
            raise _in_flight()


def claim(
    connection: Connection,
    organization_id: int,
    person: str,
    key: str,
    request_sha256: bytes,
    now: datetime,
) -> Claim | bytes:
    """Claim a key, or return the stored response to the first request with this key."""
    held_until = now + _CLAIM_LIFETIME
    row = {
        "organization_id": organization_id,
        "end_user_id": person,
        "key": key,
        "request_sha256": request_sha256,
        "created_at": now,
        "claimed_until": held_until,
        "answer": None,
        "food_log_id": None,
    }
    times = {"now": now, "latest": held_until + SKEW, "oldest": now - KEY_LIFETIME}
    if connection.execute(_CLAIM[connection.dialect.name], row | times).one_or_none():
        return Claim(organization_id, person, key, held_until)
    values = {"owner": organization_id, "person": person, "claimed_key": key}
    stored = connection.execute(_FIND, values).one_or_none()
    if stored is not None and stored.request_sha256 != request_sha256:
        message = f"this {KEY_HEADER} was already used for a different request; send a new key"
        raise Refusal("idempotency_key_reused", message, field=KEY_HEADER)
    if stored is None or stored.answer is None:
        raise _in_flight()
    response: bytes = stored.answer
    if response == _DELETED:
        message = f"the food log created with this {KEY_HEADER} was deleted; send a new key"
        raise Refusal("not_found", message)
    return response


def delete_responses(
    connection: Connection, organization_id: int, person: str, food_log_id: str
) -> None:
    """Delete the stored responses that contain a food log; their keys stay in use."""
    values = {"owner": organization_id, "person": person, "log": food_log_id}
    connection.execute(_DELETE_RESPONSES, values)


def _in_flight() -> Refusal:
    message = f"a request with this {KEY_HEADER} is still in progress; retry in a moment"
    return Refusal("idempotency_key_in_flight", message, field=KEY_HEADER)
