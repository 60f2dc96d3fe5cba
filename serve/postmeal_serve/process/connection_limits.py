"""HTTP/1.1 protocol of uvicorn, with limits against slow, faulty and hostile clients."""

from __future__ import annotations

import asyncio
import logging
import math
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from postmeal_serve.app import VERSIONS
from postmeal_serve.http.middleware import SAFE_HEADERS, new_request_id
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.request_body import WHOLE
from postmeal_serve.wire.responses import json_bytes

__all__ = [
    "BODY_GRACE_S",
    "BODY_PAUSE_S",
    "BODY_RATE",
    "HEAD_TIMEOUT_S",
    "MAX_HEAD_BYTES",
    "Connection",
]

MAX_HEAD_BYTES = 64 * 1024
"""Maximum size of the request line and headers in bytes."""

HEAD_TIMEOUT_S = 20
"""Maximum time for the request line and headers in seconds."""

BODY_PAUSE_S = 60
"""Maximum time between two chunks of a body in seconds."""

BODY_GRACE_S = 10
"""Seconds after the start of a body during which `BODY_RATE` does not apply."""

BODY_RATE = 32 * 1024
"""Minimum average rate of a body in bytes per second after `BODY_GRACE_S`."""

_CHECKED_EVERY_S = 2  # seconds between checks of a connection against these limits
_LAST_CALL_S = 2  # seconds for which an idle connection stays open during shutdown

# After its last response, a connection lingers: it discards data until the client stops sending.
_LINGER_S = 2  # seconds without data after which the connection is closed
_LONGEST_LINGER_S = 30  # seconds after which it is closed even if the client keeps sending
_MANY_LINGER = 8  # number of lingering connections above which all of them are slowed down
_MOST_LINGER = 256  # number above which the connection that has lingered longest is closed
_DISCARD_RATE = 64 * 1024 * 1024  # bytes per second that are then read from all of them in total

_FIXED_BYTES = len("  HTTP/1.1\r\n\r\n")  # bytes of a request besides method, target and headers
_TOO_LARGE = f"Request line and headers must be at most {MAX_HEAD_BYTES} bytes."
_FRAMING = (b"host", b"transfer-encoding")  # headers that set a request's target and end

_log = logging.getLogger(__name__)


class Connection(HttpToolsProtocol):
    """Connection with time and size limits, which gives clients time to read the last response.

    uvicorn stores all headers and trailers that it receives, so an unauthenticated client could
    exhaust the memory. The class therefore limits two sizes: the bytes received since the last
    progress (the end of the headers or a chunk of the body), and the total size of the request
    line, headers and trailers.
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
        """Start checking whether the client is too slow."""
        super().connection_made(_Lingering(transport, self.loop))
        self._since_s = self.loop.time()
        self._watch = self.loop.call_later(_CHECKED_EVERY_S, self._end_if_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop checking the client's speed."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, or discard them if the connection is closing."""
        if isinstance(self.transport, _Lingering) and self.transport.is_closing():
            self.transport.discard(len(data))
            return
        self._idle_bytes += len(data)
        super().data_received(data)
        if self._idle_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Start counting the bytes and the time of a new request."""
        self._head_bytes = _FIXED_BYTES
        self._in_head = True
        self._since_s = self.loop.time()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count and store a part of the request target."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header, or drop a trailer, which must not become a header (RFC 9110, 6.5.1)."""
        self._count(len(name) + len(value) + len(": \r\n"))
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Check the request line and headers, and start handling the request."""
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
        """Handle a chunk of the body."""
        self._idle_bytes = 0
        self._body_bytes += len(body)
        if not self.cycle.response_complete:
            self._since_s = self.loop.time()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Handle the end of a request."""
        self._idle_bytes = 0
        self.scope["state"][WHOLE] = True
        super().on_message_complete()

    def shutdown(self) -> None:
        """Close the connection after the current response, or after 2 s if it is idle."""
        self._stopping = True
        if self.cycle is None or self.cycle.response_complete:
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                _LAST_CALL_S, self.timeout_keep_alive_handler
            )
        else:
            self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        """Reject a request that cannot be parsed, and close the connection.

        The response has the error format of the latest API version.
        """
        msg = self._fault or msg
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if not cycle.more_body:  # The previous request is complete; send its response last.
                cycle.keep_alive = False
                return
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        request_id = new_request_id()
        _log.warning("request %s was refused because it cannot be parsed", request_id.decode())
        body = json_bytes(VERSIONS[-1].error_body(Refusal("invalid_request", msg)))
        headers = [
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            *SAFE_HEADERS,
            (b"x-request-id", request_id),
        ]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(STATUS_LINE[400] + lines + b"\r\n" + body)
        self.transport.close()

    def _count(self, size: int) -> None:
        """Count bytes of the request line and headers; raise an error if there are too many."""
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            self._fault = _TOO_LARGE
            raise ValueError(_TOO_LARGE)

    def _end_if_slow(self) -> None:
        now_s = self.loop.time()
        if self.flow.read_paused:  # The service is not reading, so the client cannot send.
            self._since_s = self._body_since_s = now_s
            self._body_bytes = 0
        if now_s >= self._deadline_s():
            self.transport.close()
        else:
            self._watch = self.loop.call_later(_CHECKED_EVERY_S, self._end_if_slow)

    def _deadline_s(self) -> float:
        """Return the event loop time at which to close the connection; infinity if unlimited."""
        if self.cycle is None or self.cycle.response_complete:
            is_in_head = self.timeout_keep_alive_task is None
            return self._since_s + HEAD_TIMEOUT_S if is_in_head else math.inf
        if not self.cycle.more_body:
            return math.inf
        allowed_s = max(BODY_GRACE_S, self._body_bytes / BODY_RATE)
        return min(self._since_s + BODY_PAUSE_S, self._body_since_s + allowed_s)


def _framing_fault(http_version: str, headers: list[tuple[bytes, bytes]]) -> str | None:
    """Return the reason why two servers could interpret the request differently, or None.

    If a proxy and the service disagree on the end or the host of a request, attackers can smuggle
    requests past the proxy.
    """
    if http_version not in ("1.0", "1.1"):
        return "The HTTP version must be 1.0 or 1.1."
    framing = [header for header in headers if header[0] in _FRAMING]
    encodings = [value for name, value in framing if name == b"transfer-encoding"]
    hosts = len(framing) - len(encodings)
    if hosts > 1 or (hosts == 0 and http_version == "1.1"):
        return f"The request must have exactly one Host header, got {hosts}."
    if encodings and http_version == "1.0":
        return "HTTP/1.0 requests must not have a Transfer-Encoding header; use HTTP/1.1."
    if encodings and (len(encodings) > 1 or encodings[0].strip().lower() != b"chunked"):
        return "The only supported Transfer-Encoding is 'chunked'."
    return None


class _Lingering(asyncio.Transport):
    """A transport that closes without resetting the connection.

    If a socket is closed while it has unread bytes, the kernel resets the connection and discards
    the response. This transport therefore first ends its outgoing stream, and then discards
    received data until the client stops sending. The number of lingering connections is limited,
    because a client that keeps opening new ones could otherwise create thousands of them.
    """

    lingering: ClassVar[dict[_Lingering, None]] = {}
    """The lingering connections of this process, longest first."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop
        self._closing = False
        self._silent = True
        self._linger_until_s = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self._held: bytes | bytearray | memoryview[Any] = b""

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send data, together with the data that was written just before.

        The head of a response is held until its body is written or the event loop continues, so
        that one system call sends both.
        """
        if self._closing:
            return
        if self._held:
            data, self._held = b"".join((self._held, data)), b""
            self._transport.write(data)
        else:
            self._held = data
            self._loop.call_soon(self._send_held)

    def _send_held(self) -> None:
        data, self._held = self._held, b""
        if data and not self._transport.is_closing():
            self._transport.write(data)

    def is_closing(self) -> bool:
        return self._closing or self._transport.is_closing()

    def close(self) -> None:
        if self.is_closing():
            return
        self._send_held()
        self._closing = True
        if self._transport.can_write_eof():
            self._transport.write_eof()
            self._transport.resume_reading()
            self.lingering[self] = None
            if len(self.lingering) > _MOST_LINGER:
                next(iter(self.lingering))._end()
            self._linger_until_s = self._loop.time() + _LONGEST_LINGER_S
            self._watch = self._loop.call_later(_LINGER_S, self._end_if_silent)
        else:
            self._transport.close()

    def discard(self, size: int) -> None:
        """Discard received bytes. If many connections linger, pause reading to save CPU time."""
        self._silent = False
        if len(self.lingering) > _MANY_LINGER:
            self._transport.pause_reading()
            self._loop.call_later(size * len(self.lingering) / _DISCARD_RATE, self._read_on)

    def _read_on(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _end_if_silent(self) -> None:
        if self._silent or self._transport.is_closing() or self._loop.time() > self._linger_until_s:
            self._end()
        else:
            self._silent = True
            self._watch = self._loop.call_later(_LINGER_S, self._end_if_silent)

    def _end(self) -> None:
        """Close the connection, and reset it if the client is still sending."""
        self.lingering.pop(self, None)
        if self._watch is not None:
            self._watch.cancel()
        self._transport.close()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        if not self.is_closing():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if not self._transport.is_closing():  # uvloop raises an error if the client disconnected.
            self._transport.resume_reading()
