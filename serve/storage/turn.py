"""Turn: processes that write to one SQLite file take turns, instead of asking again and again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Turn"]


class Turn:
    """The turn to write, which the operating system hands from process to process.

    SQLite itself lets a writer that comes too early sleep for a while and try again, so that under
    load some sleep long. This makes waiting short; that no two write at once is SQLite's work.

    Parameters
    ----------
    path : Path
        A file that is locked, beside the database; it stays empty.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     turn = Turn(Path(folder, "turn"))
    ...     with turn.taken():
    ...         print("writing")
    ...     turn.close()
    writing
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for the turn, and give it up at the end."""
        if sys.platform == "win32":
            yield
            return
        import fcntl

        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
