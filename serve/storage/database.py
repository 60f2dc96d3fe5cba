"""Database: transactions on SQLite or PostgreSQL, from threads or from the event loop."""

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

from serve.storage import postgresql, sqlite
from serve.storage.lane import Lane
from serve.storage.paced_executor import PacedExecutor
from serve.storage.transactions import Transactions
from serve.storage.write_lock import Turn

__all__ = ["Database"]

_ADDRESS = "the database must be sqlite:/// and a path, or postgresql://…"
_SPARE = 2  # connections, for `reading` and `writing`
_PROOF = 0.5  # of the deadline
_MAINTENANCE = 60  # times the deadline
_PAGES = 6  # times the deadline of a call, for a page of a long list
_PAGE_REST = 3.0  # times the time that a page took
_WAIT_S = 30.0  # for a connection, where there is no deadline

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Database(Transactions):
    """Transactions, each a function that takes a connection.

    On SQLite one thread writes, since one transaction at a time can; every write begins with
    ``BEGIN IMMEDIATE``, for a transaction that reads first and writes later fails at once when
    another process wrote in between.

    Parameters
    ----------
    url : str
        ``sqlite:///`` and a path, or ``postgresql://…``; no connection is made yet.
    within_s : float, optional
        Deadline in seconds of each transaction of `read`, `write` and their like; none when
        omitted. `reading`, `writing` and `maintain` are never cut short by it: migrations,
        backups and the commands of an administrator take as long as they need.

    Attributes
    ----------
    admission : Transactions
        Reads and writes of what precedes every call: credentials and limits. They have threads and
        connections of their own, so that they do not wait for the transactions of calls; only on
        SQLite, where a single transaction can write, do both write on one thread.

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
    ...         connection.exec_driver_sql("SELECT 1 + 1").scalar_one()
    ...     database.close()
    2
    """

    def __init__(self, url: str, within_s: float | None = None) -> None:
        chosen = _checked(url)
        self.is_sqlite = chosen.get_backend_name() == "sqlite"
        self._turn: Turn | None = None
        options: dict[str, Any] = {}
        if self.is_sqlite:
            path = Path(chosen.database or "")
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._turn = Turn(path.with_name(f"{path.name}-turn"))
        else:
            options["connect_args"] = postgresql.connect_args(within_s)
        reads, writes = (4, 1) if self.is_sqlite else (4, 5)
        readers = Lane("database-read", reads, self._to_read)
        writers = Lane("database-write", writes, self._to_write)
        admitting = Lane("admission-read", 2, self._to_read)
        counting = writers if self.is_sqlite else Lane("admission-write", 3, self._to_write)
        self._prover = Lane("database-proof", 1, self._to_write)
        super().__init__(readers, writers, within_s)
        self.admission = Transactions(admitting, counting, within_s)
        self._pages = Lane("page-read", 1, self._to_read, PacedExecutor("page-read", _PAGE_REST))
        self._lanes = {readers, writers, admitting, counting, self._prover, self._pages}
        self.engine = create_engine(
            chosen,
            json_serializer=lambda value: to_json(value).decode(),
            json_deserializer=from_json,
            pool_size=sum(each.threads for each in self._lanes) + _SPARE,
            max_overflow=0,
            pool_timeout=within_s or _WAIT_S,
            hide_parameters=True,  # an error may reach the log, what was sent may not
            **options,
        )
        (sqlite if self.is_sqlite else postgresql).set_up(self.engine, within_s)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that is committed at the end, undone by an exception."""
        with self._to_write(waits=True) as connection, connection.begin():
            self._lift_limits(connection)
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the data and changes nothing."""
        with self._to_read() as connection, connection.begin():
            self._lift_limits(connection)
            yield connection

    async def maintain(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a writing transaction that may take far longer than that of a call."""

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
        """Run `work`, which reads a further page of a long list, in a reading transaction.

        One thread reads the pages of all long lists, one after another, and rests between them:
        they take neither the threads nor the time of short reads. The deadline is longer, since
        pages wait for each other.
        """
        within_s = None if self.within_s is None else self.within_s * _PAGES
        return await self._pages.run(lambda it: work(it, *args, **options), within_s)

    async def prove(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a writing transaction that does not wait for any other of this process."""
        within_s = None if self.within_s is None else self.within_s * _PROOF
        return await self._prover.run(lambda it: work(it, *args, **options), within_s)

    def close(self) -> None:
        """Finish what is queued, within the deadline, and close the connections."""
        ends_s = None if self.within_s is None else time.monotonic() + self.within_s
        for lane in self._lanes:
            lane.close(None if ends_s is None else max(0.0, ends_s - time.monotonic()))
        self.engine.dispose()
        if self._turn:
            self._turn.close()
            self._turn = None

    @contextmanager
    def _to_read(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def _to_write(self, *, waits: bool = False) -> Iterator[Connection]:
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
