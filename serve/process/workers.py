"""Supervision of the worker processes, which share one port."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from socket import socket

from serve.process.listening_socket import drop_new_connections

__all__ = ["STARTUP_FAILURE", "Pause", "follow_parent", "run_workers"]

STARTUP_FAILURE = 3
"""Exit status of a worker that cannot start, as in uvicorn. The whole service then stops."""

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
_LIVED_S = 60.0

_log = logging.getLogger(__name__)


def run_workers(
    count: int, listener: socket, start: Callable[[], SpawnProcess], ended: Callable[[int], None]
) -> int:
    """Start worker processes, and replace those that die, until SIGTERM or Ctrl-C.

    A worker that dies is replaced after a pause. The pause grows each time a worker dies early. The
    other workers continue.

    Parameters
    ----------
    count : int
        Number of workers.
    listener : socket
        The socket that the workers listen on. It is closed in this process before the workers are
        stopped; otherwise, clients could still connect after the last worker has stopped.
    start : callable
        Function that starts a worker and returns its process.
    ended : callable
        Function to call with the process ID of each worker that died.

    Returns
    -------
    int
        Exit status: 0, or `STARTUP_FAILURE` if a worker could not start.
    """
    signals: list[int] = []
    for handled in (signal.SIGTERM, signal.SIGINT):
        signal.signal(handled, lambda number, _: signals.append(number))
    slots = [_Slot(start) for _ in range(count)]
    status = 0
    while not signals and not status:
        running = [slot.worker.sentinel for slot in slots if slot.starts_at_s is None]
        wait(running, timeout=0.1)
        for slot in slots:
            worker = slot.worker
            if slot.starts_at_s is not None:
                slot.start_if_due()
            elif worker.exitcode is not None:
                ended(worker.pid or 0)
                if worker.exitcode == STARTUP_FAILURE:
                    status = STARTUP_FAILURE
                elif not signals:
                    slot.pause()
    drop_new_connections(listener)
    listener.close()
    for slot in slots:
        slot.worker.terminate()
    for slot in slots:
        slot.worker.join()
    return status


class Pause:
    """Pause before a dead worker is replaced; it grows if workers keep dying early.

    A worker dies early if it ran for less than a minute.

    Examples
    --------
    >>> pause = Pause()
    >>> [pause.after(lived_s=0.5) for _ in range(8)]
    [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    >>> pause.after(lived_s=60.0)
    0.0
    """

    def __init__(self) -> None:
        self._next_s = 0.0

    def after(self, lived_s: float) -> float:
        """Return the seconds to wait before replacing a worker that lived for `lived_s` seconds."""
        pause_s = 0.0 if lived_s >= _LIVED_S else self._next_s
        self._next_s = min(_LONGEST_PAUSE_S, max(_FIRST_PAUSE_S, 2 * pause_s))
        return pause_s


class _Slot:
    """A worker process, which is replaced after a pause if it dies."""

    def __init__(self, start: Callable[[], SpawnProcess]) -> None:
        self._start = start
        self._pause = Pause()
        self.starts_at_s: float | None = None
        self._begun_s = time.monotonic()
        self.worker = start()

    def pause(self) -> None:
        """Schedule the replacement of the worker, which has exited."""
        now_s = time.monotonic()
        pause_s = self._pause.after(now_s - self._begun_s)
        status = self.worker.exitcode
        _log.error("worker process exited with status %d; restarting in %.0f s", status, pause_s)
        self.starts_at_s = now_s + pause_s
        self.start_if_due()

    def start_if_due(self) -> None:
        """Start the replacement if the pause is over."""
        if self.starts_at_s is not None and time.monotonic() >= self.starts_at_s:
            self.starts_at_s = None
            self._begun_s = time.monotonic()
            self.worker = self._start()


def follow_parent() -> None:
    """Stop this process when its parent dies; otherwise, it would occupy the port forever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
