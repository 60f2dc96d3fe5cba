"""Connection: HTTP/1.1 as uvicorn speaks it, made fit for careless and hostile callers."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from serve.app import VERSIONS
from serve.http.middleware import SAFE_HEADERS
from serve.wire.errors import Refusal
from serve.wire.request_body import WHOLE
from serve.wire.responses import json_bytes

__all__ = [
    "BODY_GRACE_S",
    "BODY_PAUSE_S",
    "BODY_RATE",
    "HEAD_WITHIN_S",
    "LARGEST_HEAD",
    "Connection",
]

LARGEST_HEAD = 64 * 1024
"""Bytes of a request's line and headers, above which they are not read to their end."""

HEAD_WITHIN_S = 20
"""Seconds that a request's line and headers may take."""

BODY_PAUSE_S = 60
"""Seconds that may pass between two parts of a body."""

BODY_GRACE_S = 10
"""Seconds of a body in which its rate does not matter."""

BODY_RATE = 32 * 1024
"""Bytes per second that a body must average after `BODY_GRACE_S`."""

_CHECKED_EVERY_S = 2  # how often a connection is compared with these limits
_LAST_CALL_S = 2  # seconds that a connection without a request stays open once the service stops
_LINGER_S = 2  # seconds of silence after which a caller has read the last answer
_LONGEST_LINGER_S = 30  # seconds that a caller who is still sending has to read it
_MANY_LINGER = 8  # such callers, above which they are slowed down
_DISCARD_RATE = 64 * 1024 * 1024  # bytes per second that all of them together may send then

_FIXED_BYTES = len("  HTTP/1.1\r\n\r\n")  # of every head: the method is counted once it is known
_TOO_LARGE = "The request's headers are too large."
_FRAMING = (b"host", b"transfer-encoding")  # headers that say where a request ends and goes

_log = logging.getLogger(__name__)


class Connection(HttpToolsProtocol):
    """A connection that cannot be held for ever, and never ends before its answers are read.

    uvicorn keeps whatever headers and trailers it is sent, so that one caller without a key could
    fill the memory. Two numbers are limited: the bytes that lead to nothing (no end of headers, no
    body), and the bytes of each request's line, headers and trailers, which may arrive at once.
    """

    _idle_bytes = 0
    _head_bytes = 0
    _in_head = False
    _fault: str | None = None
    _stopping = False
    _since_s = 0.0
    _body_since_s = 0.0
    _body_bytes = 0
    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(_Lingering(transport, self.loop))
        self._since_s = self.loop.time()
        self._watch = self.loop.call_later(_CHECKED_EVERY_S, self._end_if_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes as they arrive."""
        if isinstance(self.transport, _Lingering) and self.transport.is_closing():
            self.transport.discard(len(data))
            return
        self._idle_bytes += len(data)
        super().data_received(data)
        if self._idle_bytes > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Note the first byte of a request."""
        self._head_bytes = _FIXED_BYTES
        self._in_head = True
        self._since_s = self.loop.time()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of a request's target."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; drop a trailer, which must not become a header (RFC 9110, 6.5.1)."""
        self._count(len(name) + len(value) + len(": \r\n"))
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Hand over a request."""
        self._count(len(self.parser.get_method()))
        self._in_head = False
        self._fault = _framing_fault(self.parser.get_http_version(), self.headers)
        if self._fault:
            raise ValueError(self._fault)
        self._idle_bytes = 0
        self._body_bytes = 0
        self._since_s = self._body_since_s = self.loop.time()
        super().on_headers_complete()
        if self._stopping:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Hand over a part of its body."""
        self._idle_bytes = 0
        self._body_bytes += len(body)
        if not self.cycle.response_complete:
            self._since_s = self.loop.time()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note its end."""
        self._idle_bytes = 0
        self.scope["state"][WHOLE] = True
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
        msg = self._fault or msg
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

    def _count(self, size: int) -> None:
        """Count bytes of a head; the parser turns the error into a refusal."""
        self._head_bytes += size
        if self._head_bytes > LARGEST_HEAD:
            self._fault = _TOO_LARGE
            raise ValueError(_TOO_LARGE)

    def _end_if_slow(self) -> None:
        now_s = self.loop.time()
        if self.flow.read_paused:  # the service does not read, so the caller cannot send
            self._since_s = self._body_since_s = now_s
            self._body_bytes = 0
        if now_s >= self._deadline_s():
            self.transport.close()
        else:
            self._watch = self.loop.call_later(_CHECKED_EVERY_S, self._end_if_slow)

    def _deadline_s(self) -> float:
        """Return until when the caller may be silent or slow; infinity if nothing is awaited."""
        if self.cycle is None or self.cycle.response_complete:
            waits = self.timeout_keep_alive_task is None
            return self._since_s + HEAD_WITHIN_S if waits else math.inf
        if not self.cycle.more_body:
            return math.inf
        allowed_s = max(BODY_GRACE_S, self._body_bytes / BODY_RATE)
        return min(self._since_s + BODY_PAUSE_S, self._body_since_s + allowed_s)


def _framing_fault(http_version: str, headers: list[tuple[bytes, bytes]]) -> str | None:
    """Return what is wrong with a head that two servers could read as different requests."""
    if http_version not in ("1.0", "1.1"):
        return "The HTTP version must be 1.0 or 1.1."
    framing = [header for header in headers if header[0] in _FRAMING]
    encodings = [value for name, value in framing if name == b"transfer-encoding"]
    hosts = len(framing) - len(encodings)
    if hosts > 1 or (hosts == 0 and http_version == "1.1"):
        return f"The request must have one Host header, not {hosts}."
    if encodings and http_version == "1.0":
        return "HTTP/1.0 has no Transfer-Encoding."
    if encodings and (len(encodings) > 1 or encodings[0].strip().lower() != b"chunked"):
        return "The Transfer-Encoding must be 'chunked' alone."
    return None


class _Lingering(asyncio.Transport):
    """A transport whose end is no reset.

    A socket that is closed while bytes wait in it makes the kernel throw away the answer, too. So
    the end of what is sent is marked, and what still comes is taken for a while.
    """

    count: ClassVar[int] = 0
    """Connections that linger in this process."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop
        self._closing = False
        self._silent = True
        self._linger_until_s = 0.0

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
            _Lingering.count += 1
            self._linger_until_s = self._loop.time() + _LONGEST_LINGER_S
            self._loop.call_later(_LINGER_S, self._end_if_silent)
        else:
            self._transport.close()

    def discard(self, size: int) -> None:
        """Wait before more is read, where many linger: what they send takes no time from others."""
        self._silent = False
        if _Lingering.count > _MANY_LINGER:
            self._transport.pause_reading()
            self._loop.call_later(size * _Lingering.count / _DISCARD_RATE, self._read_on)

    def _read_on(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _end_if_silent(self) -> None:
        if self._silent or self._transport.is_closing() or self._loop.time() > self._linger_until_s:
            _Lingering.count -= 1
            self._transport.close()
        else:
            self._silent = True
            self._loop.call_later(_LINGER_S, self._end_if_silent)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        if not self._closing:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()
