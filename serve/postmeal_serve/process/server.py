"""uvicorn's server, which writes heartbeats and stops without resetting connections."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from postmeal_serve.process.connection_limits import Connection
from postmeal_serve.process.listening_socket import accept_pending, drop_new_connections

__all__ = ["Server"]

_HANDSHAKE_S = 0.1  # time in which clients can complete a TCP handshake
_STOP_WITHIN_S = 28  # time for requests in progress; the whole shutdown takes at most 30 s
_SWITCH_S = 0.0005  # time that the event loop waits for a busy thread, a tenth of the default
_BEAT_EVERY_S = 0.5


class Server(uvicorn.Server):
    """Server of one process."""

    def __init__(
        self, app: ASGIApp, forwarded_allow_ips: str, beat: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                ws="none",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                forwarded_allow_ips=forwarded_allow_ips,
                timeout_graceful_shutdown=_STOP_WITHIN_S,
            )
        )
        self._beat = beat
        self._is_orphaned = False

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until SIGTERM or Ctrl-C."""
        # uvicorn raises the signal again after its shutdown; this handler then exits with status 0.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        sys.setswitchinterval(_SWITCH_S)
        with suppress(KeyboardInterrupt):
            super().run(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application and listen; then allow SIGTERM, and write heartbeats."""
        # Otherwise, a worker that stops before it listens could be the last to close the shared
        # port, and would drop the clients that wait there.
        await super().startup(sockets)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        if self.started:
            self._write_heartbeats()
            self.lifespan.state["service"].warm()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept all pending connections before the listening sockets are closed."""
        if self._is_orphaned:  # The supervisor usually does this.
            for listener in sockets or []:
                drop_new_connections(listener)
        await asyncio.sleep(_HANDSHAKE_S)
        pending = [sock for listener in sockets or [] for sock in accept_pending(listener)]
        for server in self.servers:
            server.close()
        for sock in pending:
            await asyncio.get_running_loop().connect_accepted_socket(self._connection, sock)
        await asyncio.sleep(0)  # Let the loop create protocols for the connections it has accepted.
        await super().shutdown(sockets)

    def _write_heartbeats(self) -> None:
        if self._beat():
            self._is_orphaned = self.should_exit = True
        asyncio.get_running_loop().call_later(_BEAT_EVERY_S, self._write_heartbeats)

    def _connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)
