"""Transcripts, which are accepted requests with their complete answers.

They are stored for debugging and evaluation. A transcript contains neither the user's ID nor
unknown fields of the request. The job in `postmeal_serve.resources.retention` deletes it at the end
of its retention period.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from pydantic_core import to_json
from sqlalchemy import Connection, delete, func, insert, select

from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage import secure_erase
from postmeal_serve.storage.tables import transcripts
from postmeal_serve.storage.transactions import Transactions

__all__ = ["Transcripts", "delete_until"]

Kind = Literal["chat", "literature"]


class Transcripts(NamedTuple):
    """The transcripts of all partners."""

    database: Transactions
    clock: Clock
    retention: timedelta

    async def store(
        self, organization_id: int, kind: Kind, request: Mapping[str, Any], answer: bytes
    ) -> None:
        """Store a transcript."""
        if not self.retention:
            return
        texts = {"request": to_json(request).decode(), "answer": answer.decode()}
        row = {"organization_id": organization_id, "kind": kind, **texts}
        await self.database.write(_insert, self.clock.steady(), row)


def _insert(connection: Connection, now: datetime, row: Mapping[str, Any]) -> None:
    connection.execute(insert(transcripts).values(**row, created_at=now))


def delete_until(connection: Connection, latest: datetime) -> int:
    """Delete transcripts up to a time, and return how many were deleted.

    SQLite can leave copies of deleted rows in pages that it has rearranged. The file is therefore
    marked for a rewrite when the last transcript of a calendar day has been deleted. This happens
    at most once a day.
    """
    created_at = transcripts.c.created_at
    newest = connection.execute(select(func.max(created_at)).where(created_at <= latest)).scalar()
    if newest is None:
        return 0
    deleted = connection.execute(delete(transcripts).where(created_at <= latest)).rowcount
    oldest_left = connection.execute(select(func.min(created_at))).scalar()
    if oldest_left is None or oldest_left.date() > newest.date():
        secure_erase.mark(connection)
    return deleted
