"""Read and write transactions with a deadline, from the event loop or from threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from postmeal_serve.storage.transaction import DatabaseTimeout
from postmeal_serve.storage.transaction_pool import LATE, TransactionPool

__all__ = ["Transactions"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Transactions:
    """Run functions in read and write transactions with a deadline.

    The first argument of each function is the connection. All methods raise `DatabaseTimeout` when
    the deadline has passed. Nothing has then been written, unless the commit had already begun.
    """

    def __init__(
        self, readers: TransactionPool, writers: TransactionPool, within_s: float | None
    ) -> None:
        self._readers = readers
        self._writers = writers
        self.within_s = within_s

    async def write(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a write transaction, commit, and return its result."""
        return await self._writers.run(
            lambda connection: work(connection, *args, **options), self.within_s
        )

    async def read(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a read transaction, and return its result."""
        return await self._readers.run(
            lambda connection: work(connection, *args, **options), self.within_s
        )

    def read_blocking(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a read transaction, and block the calling thread until it has finished."""
        return self._readers.run_blocking(
            lambda connection: work(connection, *args, **options), self.within_s
        )

    def write_blocking(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a write transaction, and block the calling thread until it has finished."""
        return self._writers.run_blocking(
            lambda connection: work(connection, *args, **options), self.within_s
        )

    @asynccontextmanager
    async def deadline(self) -> AsyncIterator[None]:
        """Apply the deadline of one transaction to all operations in an ``async with`` block.

        For example, the block may wait for a transaction that was started by another request.
        """
        try:
            async with asyncio.timeout(self.within_s):
                yield
        except TimeoutError:
            raise DatabaseTimeout(LATE) from None
