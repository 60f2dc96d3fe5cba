"""Lock a library folder so that only one process at a time imports articles or builds the index."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postmeal.errors import DataSetError

__all__ = ["locked"]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a library folder for the duration of a ``with`` block, creating it if necessary.

    The operating system releases the lock when the process ends, even if it is killed. On Windows,
    the folder is not locked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with (folder / ".lock").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            process = (
                f"process {number}" if (number := lock.read(20).strip()) else "another process"
            )
            raise DataSetError(
                f"{folder} is in use: {process} imports articles or builds the index there; wait"
                " until it has finished, or choose another folder with --folder"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield
