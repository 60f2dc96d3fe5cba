"""Run the service in worker processes until it receives a stop signal."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing, suppress

from starlette.types import ASGIApp

from postmeal.errors import ModelError
from postmeal_serve.accounting.process_lease import end_lease
from postmeal_serve.app import check_endpoints, create_app
from postmeal_serve.loaded.population_models import Models
from postmeal_serve.process.listening_socket import bind_listener
from postmeal_serve.process.server import Server
from postmeal_serve.runtime.heartbeats import Heartbeats
from postmeal_serve.runtime.logs import log_records
from postmeal_serve.runtime.metrics import Metrics, MetricsMiddleware
from postmeal_serve.runtime.picture_process import PictureProcess
from postmeal_serve.settings import Settings
from postmeal_serve.shared_parts import SharedParts
from postmeal_serve.storage.database import Database

__all__ = ["run"]

_LEASE_ENDS_WITHIN_S = 10


def run(settings: Settings, announce: Callable[[], None] = lambda: None) -> None:
    """Run the service until SIGTERM or Ctrl-C, after which running requests have 28 s to finish."""
    # gunicorn does not run on Windows, where the commands of `admin` still do.
    from postmeal_serve.process.supervisor import Reason, SupervisedWorker, Supervisor

    check_endpoints(settings)
    Database(settings.database_url).close()
    log_records(settings.log_level)
    listener = bind_listener(settings.host, settings.port)
    port, folder = settings.metrics_port, settings.state_dir / "metrics"
    metrics = None if port is None else Metrics(folder, port)
    pictures, main_pid = PictureProcess(), os.getpid()
    heartbeats = Heartbeats(settings.workers)
    shared = SharedParts.of(settings)
    shared.decoder, shared.heartbeats = pictures.address, heartbeats
    shared.load()

    def serve(worker: SupervisedWorker) -> None:
        def beat() -> bool:
            worker.notify()
            heartbeats.beat(worker.number)
            return worker.is_orphaned

        shared.process_id = worker.process_id
        app: ASGIApp = create_app(settings, shared=shared)
        if metrics is not None:
            metrics.leave_to_parent()
            app = MetricsMiddleware(app)
        Server(app, settings.forwarded_allow_ips, beat).run([listener])

    def end(worker: SupervisedWorker, reason: Reason | None) -> None:
        heartbeats.forget(worker.number)
        if metrics is not None:
            metrics.forget(worker.pid, reason)
        if reason is not None:
            _end_lease(settings, worker.process_id)

    try:
        Supervisor(
            settings.workers,
            listener,
            serve,
            share=lambda: _warm(settings, shared),
            refresh=shared.follow,
            announce=announce,
            ended=end,
        ).run()
    finally:
        if os.getpid() == main_pid:  # Workers leave this function, too.
            pictures.close()


def _end_lease(settings: Settings, process_id: str) -> None:
    """End the lease of a dead worker in a child process.

    The child cannot delay the supervisor, and leaves it without connections, which must not be
    forked. If the database is not available, the lease ends within seconds anyway.
    """
    if os.fork():
        return
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_LEASE_ENDS_WITHIN_S)
        with closing(Database(settings.database_url)) as database, database.writing() as connection:
            end_lease(connection, process_id)
    finally:
        os._exit(0)


def _warm(settings: Settings, shared: SharedParts) -> None:
    """Build the caches that the workers share."""
    models = Models(settings.model_folder, settings.model_store)
    with suppress(ModelError):  # The workers report it.
        models.load()
    shared.warm(models.active)
    shared.is_warm = models.active is not None
