"""Workers: the processes that share one port."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from socket import socket

from serve.listener import turn_away

__all__ = ["STARTUP_FAILURE", "follow_parent", "run_workers"]

STARTUP_FAILURE = 3
"""Exit status of a worker that another attempt would not help."""

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
        Called with the process id of one that died; another takes its place.

    Returns
    -------
    int
        0, or `STARTUP_FAILURE` once a worker has ended with it.
    """
    signals: list[int] = []
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda number, _: signals.append(number))
    workers = [start() for _ in range(count)]
    status = 0
    while not signals and not status:
        wait([each.sentinel for each in workers], timeout=0.1)
        for place, worker in enumerate(workers):
            if worker.exitcode is None:
                continue
            ended(worker.pid or 0)
            if worker.exitcode == STARTUP_FAILURE:
                status = STARTUP_FAILURE
            elif not signals:
                _log.error("a worker ended with status %d; another starts", worker.exitcode)
                workers[place] = start()
    turn_away(listener)
    listener.close()
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()
    return status


def follow_parent() -> None:
    """Stop this process when its parent ends without a word: it would hold the port for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
