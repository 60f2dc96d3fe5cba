"""Run the application in uvicorn until it receives a stop signal."""

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
from serve.process.listening_socket import accept_pending, bind_listener, drop_new_connections
from serve.process.workers import follow_parent, run_workers
from serve.runtime.logs import log_records
from serve.runtime.metrics import MetricsMiddleware, forget, publish
from serve.runtime.picture_process import PictureProcess
from serve.settings import Settings
from serve.storage.database import Database

__all__ = ["run"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_HANDSHAKE_S = 0.1  # time in which clients can complete a TCP handshake
_STOP_WITHIN_S = 28  # time for requests in progress; the whole shutdown takes at most 30 s
_SWITCH_S = 0.0005  # time that the event loop waits for a busy thread, a tenth of the default


def run(settings: Settings, announce: Callable[[], None] | None = None) -> None:
    """Run the service until SIGTERM or Ctrl-C, after which running requests have 28 s to finish.

    Parameters
    ----------
    settings : Settings
        Settings of the service.
    announce : callable, optional
        Function to call when the service is ready. It is not called if there are several worker
        processes.

    Raises
    ------
    InputError, ValueError
        A setting contains an unknown endpoint or an invalid database URL.
    OSError
        The service cannot listen on its address, or the folder of its database cannot be created.
    SystemExit
        With status 0 after SIGTERM, or another status if the service cannot start.
    """
    check_endpoints(settings)
    Database(settings.database_url).close()
    log_records(settings.log_level)
    listener = bind_listener(settings.host, settings.port)
    if settings.metrics_port is not None:
        publish(settings.state_dir / "metrics", settings.metrics_port)
    if settings.workers == 1:
        _serve(settings, listener, Minutes(), announce)
        return
    context = multiprocessing.get_context("spawn")
    minutes = Minutes.shared(context)
    resource_tracker.ensure_running()  # A later start would unblock the signals blocked below.
    pictures = PictureProcess()

    def start() -> SpawnProcess:
        args = (settings, listener, minutes, pictures.address)
        process = context.Process(target=_run_worker, args=args)
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # The new process inherits this mask.
        process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        return process

    def ended(pid: int) -> None:
        if settings.metrics_port is not None:
            forget(pid)

    status = run_workers(settings.workers, listener, start, ended)
    pictures.close()
    sys.exit(status)


def _run_worker(
    settings: Settings, listener: socket.socket, minutes: Minutes, decoder: str
) -> None:
    follow_parent()
    log_records(settings.log_level)
    _serve(settings, listener, minutes, decoder=decoder)


def _serve(
    settings: Settings,
    listener: socket.socket,
    minutes: Minutes,
    announce: Callable[[], None] | None = None,
    decoder: str | None = None,
) -> None:
    # uvicorn raises the signal again after its shutdown; this handler then exits with status 0.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.setswitchinterval(_SWITCH_S)
    app: ASGIApp = create_app(settings, minutes=minutes, decoder=decoder)
    if settings.metrics_port is not None:
        app = MetricsMiddleware(app)
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
        # Signals are blocked until here. Otherwise, a worker that stops before it listens could be
        # the last to close the shared port, and would drop the clients that wait there.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        await super().startup(sockets)
        if not self.started:
            return
        self.lifespan.state["service"].warm()
        if self._announce:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept all pending connections before the listening sockets are closed."""
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

    def _connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)
