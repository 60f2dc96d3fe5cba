"""Database: transactions on SQLite or PostgreSQL, from threads or from the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from pydantic_core import from_json, to_json
from sqlalchemy import Connection, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from serve.storage.turn import Turn

__all__ = ["Database"]

_BUSY_MS = 30_000
_PRAGMAS = (
    f"busy_timeout={_BUSY_MS}",
    "journal_mode=WAL",
    "synchronous=FULL",  # an acknowledged write survives loss of power
    "foreign_keys=ON",
    "secure_delete=ON",  # what is deleted is overwritten
)

_RESTED_S = 2.0
_ADDRESS = "the database must be sqlite:/// and a path, or postgresql://…"
_POSTGRESQL = {
    "options": "-c timezone=UTC",
    "connect_timeout": 5,  # s, where an address would be silent for minutes
    "tcp_user_timeout": 10_000,  # ms, after which a peer that acknowledges nothing is gone
}

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Database:
    """Transactions, each a function that takes a connection.

    On SQLite one thread writes, since one transaction at a time can; every write begins with
    ``BEGIN IMMEDIATE``, for a transaction that reads first and writes later fails at once when
    another process wrote in between.

    Parameters
    ----------
    url : str
        ``sqlite:///`` and a path, or ``postgresql://…``; no connection is made yet.

    Raises
    ------
    ValueError
        The address is neither.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"sqlite:///{folder}/postmeal.sqlite")
    ...     with database.writing() as connection:
    ...         connection.execute(text("SELECT 1 + 1")).scalar_one()
    ...     database.close()
    2
    """

    def __init__(self, url: str) -> None:
        chosen = _checked(url)
        self.is_sqlite = chosen.get_backend_name() == "sqlite"
        options: dict[str, Any] = {}
        self._turn: Turn | None = None
        if self.is_sqlite:
            path = Path(chosen.database or "")
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._turn = Turn(path.with_name(f"{path.name}-turn"))
            readers, writers = 4, 1
        else:
            options = {"connect_args": _POSTGRESQL}
            readers, writers = 6, 6
        self.engine = create_engine(
            chosen,
            json_serializer=lambda value: to_json(value).decode(),
            json_deserializer=from_json,
            pool_size=readers + writers,
            max_overflow=0,
            hide_parameters=True,  # an error may reach the log, what was sent may not
            **options,
        )
        if self.is_sqlite:
            event.listen(self.engine, "connect", _prepare)
            event.listen(self.engine, "begin", _begin)
        else:
            event.listen(self.engine, "checkin", _note_rest)
            event.listen(self.engine, "checkout", _check_after_rest)
        self._readers = ThreadPoolExecutor(readers, "database-read")
        self._writers = ThreadPoolExecutor(writers, "database-write")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that is committed at the end, undone by an exception."""
        turn = self._turn.taken() if self._turn else nullcontext()
        with turn, self.engine.connect() as connection:
            connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the data and changes nothing."""
        with self.engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    async def write(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a writing transaction; what it answers is committed."""

        def run() -> Result:
            with self.writing() as connection:
                return work(connection, *args, **options)

        return await asyncio.get_running_loop().run_in_executor(self._writers, run)

    async def read(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a reading transaction."""

        def run() -> Result:
            with self.reading() as connection:
                return work(connection, *args, **options)

        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    def check(self) -> None:
        """Read something, so that a database that cannot be used raises `SQLAlchemyError`."""
        with self.reading() as connection:
            connection.execute(text("SELECT count(*) FROM organization")).scalar_one()

    def close(self) -> None:
        """Finish what is queued and close the connections."""
        self._writers.shutdown()
        self._readers.shutdown()
        self.engine.dispose()
        if self._turn:
            self._turn.close()
            self._turn = None


def _checked(url: str) -> URL:
    try:
        chosen = make_url(url)
    except (ArgumentError, ValueError):  # whose message may hold a piece of the password
        message = f"{_ADDRESS}, with what is special in a password percent-encoded"
        raise ValueError(message) from None
    backend = chosen.get_backend_name()
    if backend == "postgresql":
        return chosen.set(drivername="postgresql+psycopg")
    if backend != "sqlite" or chosen.database in (None, "", ":memory:"):
        raise ValueError(_ADDRESS)
    return chosen


def _prepare(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say
    for setting in _PRAGMAS:
        connection.execute(f"PRAGMA {setting}").close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _note_rest(connection: Any, record: ConnectionPoolEntry) -> None:
    record.info["resting_since_s"] = time.monotonic()


def _check_after_rest(connection: Any, record: ConnectionPoolEntry, proxy: object) -> None:
    """Ask a connection for a sign of life, but not at every use: that would be a trip more."""
    since_s = record.info.get("resting_since_s")
    if since_s is None or time.monotonic() - since_s < _RESTED_S:
        return
    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except Exception as error:
        raise DisconnectionError from error  # the pool tries another
