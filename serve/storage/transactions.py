"""Transactions: reads and writes of one kind of caller, from the event loop or from threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from serve.storage.lane import Lane
from serve.storage.transaction import DatabaseTimeout

__all__ = ["Transactions"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Transactions:
    """Reads and writes, each a function that takes a connection, within a deadline.

    Every method raises `DatabaseTimeout` once the deadline has passed: nothing was written then,
    unless the commit was under way already.

    Parameters
    ----------
    readers, writers : Lane
        The threads that run them.
    within_s : float or None
        Seconds for each transaction, its time in the queue included; None for no deadline.
    """

    def __init__(self, readers: Lane, writers: Lane, within_s: float | None) -> None:
        self._readers = readers
        self._writers = writers
        self.within_s = within_s

    async def write(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a writing transaction; what it returns is committed."""
        return await self._writers.run(lambda it: work(it, *args, **options), self.within_s)

    async def read(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a reading transaction."""
        return await self._readers.run(lambda it: work(it, *args, **options), self.within_s)

    def read_blocking(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a reading transaction and block the calling thread until then."""
        return self._readers.run_blocking(lambda it: work(it, *args, **options), self.within_s)

    def write_blocking(
        self,
        work: Callable[Concatenate[Connection, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run `work` in a writing transaction and block the calling thread until then."""
        return self._writers.run_blocking(lambda it: work(it, *args, **options), self.within_s)

    @asynccontextmanager
    async def deadline(self) -> AsyncIterator[None]:
        """Apply the deadline of one transaction to all that is awaited in the block.

        Such as a transaction that others wait for, too, and the one that it waits for.
        """
        try:
            async with asyncio.timeout(self.within_s):
                yield
        except TimeoutError:
            raise DatabaseTimeout("the database did not answer within the deadline") from None
