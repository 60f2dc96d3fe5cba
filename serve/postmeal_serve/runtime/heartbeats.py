"""Heartbeats of the worker processes, in memory that all of them share."""

from __future__ import annotations

import math
import mmap
import time

__all__ = ["Heartbeats"]

_SILENT_S = 2.5  # A worker that responds writes a heartbeat every half second.


class Heartbeats:
    """The time of the latest heartbeat of each worker process.

    Create this object before the workers are forked.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._beats_s = memoryview(mmap.mmap(-1, 8 * workers)).cast("d")
        for worker in range(workers):
            self.forget(worker)

    def beat(self, worker: int) -> None:
        """Write a heartbeat of a worker, given its number."""
        self._beats_s[worker] = time.monotonic()

    def forget(self, worker: int) -> None:
        """Delete the heartbeat of a worker that has ended."""
        self._beats_s[worker] = -math.inf

    @property
    def responding(self) -> int:
        """The number of workers whose latest heartbeat is recent."""
        now_s = time.monotonic()
        return sum(now_s - beat_s < _SILENT_S for beat_s in self._beats_s)
