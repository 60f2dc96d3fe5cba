"""Connection: HTTP/1.1 as uvicorn speaks it, made fit for careless and hostile callers."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from serve.answers import json_bytes
from serve.app import VERSIONS
from serve.errors import Refusal
from serve.transport import SAFE_HEADERS

__all__ = ["BODY_PAUSE_S", "HEAD_WITHIN_S", "LARGEST_HEAD", "Connection"]

LARGEST_HEAD = 64 * 1024
"""Bytes of a request's line and headers, above which they are not read to their end."""

HEAD_WITHIN_S = 20
"""Seconds that a request's line and headers may take."""

BODY_PAUSE_S = 60
"""Seconds that may pass between two parts of a body."""

_LAST_CALL_S = 2  # seconds that a connection without a request stays open once the service stops
_LINGER_S = 2  # seconds that a caller who is still sending has to read the answer

_log = logging.getLogger(__name__)


class Connection(HttpToolsProtocol):
    """A connection that cannot be held for ever, and never ends before its answers are read.

    uvicorn keeps whatever headers and trailers it is sent, so that one caller without a key could
    fill the memory. Counted are the bytes that lead to nothing: no end of headers, no body.
    """

    _idle_bytes = 0
    _stopping = False
    _since_s = 0.0
    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(_Lingering(transport, self.loop))
        self._since_s = self.loop.time()
        self._watch = self.loop.call_later(HEAD_WITHIN_S, self._end_if_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes as they arrive."""
        if self.transport.is_closing():
            return
        self._idle_bytes += len(data)
        super().data_received(data)
        if self._idle_bytes > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The request's headers are too large.")

    def on_message_begin(self) -> None:
        """Note the first byte of a request."""
        self._since_s = self.loop.time()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Hand over a request."""
        self._idle_bytes = 0
        self._since_s = self.loop.time()
        super().on_headers_complete()
        if self._stopping:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Hand over a part of its body."""
        self._idle_bytes = 0
        if not self.cycle.response_complete:
            self._since_s = self.loop.time()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note its end."""
        self._idle_bytes = 0
        super().on_message_complete()

    def shutdown(self) -> None:
        """Answer what was sent and what is under way; close where nothing comes any more."""
        self._stopping = True
        if self.cycle is None or self.cycle.response_complete:
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                _LAST_CALL_S, self.timeout_keep_alive_handler
            )
        else:
            self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in the shape of the current version; nothing is read after it."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if not cycle.more_body:  # that request was whole: its answer comes, and is the last
                cycle.keep_alive = False
                return
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        request_id = secrets.token_hex(16)
        _log.warning("request %s could not be read", request_id)
        body = json_bytes(VERSIONS[-1].error_body(Refusal("invalid_request", msg)))
        headers = [
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            *SAFE_HEADERS,
            (b"x-request-id", request_id.encode()),
        ]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(STATUS_LINE[400] + lines + b"\r\n" + body)
        self.transport.close()

    def _end_if_slow(self) -> None:
        allowed_s = self._allowed_s()
        left_s = (
            HEAD_WITHIN_S if allowed_s is None else self._since_s + allowed_s - self.loop.time()
        )
        if left_s <= 0:
            self.transport.close()
        else:
            self._watch = self.loop.call_later(left_s, self._end_if_slow)

    def _allowed_s(self) -> float | None:
        """Answer how long the caller may take for what is awaited; None if nothing is."""
        if self.cycle is None or self.cycle.response_complete:
            return HEAD_WITHIN_S if self.timeout_keep_alive_task is None else None
        return BODY_PAUSE_S if self.cycle.more_body and not self.flow.read_paused else None


class _Lingering(asyncio.Transport):
    """A transport whose end is no reset.

    A socket that is closed while bytes wait in it makes the kernel throw away the answer, too. So
    the end of what is sent is marked, and what still comes is taken for a while.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        if not self._closing:
            self._transport.write(data)

    def is_closing(self) -> bool:
        return self._closing or self._transport.is_closing()

    def close(self) -> None:
        if self.is_closing():
            return
        self._closing = True
        if self._transport.can_write_eof():
            self._transport.write_eof()
            self._transport.resume_reading()
            self._loop.call_later(_LINGER_S, self._transport.close)
        else:
            self._transport.close()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        if not self._closing:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()
