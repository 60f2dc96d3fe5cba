"""Thread pools that run transactions with a deadline."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection

from postmeal_serve.storage.transaction import DatabaseTimeout, Transaction

__all__ = ["LATE", "TransactionPool"]

LATE = "the database did not respond within the deadline"
"""Message of `DatabaseTimeout` when the deadline has passed."""

Result = TypeVar("Result")


class TransactionPool:
    """A thread pool for one kind of transaction, so that other kinds do not have to wait for it."""

    def __init__(
        self,
        name: str,
        threads: int,
        connect: Callable[[], AbstractContextManager[Connection]],
        executor: ThreadPoolExecutor | None = None,
    ) -> None:
        self.threads = threads
        self._threads = executor or ThreadPoolExecutor(threads, name)
        self._connect = connect
        self._under_way: dict[Future[Any], Transaction[Any]] = {}

    async def run(
        self, work: Callable[[Connection], Result], within_s: float | None = None
    ) -> Result:
        """Run `work` in a transaction."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[Result] = loop.create_future()
        future, transaction = self._submit(work)
        future.add_done_callback(partial(_deliver, loop, result))
        timer = loop.call_later(within_s, _expire, result) if within_s else None
        try:
            return await result
        finally:
            if timer is not None:
                timer.cancel()
            if not future.done():  # The deadline has passed, or the waiting task was canceled.
                future.cancel()
                transaction.abort()

    def run_blocking(
        self, work: Callable[[Connection], Result], within_s: float | None = None
    ) -> Result:
        """Run `work` in a transaction, and block the calling thread until it has finished.

        The calling thread must not belong to this pool. Parameters and errors are those of `run`.
        """
        future, transaction = self._submit(work)
        if not wait([future], within_s).done:
            future.cancel()
            transaction.abort()
            raise DatabaseTimeout(LATE)
        return future.result()

    def close(self, within_s: float | None = None) -> None:
        """Wait up to `within_s` seconds for queued work, abort the rest, and stop the threads."""
        under_way = dict(self._under_way)
        for late in wait(under_way, within_s).not_done:
            late.cancel()
            under_way[late].abort()
        self._threads.shutdown()

    def _submit(
        self, work: Callable[[Connection], Result]
    ) -> tuple[Future[Result], Transaction[Result]]:
        transaction = Transaction(self._connect, work)
        future = self._threads.submit(transaction.run)
        self._under_way[future] = transaction
        future.add_done_callback(self._under_way.pop)
        return future, transaction


def _deliver(loop: AbstractEventLoop, result: asyncio.Future[Any], future: Future[Any]) -> None:
    if not future.cancelled() and not loop.is_closed():
        loop.call_soon_threadsafe(_settle, result, future)


def _settle(result: asyncio.Future[Any], future: Future[Any]) -> None:
    if result.done():
        return
    error = future.exception()
    if error is None:
        result.set_result(future.result())
    else:
        result.set_exception(error)


def _expire(result: asyncio.Future[Any]) -> None:
    if not result.done():
        result.set_exception(DatabaseTimeout(LATE))
