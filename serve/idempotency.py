"""Idempotency: a request that is sent again under the same key is done once, and answered alike.

A key is claimed in a transaction of its own, so that a duplicate in flight is seen; the work is
then done in one transaction with the answer that is kept. The claim of a process that died runs
out, and so does a key after a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from serve.errors import Refusal
from serve.parameters import Text
from serve.storage.tables import idempotency

__all__ = ["IDEMPOTENCY_KEY", "Claim", "claim"]

IDEMPOTENCY_KEY = Text(
    name="Idempotency-Key",
    place="header",
    pattern="[!-~]{1,255}",
    form="1 to 255 visible ASCII characters",
    about="A request that is repeated with the same key within 24 hours is done once, and gets the"
    " first answer again.",
)
"""The header that carries a key."""

_FORGOTTEN_AFTER = timedelta(hours=24)
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
    .values(answer=bindparam("kept"))
)


def _claiming(insert: Any) -> Any:
    """Insert a claim, or take over one that ran out or whose key is forgotten."""
    row = insert(idempotency)
    now = bindparam("now", type_=idempotency.c.created_at.type)
    renewed = {
        name: row.excluded[name]
        for name in ("request_sha256", "created_at", "claimed_until", "answer")
    }
    free = or_(
        and_(idempotency.c.answer.is_(None), idempotency.c.claimed_until <= now),
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

    def complete(self, connection: Connection, answer: bytes) -> None:
        """Keep the answer, in the transaction that does the work.

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
        The time.

    Returns
    -------
    Claim or bytes
        The claim, or the first answer.

    Raises
    ------
    Refusal
        The key stands for another request, or the first one is in flight.
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
    }
    times = {"now": now, "forgotten": now - _FORGOTTEN_AFTER}
    if connection.execute(_CLAIM[connection.dialect.name], row | times).one_or_none():
        return Claim(organization_id, person, key, held_until)
    this = {"owner": organization_id, "person": person, "this": key}
    found = connection.execute(_FIND, this).one_or_none()
    if found is not None and found.request_sha256 != request_sha256:
        message = "this Idempotency-Key was used for another request: send a new one"
        raise Refusal("idempotency_key_reused", message, field=IDEMPOTENCY_KEY.name)
    if found is None or found.answer is None:
        raise _in_flight()
    answer: bytes = found.answer
    return answer


def _in_flight() -> Refusal:
    message = "a request with this Idempotency-Key is being done: send it again in a moment"
    return Refusal("idempotency_key_in_flight", message, field=IDEMPOTENCY_KEY.name)
