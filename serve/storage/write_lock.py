"""Turn: processes that write to one SQLite file take turns, instead of asking again and again."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from serve.storage.transaction import DatabaseTimeout

__all__ = ["Turn"]

_ASKED_EVERY_S = 0.0005


class Turn:
    """The turn to write, which the operating system hands from process to process.

    SQLite itself lets a writer that comes too early sleep longer and longer, up to 100 ms. This
    lock is asked for every half millisecond, and not for ever; that no two write at once is
    SQLite's work.

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
    def taken(self, within_s: float | None = None) -> Iterator[None]:
        """Wait for the turn, and give it up at the end.

        Parameters
        ----------
        within_s : float, optional
            Seconds to wait for it; without limit when omitted.

        Raises
        ------
        DatabaseTimeout
            It was not free within `within_s`.
        """
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
                    raise DatabaseTimeout("another process writes") from None
                time.sleep(_ASKED_EVERY_S)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
