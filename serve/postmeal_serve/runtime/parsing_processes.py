"""Pool of processes that parse large request bodies and long meal texts.

Threads would delay the event loop: the validator holds the GIL until it has parsed the whole body,
and the parsing of a long meal text needs the GIL for tens of milliseconds.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Concatenate, ParamSpec, TypeVar, cast

from postmeal.errors import PostmealError
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.unparsed_body import RequestBody

__all__ = ["Parsing"]

_NICENESS = 5  # Gives the server priority over these processes when CPUs are scarce.
_WITHIN_S = 30.0
_PROCESSOR_S = 20  # The kernel kills a process that needs more processor time for a request.
_RETRY_AFTER_S = 5

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Parsing:
    """A queue for large requests, and a pool of processes that parse them.

    Each credential can use only one process at a time, and the number of its requests in the queue
    is limited, so that its requests do not delay those of other credentials. The processes start
    when the first large request arrives.
    """

    def __init__(
        self, processes: int = 2, line: int = 64, share: int = 16, processor_s: int = _PROCESSOR_S
    ) -> None:
        self._processes = processes
        self._processor_s = processor_s
        self._line = line
        self._share = share
        self._pool: ProcessPoolExecutor | None = None
        self._slots = asyncio.Semaphore(processes)
        self._turns: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()

    async def run(
        self,
        credential: str,
        work: Callable[Concatenate[RequestBody, Arguments], Result],
        body: RequestBody,
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Apply a function to a body in another process."""
        result, error, body.ignored = await self.call(credential, _parse, work, body, args, options)
        if error is not None:
            raise error
        return cast(Result, result)

    async def call(
        self,
        credential: str,
        work: Callable[Arguments, Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Call a function in another process."""
        if self._waiting.total() >= self._line or self._waiting[credential] >= self._share:
            raise _unavailable("too many large requests are waiting; try again later")
        self._waiting[credential] += 1
        turn = self._turns.setdefault(credential, asyncio.Lock())
        try:
            async with asyncio.timeout(_WITHIN_S), turn, self._slots:
                future = self._running_pool().submit(
                    _limited, self._processor_s, work, args, options
                )
                return await asyncio.wrap_future(future)
        except BrokenProcessPool:
            self.close()
            raise _unavailable("the request could not be parsed; try again later") from None
        except TimeoutError:
            message = "parsing the request took too long; send less data or try again later"
            raise Refusal("upstream_timeout", message) from None
        finally:
            self._waiting[credential] -= 1
            if not self._waiting[credential]:
                del self._waiting[credential], self._turns[credential]

    def close(self) -> None:
        """Stop the processes; new processes start when the next large request arrives."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _running_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._processes, context, _initialize)
        return self._pool


def _initialize() -> None:
    """Make a parsing process ignore stop signals, run at low priority and exit with its parent."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICENESS)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def exit_with_parent() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=exit_with_parent, daemon=True).start()


def _limited(
    processor_s: int,
    work: Callable[..., Result],
    args: tuple[object, ...],
    options: dict[str, object],
) -> Result:
    """Call a function in this process, which the kernel kills if the call needs too much time."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    limit = math.ceil(time.process_time()) + processor_s
    resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
    return work(*args, **options)


def _parse(
    work: Callable[..., object],
    body: RequestBody,
    args: tuple[object, ...],
    options: dict[str, object],
) -> tuple[object, Exception | None, tuple[str, ...]]:
    """Run `work`; return its result or the error that it raised, and `body.ignored`."""
    try:
        return work(body, *args, **options), None, body.ignored
    except (PostmealError, Refusal) as error:
        return None, error, body.ignored


def _unavailable(message: str) -> Refusal:
    headers = {"Retry-After": str(_RETRY_AFTER_S)}
    return Refusal("service_unavailable", message, headers=headers)
