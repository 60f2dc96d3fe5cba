"""Connections to a catalogue's file: read-only, one a thread at a time, with a deadline."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from postmeal.errors import CatalogError
from postmeal.foods.catalog.vocabulary import Read

__all__ = ["Connections"]

_STEPS = 2_000  # of SQLite's machine between two looks at the clock: well below a millisecond
_WAIT_S = 0.001
_OUT_OF_REACH = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}


class Connections:
    """Connections to one immutable file; who reads takes one and puts it back.

    No thread waits for another: SQLite lets go of Python's lock while it reads, and a thread that
    finds no free connection opens one. Once another file has taken the name of this one, no
    connection can be opened any more, and whoever finds none waits.

    Parameters
    ----------
    path : Path
        A SQLite file that does not change any more.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode: tuple[int, int] | None = None  # of the file that is read
        self._uri = path.resolve().as_uri() + "?mode=ro&immutable=1"
        self._free: deque[_Connection] = deque()
        self._closed = False

    @contextmanager
    def reading(self, timeout_s: float) -> Iterator[Read]:
        """Lend a function that runs a query and answers its rows.

        Parameters
        ----------
        timeout_s : float
            Seconds for all its queries together.

        Raises
        ------
        CatalogError
            The file is damaged, cannot be reached, or the time is over.
        """
        try:
            try:
                connection = self._free.pop()
            except IndexError:
                connection = self._opened(monotonic() + timeout_s)
            connection.deadline = monotonic() + timeout_s
            try:
                yield connection.rows
            finally:
                self._free.append(connection)
                if self._closed:
                    self.close()
        except sqlite3.Error as error:
            raise _told(error) from error

    def _opened(self, deadline: float) -> _Connection:
        """Open a connection, or wait for one when it would read another file than the others."""
        before = _inode(self._path)
        connection = _Connection(self._uri)
        after = _inode(self._path)
        if self._inode is None and before == after:
            self._inode = after
        if after == self._inode:
            return connection
        connection.close()
        if self._inode is None:  # replaced while the first was opened
            return self._opened(deadline)
        while monotonic() < deadline:
            try:
                return self._free.pop()
            except IndexError:
                sleep(_WAIT_S)
        raise CatalogError("too slow", "the food catalogue was replaced, and its readers are busy")

    def close(self) -> None:
        """Close all; one that is in use is closed when it is put back."""
        self._closed = True
        while self._free:
            self._free.pop().close()


class _Connection:
    def __init__(self, uri: str) -> None:
        self.deadline = 0.0
        self._database = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._database.set_progress_handler(lambda: monotonic() > self.deadline, _STEPS)
        self.close = self._database.close

    def rows(self, sql: str, values: Any) -> list[tuple[Any, ...]]:
        if monotonic() > self.deadline:
            raise CatalogError("too slow", "the food catalogue does not answer in time")
        return self._database.execute(sql, values).fetchall()


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _told(error: sqlite3.Error) -> CatalogError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte of an extended code
    if code == sqlite3.SQLITE_INTERRUPT:
        return CatalogError("too slow", "the food catalogue does not answer in time")
    if code in _OUT_OF_REACH or isinstance(error, sqlite3.ProgrammingError):
        return CatalogError("unreachable", f"the food catalogue cannot be reached: {error}")
    return CatalogError("damaged", f"the food catalogue is damaged: {error}")
