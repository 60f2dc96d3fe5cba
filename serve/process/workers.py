"""Workers: the processes that share one port."""

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

from serve.process.listening_socket import turn_away

__all__ = ["STARTUP_FAILURE", "Pause", "follow_parent", "run_workers"]

STARTUP_FAILURE = 3
"""Exit status of a worker that another attempt would not help."""

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
_LIVED_S = 60.0

_log = logging.getLogger(__name__)


def run_workers(
    count: int, listener: socket, start: Callable[[], SpawnProcess], ended: Callable[[int], None]
) -> int:
    """Keep workers running until SIGTERM or Ctrl-C.

    Parameters
    ----------
    count : int
        How many.
    listener : socket
        What they listen on. It is closed here before they are told to stop, so that the last of
        them that stops leaves nobody waiting.
    start : callable
        Starts one.
    ended : callable
        Called with the process id of one that died. Another takes its place, after a pause that
        grows with each that dies early; the other workers go on meanwhile.

    Returns
    -------
    int
        0, or `STARTUP_FAILURE` once a worker has ended with it.
    """
    signals: list[int] = []
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda number, _: signals.append(number))
    places = [_Place(start) for _ in range(count)]
    status = 0
    while not signals and not status:
        wait([each.worker.sentinel for each in places if each.starts_at_s is None], timeout=0.1)
        for place in places:
            worker = place.worker
            if place.starts_at_s is not None:
                place.start_if_due()
            elif worker.exitcode is not None:
                ended(worker.pid or 0)
                if worker.exitcode == STARTUP_FAILURE:
                    status = STARTUP_FAILURE
                elif not signals:
                    place.pause()
    turn_away(listener)
    listener.close()
    for place in places:
        place.worker.terminate()
    for place in places:
        place.worker.join()
    return status


class Pause:
    """The pause before a worker is replaced: it grows with each in a row that dies early.

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
        """Return the seconds until the next start, after a worker that lived for `lived_s`."""
        pause_s = 0.0 if lived_s >= _LIVED_S else self._next_s
        self._next_s = min(_LONGEST_PAUSE_S, max(_FIRST_PAUSE_S, 2 * pause_s))
        return pause_s


class _Place:
    """One of the workers, and the pause before its successor starts."""

    def __init__(self, start: Callable[[], SpawnProcess]) -> None:
        self._start = start
        self._pause = Pause()
        self.starts_at_s: float | None = None
        self._begun_s = time.monotonic()
        self.worker = start()

    def pause(self) -> None:
        """Note that the worker has ended."""
        now_s = time.monotonic()
        pause_s = self._pause.after(now_s - self._begun_s)
        status = self.worker.exitcode
        _log.error("a worker ended with status %d; another starts in %.0f s", status, pause_s)
        self.starts_at_s = now_s + pause_s
        self.start_if_due()

    def start_if_due(self) -> None:
        """Start the successor once the pause is over."""
        if self.starts_at_s is not None and time.monotonic() >= self.starts_at_s:
            self.starts_at_s = None
            self._begun_s = time.monotonic()
            self.worker = self._start()


def follow_parent() -> None:
    """Stop this process when its parent ends without a word: it would hold the port for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
