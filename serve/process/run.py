"""Running: the application in uvicorn, until it is told to stop."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnProcess

import uvicorn
from starlette.types import ASGIApp

from serve.accounting.minutes import Minutes
from serve.app import check_endpoints, create_app
from serve.process.connection_limits import Connection
from serve.process.listening_socket import listener_at, turn_away, waiting_at
from serve.process.workers import follow_parent, run_workers
from serve.runtime.logs import log_records
from serve.runtime.metrics import Metered, forget, publish
from serve.settings import Settings
from serve.storage.database import Database

__all__ = ["run"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_HANDSHAKE_S = 0.1  # in which a caller whose connection has begun to be made completes it
_STOP_WITHIN_S = 28  # which leaves two of the 30 s for what is beyond the requests
_SWITCH_S = 0.0005  # a tenth of the default: the event loop waits for each busy thread so long


def run(settings: Settings, announce: Callable[[], None] | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C; requests in flight are answered, for up to 30 s.

    Parameters
    ----------
    settings : Settings
        Where to listen, and with how many processes.
    announce : callable, optional
        Called once the service can be reached; with one process only.

    Raises
    ------
    InputError, ValueError
        A setting names no endpoint, or no database.
    OSError
        The service cannot listen where it should, or the folder of its database cannot be made.
    SystemExit
        With status 0 once SIGTERM has been obeyed, with another if the service cannot start.
    """
    check_endpoints(settings)
    Database(settings.database_url).close()
    log_records(settings.log_level)
    listener = listener_at(settings.host, settings.port)
    if settings.metrics_port is not None:
        publish(settings.state_dir / "metrics", settings.metrics_port)
    if settings.workers == 1:
        _serve(settings, listener, Minutes(), announce)
        return
    context = multiprocessing.get_context("spawn")
    minutes = Minutes.shared(context)
    resource_tracker.ensure_running()  # which lifts the block of signals, if it starts below

    def start() -> SpawnProcess:
        process = context.Process(target=_work, args=(settings, listener, minutes))
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # which the process inherits
        process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        return process

    def ended(pid: int) -> None:
        if settings.metrics_port is not None:
            forget(pid)

    sys.exit(run_workers(settings.workers, listener, start, ended))


def _work(settings: Settings, listener: socket.socket, minutes: Minutes) -> None:
    follow_parent()
    log_records(settings.log_level)
    _serve(settings, listener, minutes)


def _serve(
    settings: Settings,
    listener: socket.socket,
    minutes: Minutes,
    announce: Callable[[], None] | None = None,
) -> None:
    # Once it has stopped, uvicorn raises the signal again: this handler makes that a clean end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.setswitchinterval(_SWITCH_S)
    app: ASGIApp = create_app(settings, minutes=minutes)
    if settings.metrics_port is not None:
        app = Metered(app)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.forwarded_allow_ips,
        timeout_graceful_shutdown=_STOP_WITHIN_S,
    )
    with suppress(KeyboardInterrupt):
        _Server(config, announce).run([listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, announce: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # A worker that is told to stop before it listens does so first: callers who wait at the
        # port that it shares would be cut off if it were the last to close it.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        await super().startup(sockets)
        if not self.started:
            return
        self.lifespan.state["service"].warm()
        if self._announce:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take who has connected already, then stop listening: nobody is cut off in the queue."""
        for listener in sockets or []:
            turn_away(listener)
        await asyncio.sleep(_HANDSHAKE_S)
        waiting = [each for listener in sockets or [] for each in waiting_at(listener)]
        for server in self.servers:
            server.close()
        for each in waiting:
            await asyncio.get_running_loop().connect_accepted_socket(self._connection, each)
        await asyncio.sleep(0)  # until those that the loop has taken are connections, too
        await super().shutdown(sockets)

    def _connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)
