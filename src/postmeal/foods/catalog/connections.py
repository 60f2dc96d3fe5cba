"""Read-only connections to an immutable SQLite file, with a time limit for queries."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from postmeal.errors import CatalogError
from postmeal.foods.catalog.vocabulary import Read

_STEPS = 2_000  # SQLite instructions between checks of the deadline: well below a millisecond
_WAIT_S = 0.001
_TOO_SLOW = "too slow"
_UNREACHABLE = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}


class Connections:
    """A pool of connections to one immutable file; only one thread at a time uses a connection.

    Threads do not wait for each other: SQLite releases the global interpreter lock while it reads,
    and a thread opens a new connection if none is free. After the file has been replaced on disk,
    the pool does not open new connections, and threads wait for a free one. A forked process opens
    its own connections.
    """

    def __init__(
        self,
        path: Path,
        what: str = "food catalog",
        command: str = "postmeal foods compile",
    ) -> None:
        self._path = path
        self._what = what
        self._command = command
        self._inode: tuple[int, int] | None = None  # device and inode of the open file
        self._uri = path.resolve().as_uri() + "?mode=ro&immutable=1"
        self._free: deque[_Connection] = deque()
        self._inherited: list[_Connection] = []  # SQLite forbids a child to use or to close them
        self._pid = os.getpid()
        self._closed = False

    @contextmanager
    def reading(self, timeout_s: float) -> Iterator[Read]:
        """Borrow a connection and yield a function that runs a query and returns its rows."""
        self._leave_inherited()
        try:
            try:
                connection = self._free.pop()
            except IndexError:
                connection = self._open(monotonic() + timeout_s)
            connection.deadline = monotonic() + timeout_s
            try:
                yield connection.rows
            finally:
                self._free.append(connection)
                if self._closed:
                    self.close()
        except sqlite3.Error as error:
            if self._inode is None and not self._path.exists():
                message = (
                    f"the {self._what} {self._path} does not exist; check the path, or create the"
                    f" file with `{self._command}`"
                )
                raise CatalogError("unreachable", message) from error
            raise self._error(error) from error

    def _leave_inherited(self) -> None:
        """After a fork, put aside the connections of the parent process."""
        if self._pid != os.getpid():
            self._inherited += self._free
            self._free, self._pid = deque(), os.getpid()

    def _error(self, error: sqlite3.Error) -> CatalogError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte of an extended code
        if code == sqlite3.SQLITE_INTERRUPT:
            return CatalogError(_TOO_SLOW, f"the query on the {self._what} timed out; try again")
        file = f"the {self._what} {self._path}"
        if self._path.is_dir():
            problem = f"{file} is a folder; give the path of a file"
            return CatalogError("unreachable", problem)
        if code in _UNREACHABLE or isinstance(error, sqlite3.ProgrammingError):
            return CatalogError("unreachable", f"{file} cannot be read: {error}; check the path")
        create = f"create it with `{self._command}`, or copy it again"
        if code == sqlite3.SQLITE_NOTADB:
            problem = f"{self._path} is not a {self._what}, or is damaged; {create}"
            return CatalogError("damaged", problem)
        return CatalogError("damaged", f"{file} is damaged: {error}; {create}")

    def _open(self, deadline: float) -> _Connection:
        """Open a connection, or wait for a free one if the file has been replaced."""
        before = _inode(self._path)
        connection = _Connection(self._uri, self._what)
        after = _inode(self._path)
        if self._inode is None and before == after:
            self._inode = after
        if after == self._inode:
            return connection
        connection.close()
        if self._inode is None:  # the file was replaced while the first connection was being opened
            return self._open(deadline)
        while monotonic() < deadline:
            try:
                return self._free.pop()
            except IndexError:
                sleep(_WAIT_S)
        raise CatalogError(
            _TOO_SLOW,
            f"the {self._what} was replaced and all of its connections are in use; open it again",
        )

    def close(self) -> None:
        """Close all connections; connections in use are closed when they are returned."""
        self._leave_inherited()
        self._closed = True
        while self._free:
            self._free.pop().close()


class _Connection:
    def __init__(self, uri: str, what: str) -> None:
        self.deadline = 0.0
        self._what = what
        self._database = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._database.set_progress_handler(lambda: monotonic() > self.deadline, _STEPS)
        self.close = self._database.close

    def rows(self, sql: str, values: Any) -> list[tuple[Any, ...]]:
        if monotonic() > self.deadline:
            raise CatalogError(_TOO_SLOW, f"the query on the {self._what} timed out; try again")
        return self._database.execute(sql, values).fetchall()


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
