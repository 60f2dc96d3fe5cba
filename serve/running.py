"""Running: the application in uvicorn, until it is told to stop."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from socket import socket
from typing import Any

import uvicorn

from serve.app import create_app
from serve.settings import Settings

__all__ = ["run"]

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


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, announce: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._announce:
            self._announce()
