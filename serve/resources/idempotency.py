"""Idempotency: a request that is sent again under the same key is done once, and answered alike.

A key is claimed in a transaction of its own, so that a duplicate in flight is seen; the work is
then done in one transaction with the answer that is kept. The claim of a process that died runs
out, and so does a key after a day. With a food log goes the answer that tells of it: the key stays
used, so that a late repetition does not bring the log back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, null, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from serve.runtime.clock import SKEW
from serve.storage.tables import idempotency
from serve.wire.errors import Refusal

__all__ = ["FORGOTTEN_AFTER", "REPLAYED", "Claim", "claim", "drop_answers"]

REPLAYED = {
    "Idempotency-Replayed": "`true` where this is the first answer again, else left out.",
}
"""What the header of a repeated answer says, for the documentation."""

FORGOTTEN_AFTER = timedelta(hours=24)
"""How long a key and its answer are kept."""
_CLAIM_HOLDS = timedelta(seconds=30)

_THIS = and_(
    idempotency.c.organization_id == bindparam("owner"),
    idempotency.c.end_user_id == bindparam("person"),
    idempotency.c.key == bindparam("this"),
)
_FIND = select(idempotency.c.request_sha256, idempotency.c.answer).where(_THIS)
_COMPLETE = (
    update(idempotency)
    .where(
        _THIS,
        idempotency.c.answer.is_(None),
        idempotency.c.claimed_until == bindparam("held_until"),
    )
    .values(answer=bindparam("kept"), food_log_id=bindparam("told_of"))
)
_NO_LONGER_TOLD = b""
_DROP = (
    update(idempotency)
    .where(
        idempotency.c.organization_id == bindparam("owner"),
        idempotency.c.end_user_id == bindparam("person"),
        idempotency.c.food_log_id == bindparam("told_of"),
    )
    .values(answer=_NO_LONGER_TOLD, food_log_id=null())
)


def _claiming(insert: Any) -> Any:
    """Insert a claim, or take over one that ran out or whose key is forgotten."""
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
        idempotency.c.created_at <= bindparam("forgotten", type_=idempotency.c.created_at.type),
    )
    return row.on_conflict_do_update(
        index_elements=list(idempotency.primary_key), set_=renewed, where=free
    ).returning(idempotency.c.key)


_CLAIM = {"sqlite": _claiming(sqlite.insert), "postgresql": _claiming(postgresql.insert)}


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to do the work of one key, until it runs out."""

    organization_id: int
    person: str
    key: str
    held_until: datetime

    def complete(
        self, connection: Connection, answer: bytes, food_log_id: str | None = None
    ) -> None:
        """Keep the answer, in the transaction that does the work, with the log that it tells of.

        Raises
        ------
        Refusal
            The claim ran out and another request took it over: the work must be undone.
        """
        row = {
            "owner": self.organization_id,
            "person": self.person,
            "this": self.key,
            "held_until": self.held_until,
            "kept": answer,
            "told_of": food_log_id,
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
    """Claim a key, or answer what was answered under it before.

    Parameters
    ----------
    connection : Connection
        Of a writing transaction that does nothing else.
    organization_id : int
        The partner.
    person : str
        The id under which the person's data is kept: keys of different people are different.
    key : str
        The key.
    request_sha256 : bytes
        Digest of what is asked.
    now : datetime
        The steady time.

    Returns
    -------
    Claim or bytes
        The claim, or the first answer.

    Raises
    ------
    Refusal
        The key stands for another request, the first one is in flight, or what it made was deleted.
    """
    held_until = now + _CLAIM_HOLDS
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
    times = {"now": now, "latest": held_until + SKEW, "forgotten": now - FORGOTTEN_AFTER}
    if connection.execute(_CLAIM[connection.dialect.name], row | times).one_or_none():
        return Claim(organization_id, person, key, held_until)
    this = {"owner": organization_id, "person": person, "this": key}
    found = connection.execute(_FIND, this).one_or_none()
    if found is not None and found.request_sha256 != request_sha256:
        message = "this Idempotency-Key was used for another request: send a new one"
        raise Refusal("idempotency_key_reused", message, field="Idempotency-Key")
    if found is None or found.answer is None:
        raise _in_flight()
    answer: bytes = found.answer
    if answer == _NO_LONGER_TOLD:
        raise Refusal("not_found", "the food log that this Idempotency-Key made was deleted")
    return answer


def drop_answers(
    connection: Connection, organization_id: int, person: str, food_log_id: str
) -> None:
    """Delete what is stored of the answers that tell of a food log; their keys stay used.

    Parameters
    ----------
    connection : Connection
        Of the transaction that deletes the log.
    organization_id : int
        The partner.
    person : str
        The id under which the person's data is kept.
    food_log_id : str
        The log.
    """
    whose = {"owner": organization_id, "person": person, "told_of": food_log_id}
    connection.execute(_DROP, whose)


def _in_flight() -> Refusal:
    message = "a request with this Idempotency-Key is being done: send it again in a moment"
    return Refusal("idempotency_key_in_flight", message, field="Idempotency-Key")
