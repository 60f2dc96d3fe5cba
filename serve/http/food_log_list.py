"""Lists of food logs: a span of a diary as one JSON document, streamed where it is large."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection
from starlette.responses import Response, StreamingResponse

from serve.resources.diary import Diary, FoodLog, Position
from serve.storage.database import Database
from serve.wire.date_range import Days
from serve.wire.responses import JsonResponse

__all__ = ["FoodLogList"]


class _Piece(NamedTuple):
    """The logs of one page of the diary, as they are sent."""

    content: bytes
    number: int
    shown: Position | None  # of the last log in `content`
    read: Position | None  # of the last log that was read
    is_last: bool
    more: bool  # whether a log follows that is beyond the limit


@dataclass(frozen=True)
class FoodLogList:
    """The logs of one person on some days.

    A list that fits into a page of the diary is one body with a length. A longer one is sent piece
    by piece, each read in a transaction of its own once the caller has taken the piece before the
    last: however slowly it is read, a few hundred kilobytes of it are in memory, and no transaction
    waits for the caller. The first piece is read before the status is sent; an error after it
    ends the connection before the end of the body.

    Attributes
    ----------
    database : Database
        Where the diary is.
    organization_id : int
        The partner.
    person : str
        The person, by either id.
    days : Days
        The days.
    opening : bytes
        What precedes the logs.
    write : callable
        Write a log as JSON.
    closing : callable
        Write what follows the logs, given the position of the last one if the list was cut at its
        limit, else None.
    """

    database: Database
    organization_id: int
    person: str
    days: Days
    opening: bytes
    write: Callable[[FoodLog], bytes]
    closing: Callable[[Position | None], bytes]

    async def response(self, after: Position | None = None, limit: int | None = None) -> Response:
        """Read the first piece, and respond with it or with a stream of all pieces.

        Parameters
        ----------
        after : Position, optional
            Position of the log before the first one.
        limit : int, optional
            Number of logs at most; all of them when omitted.

        Returns
        -------
        Response
            Ready to be sent.
        """
        first = await self.database.read(self._piece, after, limit)
        if first.is_last:
            end = self.closing(first.shown if first.more else None)
            return JsonResponse(self.opening + first.content + end)
        return StreamingResponse(self._stream(first, limit), media_type="application/json")

    async def _stream(self, piece: _Piece, left: int | None) -> AsyncIterator[bytes]:
        shown = piece.shown
        yield self.opening + piece.content
        while not piece.is_last:
            if left is not None:
                left -= piece.number
            continued = shown is not None
            piece = await self.database.read_page(self._piece, piece.read, left, continued)
            if piece.content:
                yield piece.content
                shown = piece.shown
        yield self.closing(shown if piece.more else None)

    def _piece(
        self,
        connection: Connection,
        after: Position | None,
        left: int | None,
        continued: bool = False,
    ) -> _Piece:
        diary = Diary(connection, self.organization_id, self.person)
        most = None if left is None else left + 1
        page = diary.page(*self.days.span(), after, most)
        logs = [log for log in page.logs if log.eaten_at in self.days]
        more = left is not None and len(logs) > left
        if more:
            logs = logs[:left]
        texts = [b""] if continued and logs else []  # which puts a comma before the first log
        texts += map(self.write, logs)
        return _Piece(
            b",".join(texts),
            len(logs),
            logs[-1].position if logs else None,
            page.logs[-1].position if page.logs else after,
            page.is_last or more,
            more,
        )
