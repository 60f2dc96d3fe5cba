"""File lock that lets processes write to a SQLite file in turn."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postmeal_serve.storage.transaction import DatabaseTimeout

__all__ = ["WriteLock"]

_RETRY_EVERY_S = 0.0005


class WriteLock:
    """A file lock that processes hold while they write.

    SQLite itself makes a waiting writer sleep for up to 100 ms between attempts. Waiting for this
    lock is faster, because processes try to acquire it every half millisecond. The lock only
    reduces waiting times: SQLite still prevents concurrent writes. On Windows, there is no lock.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)

    @contextmanager
    def taken(self, within_s: float | None = None) -> Iterator[None]:
        """Hold the lock inside a ``with`` block."""
        if sys.platform == "win32":
            yield
            return
        import fcntl

        ends_s = math.inf if within_s is None else time.monotonic() + within_s
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > ends_s:
                    problem = "another process has been writing to the database for too long"
                    raise DatabaseTimeout(problem) from None
                time.sleep(_RETRY_EVERY_S)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock file."""
        os.close(self._file)
