"""Database with transactions on SQLite or PostgreSQL, from threads or the event loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from pydantic_core import from_json, to_json
from sqlalchemy import Connection, create_engine, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from postmeal_serve.storage import postgresql, sqlite
from postmeal_serve.storage.paced_executor import PacedExecutor
from postmeal_serve.storage.transaction_pool import TransactionPool
from postmeal_serve.storage.transactions import Transactions
from postmeal_serve.storage.write_lock import WriteLock

__all__ = ["Database"]

_URL_PROBLEM = (
    "the database URL (POSTMEAL_DATABASE) must have the form sqlite:///path or postgresql://…"
)
_SPARE = 2  # Maximum number of connections for `reading` and `writing`.
_PAGE_REST = 3.0  # Length of the pause after a page, as a multiple of the time that the page took.
_WAIT_S = 30.0  # Seconds to wait for a connection if there is no deadline.

# As multiples of the deadline.
_PROBE = 0.5
_MAINTENANCE = 60
_PAGES = 6

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Database(Transactions):
    """A SQLite or PostgreSQL database.

    On SQLite, a single thread runs the write transactions of requests, since SQLite allows only one
    write transaction at a time. Write transactions start with ``BEGIN IMMEDIATE``; otherwise, a
    transaction that reads before it writes would fail if another process wrote in between.
    """

    def __init__(self, url: str, within_s: float | None = None) -> None:
        parsed = _parse_url(url)
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        self._turn: WriteLock | None = None
        options: dict[str, Any] = {}
        if self.is_sqlite:
            path = Path(parsed.database or "")
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._turn = WriteLock(path.with_name(f"{path.name}-turn"))
        else:
            options["connect_args"] = postgresql.connect_args(within_s)
        read_threads, write_threads = (4, 1) if self.is_sqlite else (4, 5)
        readers = TransactionPool("database-read", read_threads, self._connect_to_read)
        writers = TransactionPool("database-write", write_threads, self._connect_to_write)
        admission_readers = TransactionPool("admission-read", 2, self._connect_to_read)
        admission_writers = (
            writers
            if self.is_sqlite
            else TransactionPool("admission-write", 3, self._connect_to_write)
        )
        self._prover = TransactionPool("database-proof", 1, self._connect_to_write)
        super().__init__(readers, writers, within_s)
        self.admission = Transactions(admission_readers, admission_writers, within_s)
        paced = PacedExecutor("page-read", _PAGE_REST)
        self._pages = TransactionPool("page-read", 1, self._connect_to_read, paced)
        self._pools = {
            readers,
            writers,
            admission_readers,
            admission_writers,
            self._prover,
            self._pages,
        }
        self.engine = create_engine(
            parsed,
            json_serializer=lambda value: to_json(value).decode(),
            json_deserializer=from_json,
            pool_size=sum(pool.threads for pool in self._pools) + _SPARE,
            max_overflow=0,
            pool_timeout=within_s or _WAIT_S,
            hide_parameters=True,  # Errors are logged and must not contain client data.
            **options,
        )
        (sqlite if self.is_sqlite else postgresql).set_up(self.engine, within_s)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a write transaction: commit at the end, roll back on an exception."""
        with self._connect_to_write(waits=True) as connection, connection.begin():
            self._lift_limits(connection)
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a read transaction with a consistent snapshot of the data."""
        with self._connect_to_read() as connection, connection.begin():
            self._lift_limits(connection)
            yield connection

    async def maintain(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run a maintenance task in a write transaction with 60 times the usual deadline."""

        def run(connection: Connection) -> Result:
            self._lift_limits(connection, locks=False)
            return work(connection, *args, **options)

        within_s = None if self.within_s is None else self.within_s * _MAINTENANCE
        return await self._writers.run(run, within_s)

    async def read_page(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work`, which reads a page of a long list, in a read transaction.

        A single thread reads the pages of all long lists and pauses after each page, so that long
        lists do not delay short reads. The deadline is six times the usual one, because pages wait
        for each other.
        """
        within_s = None if self.within_s is None else self.within_s * _PAGES
        return await self._pages.run(
            lambda connection: work(connection, *args, **options), within_s
        )

    async def prove(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work`, which probes the database, in a write transaction in a separate thread.

        The deadline is half that of other transactions.
        """
        within_s = None if self.within_s is None else self.within_s * _PROBE
        return await self._prover.run(
            lambda connection: work(connection, *args, **options), within_s
        )

    def close(self) -> None:
        """Wait until queued work has finished or the deadline has passed; close all connections."""
        ends_s = None if self.within_s is None else time.monotonic() + self.within_s
        for pool in self._pools:
            pool.close(None if ends_s is None else max(0.0, ends_s - time.monotonic()))
        self.engine.dispose()
        if self._turn:
            self._turn.close()
            self._turn = None

    @contextmanager
    def _connect_to_read(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def _connect_to_write(self, *, waits: bool = False) -> Iterator[Connection]:
        if self._turn is None:
            with self.engine.connect() as connection:
                yield connection
            return
        turn = self._turn.taken(None if waits else self.within_s)
        with turn, self.engine.connect() as connection:
            yield connection.execution_options(**{sqlite.WRITES: True})

    def _lift_limits(self, connection: Connection, *, locks: bool = True) -> None:
        if self.within_s is not None and not self.is_sqlite:
            postgresql.lift_limits(connection, locks=locks)


def _parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # The message may contain part of the password.
        message = f"{_URL_PROBLEM}, with special characters in the password percent-encoded"
        raise ValueError(message) from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite" or parsed.database in (None, "", ":memory:"):
        raise ValueError(f"{_URL_PROBLEM}, got {backend}://…")
    return parsed
