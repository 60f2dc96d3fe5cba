"""Lane: threads that run transactions, each within a deadline."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection

from serve.storage.transaction import DatabaseTimeout, Transaction

__all__ = ["Lane"]

_LATE = "the database did not answer within the deadline"

Result = TypeVar("Result")


class Lane:
    """Threads of their own for one kind of transaction, so that other kinds do not wait for it.

    Parameters
    ----------
    name : str
        Prefix of the names of the threads.
    threads : int
        Transactions that run at the same time; others wait for their turn.
    connect : callable
        Returns a context with a connection on which no transaction has begun.
    executor : ThreadPoolExecutor, optional
        Runs the transactions, with as many threads; a plain one when omitted.
    """

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
        """Run `work` in a transaction.

        Parameters
        ----------
        work : callable
            Takes the connection and returns the result.
        within_s : float, optional
            Seconds from this call to the result, the time in the queue included; unlimited when
            omitted.

        Raises
        ------
        DatabaseTimeout
            The deadline has passed. Work that is still in the queue never runs, work that runs is
            rolled back; the outcome of a commit that is under way is unknown.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Result] = loop.create_future()
        future, transaction = self._submit(work)
        future.add_done_callback(partial(_deliver, loop, answer))
        timer = loop.call_later(within_s, _expire, answer) if within_s else None
        try:
            return await answer
        finally:
            if timer is not None:
                timer.cancel()
            if not future.done():  # the deadline has passed, or the caller was canceled
                future.cancel()
                transaction.give_up()

    def run_blocking(
        self, work: Callable[[Connection], Result], within_s: float | None = None
    ) -> Result:
        """Run `work` in a transaction and block this thread, which is none of the lane, until then.

        Raises
        ------
        DatabaseTimeout
            See `run`.
        """
        future, transaction = self._submit(work)
        if not wait([future], within_s).done:
            future.cancel()
            transaction.give_up()
            raise DatabaseTimeout(_LATE)
        return future.result()

    def close(self, within_s: float | None = None) -> None:
        """Finish what is queued, give up what takes longer than `within_s`, and end the threads."""
        under_way = dict(self._under_way)
        for late in wait(under_way, within_s).not_done:
            late.cancel()
            under_way[late].give_up()
        self._threads.shutdown()

    def _submit(
        self, work: Callable[[Connection], Result]
    ) -> tuple[Future[Result], Transaction[Result]]:
        transaction = Transaction(self._connect, work)
        future = self._threads.submit(transaction.run)
        self._under_way[future] = transaction
        future.add_done_callback(self._under_way.pop)
        return future, transaction


def _deliver(loop: AbstractEventLoop, answer: asyncio.Future[Any], future: Future[Any]) -> None:
    if not future.cancelled() and not loop.is_closed():
        loop.call_soon_threadsafe(_settle, answer, future)


def _settle(answer: asyncio.Future[Any], future: Future[Any]) -> None:
    if answer.done():
        return
    error = future.exception()
    if error is None:
        answer.set_result(future.result())
    else:
        answer.set_exception(error)


def _expire(answer: asyncio.Future[Any]) -> None:
    if not answer.done():
        answer.set_exception(DatabaseTimeout(_LATE))
