"""Parsing: large bodies are read in processes of their own, which hold up no other caller.

A validator keeps the interpreter's lock until it has read all of a body, so a thread would stop the
event loop just as long.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Concatenate, ParamSpec, TypeVar, cast

from postmeal.errors import PostmealError
from serve.wire.errors import Refusal
from serve.wire.unparsed_body import RequestBody

__all__ = ["Parsing"]

_NICENESS = 5  # of the processes, so that the server goes first where cores are short
_WITHIN_S = 30.0
_RETRY_AFTER_S = 5

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Parsing:
    """Processes that read large bodies, with a line in front of them.

    A credential has one of the processes at a time and a share of the line, so that it cannot keep
    others waiting. The processes start when the first large body comes.

    Parameters
    ----------
    processes : int, default=2
        Number of processes.
    line : int, default=64
        Bodies that are read or wait, at most.
    share : int, default=16
        How many of them may be of one credential.
    """

    def __init__(self, processes: int = 2, line: int = 64, share: int = 16) -> None:
        self._processes = processes
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
        """Read a body in another process.

        Parameters
        ----------
        credential : str
            Whose body it is.
        work : callable
            A function of a module, called with the body and the arguments.
        body : RequestBody
            The body.
        *args, **options
            The arguments; they and the result are pickled.

        Returns
        -------
        object
            What the function returns; `body` has its near misses, also where the function raises.

        Raises
        ------
        Refusal
            The line is full or a process died (503), or the result was not there in 30 s (504).
        Exception
            What the function raises.
        """
        if self._waiting.total() >= self._line or self._waiting[credential] >= self._share:
            raise _unavailable("too many large bodies are waiting; try again later")
        self._waiting[credential] += 1
        turn = self._turns.setdefault(credential, asyncio.Lock())
        try:
            async with asyncio.timeout(_WITHIN_S), turn, self._slots:
                call = self._running().submit(_read, work, body, args, options)
                result, error, body.ignored = await asyncio.wrap_future(call)
        except BrokenProcessPool:
            self.close()
            raise _unavailable("the body could not be read; try again later") from None
        except TimeoutError:
            message = "the body was not read in time: send less, or try again later"
            raise Refusal("upstream_timeout", message) from None
        finally:
            self._waiting[credential] -= 1
            if not self._waiting[credential]:
                del self._waiting[credential], self._turns[credential]
        if error is not None:
            raise error
        return cast(Result, result)

    def close(self) -> None:
        """End the processes; they start again with the next body."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._processes, context, _begin)
        return self._pool


def _begin() -> None:
    """Prepare a process: it ends with its parent alone, whatever signals their group is sent."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    os.nice(_NICENESS)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=follow, daemon=True).start()


def _read(
    work: Callable[..., object],
    body: RequestBody,
    args: tuple[object, ...],
    options: dict[str, object],
) -> tuple[object, Exception | None, tuple[str, ...]]:
    """Return what the work returns or refuses the body with, and the near misses."""
    try:
        return work(body, *args, **options), None, body.ignored
    except (PostmealError, Refusal) as error:
        return None, error, body.ignored


def _unavailable(message: str) -> Refusal:
    headers = {"Retry-After": str(_RETRY_AFTER_S)}
    return Refusal("service_unavailable", message, headers=headers)
