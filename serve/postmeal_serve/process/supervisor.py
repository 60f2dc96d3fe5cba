"""Supervision of the worker processes, which are forked and share one port."""

from __future__ import annotations

import functools
import logging
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from socket import socket
from typing import Literal

from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.workers.base import Worker

from postmeal_serve.process.listening_socket import drop_new_connections
from postmeal_serve.runtime.garbage_collection import freeze_loaded

__all__ = ["Pause", "Reason", "SupervisedWorker", "Supervisor"]

Reason = Literal["exited", "hung"]
"""Why a worker was replaced."""

_SILENT_S = 5  # A worker without a heartbeat for this time is killed one or two seconds later.
_START_WITHIN_S = 60  # Time until the first heartbeat; a database may let a worker wait.
_STOP_WITHIN_S = 29  # Workers have 28 s for requests in progress; the whole stop takes 30 s.
_BACKLOG = 2048
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_MEMORY = Path("/dev/shm")  # A heartbeat must not wait for a slow or full disk.

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
_LIVED_S = 60.0

_log = logging.getLogger(__name__)


class SupervisedWorker(Worker):  # type: ignore[misc]
    """A worker process, which the supervisor kills if its heartbeats stop."""

    def __init__(self, number: int, *args: object) -> None:
        super().__init__(*args)
        self.number = number
        self.process_id = str(uuid.uuid4())
        first_s = time.monotonic() + _START_WITHIN_S - _SILENT_S
        os.utime(self.tmp.fileno(), (first_s, first_s))

    @property
    def is_orphaned(self) -> bool:
        """Whether the supervisor is dead, so that this process must stop."""
        return bool(os.getppid() != self.ppid)

    def init_signals(self) -> None:
        """Set the handlers of this process; SIGTERM and SIGINT stay blocked until it listens.

        SIGABRT is ignored, because it would write the memory to a core file. The supervisor sends
        SIGKILL a second later.
        """
        signal.signal(signal.SIGABRT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGQUIT, lambda *_: os._exit(0))
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    def run(self) -> None:
        """Serve until a stop signal."""
        self.wsgi(self)


class Supervisor(Arbiter):  # type: ignore[misc]
    """Supervisor, which starts the workers and replaces those that end or hang.

    A worker hangs if its event loop writes no heartbeat for 5 s. It is then killed within two
    seconds. A worker that dies is replaced after a pause, which grows each time it dies early.

    The first worker starts at once. If there are several, a thread then builds what they all share,
    and the others are forked when it has finished: a process must not be forked while a thread runs
    that may hold a lock.
    """

    SIGNALS = _SIGNALS  # Others, such as SIGHUP, would reload or re-execute the service.
    handle_int = Arbiter.handle_term

    def __init__(
        self,
        count: int,
        listener: socket,
        serve: Callable[[SupervisedWorker], None],
        *,
        share: Callable[[], None] = lambda: None,
        refresh: Callable[[], None] = lambda: None,
        announce: Callable[[], None] = lambda: None,
        ended: Callable[[SupervisedWorker, Reason | None], None] = lambda worker, reason: None,
    ) -> None:
        self._share = share
        self._sharing: threading.Thread | None = None
        self._is_shared = count == 1
        self._refresh = refresh
        self._announce = announce
        self._ended = ended
        self._is_stopping = False
        self._places = [_Place(number) for number in range(count)]
        super().__init__(_Application(count, serve, self._worker_ended))
        self.LISTENERS = [listener]
        self.WORKERS: dict[int, SupervisedWorker] = {}

    def start(self) -> None:
        """Listen, so that clients wait from now on."""
        super().start()
        self.LISTENERS[0].listen(_BACKLOG)
        self._announce()

    def spawn_workers(self) -> None:
        """Start the workers whose pause is over; see the class for the first start."""
        if self._sharing is not None:
            if not self._is_shared:
                return
            self._sharing.join()
            self._sharing = None
        for place in self._places:
            if place.is_due():
                self._spawn(place)
                if not self._is_shared:
                    self._sharing = threading.Thread(target=self._build_shared, daemon=True)
                    self._sharing.start()
                    return

    def stop(self, graceful: bool = True) -> None:
        """Stop the workers, after the kernel has been told to drop new connections."""
        self._is_stopping = True
        for listener in self.LISTENERS:
            drop_new_connections(listener)
        super().stop(graceful)

    def _spawn(self, place: _Place) -> None:
        self._refresh()
        freeze_loaded()
        self.worker_class = functools.partial(SupervisedWorker, place.number)
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # The new process inherits this mask.
        self.spawn_worker()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        place.started()

    def _build_shared(self) -> None:
        try:
            self._share()
        finally:
            self._is_shared = True
            self.wakeup()

    def _worker_ended(self, worker: SupervisedWorker) -> None:
        if self._is_stopping:
            self._ended(worker, None)
            return
        reason: Reason = "hung" if worker.aborted else "exited"
        self._ended(worker, reason)
        pause_s = self._places[worker.number].pause()
        _log.error("worker process %d %s; restarting in %.0f s", worker.pid, reason, pause_s)


class _Application:
    """The configuration of gunicorn, and the function that a worker calls."""

    def __init__(
        self,
        count: int,
        serve: Callable[[SupervisedWorker], None],
        ended: Callable[[SupervisedWorker], None],
    ) -> None:
        self._serve = serve
        self.cfg = Config()
        for name, value in {
            "workers": count,
            "proc_name": "postmeal",
            "timeout": _SILENT_S,
            "graceful_timeout": _STOP_WITHIN_S,
            "worker_tmp_dir": str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None,
            "logger_class": _GunicornLog,
            "control_socket_disable": True,
            "child_exit": lambda arbiter, worker: ended(worker),
        }.items():
            self.cfg.set(name, value)

    def wsgi(self) -> Callable[[SupervisedWorker], None]:
        return self._serve


class _GunicornLog(Logger):  # type: ignore[misc]
    """Passes the warnings of gunicorn to the log of the service."""

    def setup(self, cfg: Config) -> None:
        self.cfg = cfg
        self.error_log.propagate = True
        self.error_log.setLevel(logging.WARNING)


class Pause:
    """Pause before a dead worker is replaced; it grows if workers keep dying early.

    A worker dies early if it ran for less than a minute.
    """

    def __init__(self) -> None:
        self._next_s = 0.0

    def after(self, lived_s: float) -> float:
        """Return the seconds to wait before replacing a worker that lived for `lived_s` seconds."""
        pause_s = 0.0 if lived_s >= _LIVED_S else self._next_s
        self._next_s = min(_LONGEST_PAUSE_S, max(_FIRST_PAUSE_S, 2 * pause_s))
        return pause_s


class _Place:
    """The place of a worker: its number, and when its replacement is due."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._pause = Pause()
        self._started_s = 0.0
        self._due_s: float | None = 0.0

    def is_due(self) -> bool:
        """Return whether there is no worker and the pause is over."""
        return self._due_s is not None and time.monotonic() >= self._due_s

    def started(self) -> None:
        """Record that a worker has started."""
        self._started_s, self._due_s = time.monotonic(), None

    def pause(self) -> float:
        """Schedule the replacement of the worker, which has ended; return the pause in seconds."""
        now_s = time.monotonic()
        pause_s = self._pause.after(now_s - self._started_s)
        self._due_s = now_s + pause_s
        return pause_s
