"""Lists of food logs as one JSON document, which is streamed if it is long."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection
from starlette.responses import Response, StreamingResponse

from postmeal_serve.resources.diary import Diary, FoodLog, Position
from postmeal_serve.storage.database import Database
from postmeal_serve.wire.date_range import Days
from postmeal_serve.wire.responses import JsonResponse

__all__ = ["FoodLogList"]


class _Chunk(NamedTuple):
    """Logs of one page of the diary, encoded as JSON and separated by commas."""

    content: bytes
    number: int
    last_sent: Position | None  # Position of the last log in `content`.
    last_read: Position | None  # Position of the last log read from the diary.
    is_last: bool
    exceeds_limit: bool  # Whether more logs follow beyond the limit.


@dataclass(frozen=True)
class FoodLogList:
    """The food logs of one user in a date range.

    A list that fits on one page of the diary is sent as one body with a declared length. A longer
    list is streamed in chunks. Each chunk is read in its own transaction. At most one chunk is read
    ahead of the client. Even if the client is slow, only a few hundred kilobytes are in memory, and
    no transaction waits for the client. The first chunk is read before the status is sent. If a
    later chunk cannot be read, the connection is closed in the middle of the body.
    """

    database: Database
    organization_id: int
    person: str
    days: Days
    opening: bytes
    write: Callable[[FoodLog], bytes]
    closing: Callable[[Position | None], bytes]

    async def response(self, after: Position | None = None, limit: int | None = None) -> Response:
        """Read the first chunk; return it as a response, or stream it and the following chunks."""
        first = await self.database.read(self._read_chunk, after, limit)
        if first.is_last:
            end = self.closing(first.last_sent if first.exceeds_limit else None)
            return JsonResponse(self.opening + first.content + end)
        return StreamingResponse(self._stream(first, limit), media_type="application/json")

    async def _stream(self, chunk: _Chunk, left: int | None) -> AsyncIterator[bytes]:
        last_sent = chunk.last_sent
        yield self.opening + chunk.content
        while not chunk.is_last:
            if left is not None:
                left -= chunk.number
            is_continued = last_sent is not None
            chunk = await self.database.read_page(
                self._read_chunk, chunk.last_read, left, is_continued
            )
            if chunk.content:
                yield chunk.content
                last_sent = chunk.last_sent
        yield self.closing(last_sent if chunk.exceeds_limit else None)

    def _read_chunk(
        self,
        connection: Connection,
        after: Position | None,
        left: int | None,
        is_continued: bool = False,
    ) -> _Chunk:
        diary = Diary(connection, self.organization_id, self.person)
        page_limit = None if left is None else left + 1
        page = diary.page(*self.days.span(), after, page_limit)
        logs = [log for log in page.logs if log.eaten_at in self.days]
        exceeds_limit = left is not None and len(logs) > left
        if exceeds_limit:
            logs = logs[:left]
        texts = [b""] if is_continued and logs else []  # Joining adds a leading comma.
        texts += map(self.write, logs)
        return _Chunk(
            b",".join(texts),
            len(logs),
            logs[-1].position if logs else None,
            page.logs[-1].position if page.logs else after,
            page.is_last or exceeds_limit,
            exceeds_limit,
        )
