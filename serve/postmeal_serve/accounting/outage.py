"""Outage of a database that can be read but not written, because its disk is full or read-only."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.transactions import Transactions

__all__ = ["CounterWrites", "Unwritable"]

_SQLITE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
_POSTGRESQL = ("53100", "25006", "58030")  # disk_full, read_only_sql_transaction, io_error
_TRIED_EVERY_S = 1.0

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Unwritable(SQLAlchemyError):
    """The disk of the database is full, read-only or broken; nothing was written."""


class CounterWrites:
    """Write transactions for counters, which are tried once a second while none can succeed."""

    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._failed_s = -math.inf

    async def write(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a write transaction."""
        now_s = self._clock.monotonic_s()
        if now_s - self._failed_s < _TRIED_EVERY_S:
            raise Unwritable("the database could not be written within the last second")
        try:
            return await self._database.write(work, *args, **options)
        except DBAPIError as error:
            if not _is_of_the_disk(error):
                raise
            self._failed_s = now_s
            raise Unwritable("the database cannot be written") from error


def _is_of_the_disk(error: DBAPIError) -> bool:
    """Return whether a write failed because the disk is full, read-only or broken."""
    if (code := getattr(error.orig, "sqlite_errorcode", None)) is not None:
        return code & 0xFF in _SQLITE  # The upper bits of the code contain details.
    return getattr(error.orig, "sqlstate", None) in _POSTGRESQL
