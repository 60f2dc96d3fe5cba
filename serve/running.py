"""Running: the application in uvicorn, until it is told to stop."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from socket import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from serve.app import create_app
from serve.settings import Settings

__all__ = ["LARGEST_HEAD", "Connection", "run"]

LARGEST_HEAD = 64 * 1024
"""Bytes of a request's line and headers, above which they are not read to their end."""

_STOP_WITHIN_S = 30


def run(settings: Settings, announce: Callable[[], None] | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C; requests in flight have 30 s to finish.

    Parameters
    ----------
    settings : Settings
        Where to listen, and with how many processes; these read their settings from the
        environment.
    announce : callable, optional
        Called once the service can be reached; with one process only.

    Raises
    ------
    SystemExit
        With status 0 once SIGTERM has been obeyed, with another if the service cannot start.
    """
    options: dict[str, Any] = {
        "host": settings.host,
        "port": settings.port,
        "http": Connection,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "forwarded_allow_ips": settings.forwarded_allow_ips,
        "timeout_graceful_shutdown": _STOP_WITHIN_S,
    }
    # Once it has stopped, uvicorn raises the signal again: this handler makes that a clean end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if settings.workers > 1:
        uvicorn.run("serve.app:create_app", factory=True, workers=settings.workers, **options)
        return
    server = _Server(uvicorn.Config(create_app(settings), **options), announce)
    try:
        server.run()
    except KeyboardInterrupt:
        return
    if not server.started:
        sys.exit(3)


class Connection(HttpToolsProtocol):
    """A connection that is closed when a request's headers do not end.

    uvicorn keeps whatever headers and trailers it is sent, so that one caller without a key could
    fill the memory. Counted are the bytes that lead to nothing: no end of headers, no body.
    """

    _idle_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Take bytes as they arrive."""
        self._idle_bytes += len(data)
        super().data_received(data)
        if self._idle_bytes > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The request's headers are too large.")

    def on_headers_complete(self) -> None:
        """Hand over a request."""
        self._idle_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Hand over a part of its body."""
        self._idle_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note its end."""
        self._idle_bytes = 0
        super().on_message_complete()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, announce: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._announce:
            self._announce()
