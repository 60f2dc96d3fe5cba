"""Transaction: work on one connection, which is committed unless its caller has given it up."""

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
"""Key of `Connection.info`: a function, safe to call from any thread, that makes whatever the
connection waits for fail at once."""

Result = TypeVar("Result")


class DatabaseTimeout(SQLAlchemyError):
    """The database did not finish a transaction before its deadline; nothing was written.

    The only exception is a commit that was already under way: its outcome is unknown.
    """


class Transaction(Generic[Result]):
    """One transaction, from the queue to the commit.

    A thread runs it; its caller may give it up at any moment from another thread. Either the commit
    begins or the transaction is given up, never both.

    Parameters
    ----------
    connect : callable
        Returns a context with a connection on which no transaction has begun.
    work : callable
        Takes the connection and returns the result.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractContextManager[Connection]],
        work: Callable[[Connection], Result],
    ) -> None:
        self._connect = connect
        self._work = work
        self._decided = Lock()  # acquired once: by the commit, or by giving up
        self._guard = Lock()
        self._cut: Callable[[], Any] | None = None
        self._was_cut = False

    def run(self) -> Result:
        """Run the work and commit it.

        Raises
        ------
        DatabaseTimeout
            The caller gave it up before the commit; it is rolled back.
        """
        self._refuse_if_given_up()
        with self._connect() as connection, self._cuttable(connection):
            self._refuse_if_given_up()
            with connection.begin():
                result = self._work(connection)
                if not self._decided.acquire(blocking=False):
                    raise DatabaseTimeout("given up before the commit")
                return result

    def give_up(self) -> None:
        """Prevent the commit unless it has begun, and free the thread from what it waits for."""
        self._decided.acquire(blocking=False)
        with self._guard:
            self._was_cut = True
            if self._cut is not None:
                with suppress(OSError, sqlite3.Error):  # the connection has failed already
                    self._cut()

    def _refuse_if_given_up(self) -> None:
        if self._was_cut:
            raise DatabaseTimeout("given up before it began")

    @contextmanager
    def _cuttable(self, connection: Connection) -> Iterator[None]:
        """Let `give_up` cut the connection meanwhile; one that was cut is not used again."""
        with self._guard:
            self._cut = connection.info[CUT]
        try:
            yield
        finally:
            with self._guard:
                self._cut = None
            if self._was_cut and not connection.invalidated:
                connection.invalidate()
