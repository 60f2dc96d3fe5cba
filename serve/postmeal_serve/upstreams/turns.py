"""Evenly spaced turns for requests to a service, shared by the worker processes of a machine."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

__all__ = ["Turns"]

_USED = 0.9  # used share of the limit, since network delays change the times between requests
_LATEST_S = 60.0  # seconds; a later turn was written before the machine was restarted


class Turns:
    """A limit on the number of requests per second. Requests wait for their turns.

    The time of the next turn is stored in a file, which the processes update one at a time.
    """

    def __init__(self, file: Path, per_s: float, max_wait_s: float) -> None:
        self._file = file
        self._spacing_s = 1 / (_USED * per_s)
        self._max_wait_s = min(max_wait_s, _LATEST_S)

    async def wait(self) -> float:
        """Wait for the next turn and return 0, or return the wait in seconds if it is too long."""
        wait_s, is_taken = await asyncio.to_thread(self._take)
        if not is_taken:
            return wait_s
        await asyncio.sleep(wait_s)
        return 0.0

    def _take(self) -> tuple[float, bool]:
        """Return the seconds until the next turn, and whether this process has taken the turn."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if sys.platform != "win32":
                import fcntl

                fcntl.flock(descriptor, fcntl.LOCK_EX)
            now_s = time.monotonic()
            next_s = _number(os.read(descriptor, 64))
            if not now_s <= next_s <= now_s + _LATEST_S + self._spacing_s:
                next_s = now_s
            if next_s - now_s > self._max_wait_s:
                return next_s - now_s, False
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, f"{next_s + self._spacing_s:<32.6f}".encode())
            return next_s - now_s, True
        finally:
            os.close(descriptor)


def _number(content: bytes) -> float:
    try:
        return float(content)
    except ValueError:
        return 0.0
