"""Transactions that can be aborted from another thread until they commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Lock
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

__all__ = ["CUT", "DatabaseTimeout", "Transaction"]

CUT = "cut"
"""Key in `Connection.info`. Its value is a thread-safe function that makes the current operation of
the connection fail at once."""

Result = TypeVar("Result")


class DatabaseTimeout(SQLAlchemyError):
    """A transaction missed its deadline.

    Nothing was written, unless the commit had already begun. In that case, it is unknown whether
    the transaction was committed.
    """


class Transaction(Generic[Result]):
    """A transaction that waits in a queue, runs and commits.

    One thread runs the transaction; another thread may abort it at any time. Either the commit
    begins or the transaction is aborted, never both.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractContextManager[Connection]],
        work: Callable[[Connection], Result],
    ) -> None:
        self._connect = connect
        self._work = work
        self._decided = Lock()  # Acquired once: by the commit or by `abort`.
        self._guard = Lock()
        self._interrupt: Callable[[], Any] | None = None
        self._was_interrupted = False

    def run(self) -> Result:
        """Run the work and commit."""
        self._raise_if_aborted()
        with self._connect() as connection, self._interruptible(connection):
            self._raise_if_aborted()
            with connection.begin():
                result = self._work(connection)
                if not self._decided.acquire(blocking=False):
                    raise DatabaseTimeout("the transaction was aborted before its commit")
                return result

    def abort(self) -> None:
        """Abort the transaction unless its commit has begun, and interrupt its thread."""
        self._decided.acquire(blocking=False)
        with self._guard:
            self._was_interrupted = True
            if self._interrupt is not None:
                with suppress(OSError, sqlite3.Error):  # The connection may have failed already.
                    self._interrupt()

    def _raise_if_aborted(self) -> None:
        if self._was_interrupted:
            raise DatabaseTimeout("the transaction was aborted before it began")

    @contextmanager
    def _interruptible(self, connection: Connection) -> Iterator[None]:
        """Allow `abort` to interrupt the connection, which is then discarded."""
        with self._guard:
            self._interrupt = connection.info[CUT]
        try:
            yield
        finally:
            with self._guard:
                self._interrupt = None
            if self._was_interrupted and not connection.invalidated:
                connection.invalidate()
