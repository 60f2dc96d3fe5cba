"""Aside: work that would hold up other callers is done on threads of its own, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from serve.errors import Refusal

__all__ = ["WouldWait", "aside", "leave_the_loop"]

_QUICK_BYTES = 8192  # of JSON: five days of CGM are more, and so is whatever takes milliseconds
_WITHIN_S = 30.0
_THREADS = ThreadPoolExecutor(2, "aside")
_WAITING = ThreadPoolExecutor(4, "aside-waiting")

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class WouldWait(Exception):
    """Work was begun on the event loop, and takes too long for it: `aside` does it on a thread."""


def leave_the_loop() -> None:
    """Refuse to go on on the thread of an event loop, where others would wait.

    Raises
    ------
    WouldWait
        This is such a thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WouldWait


async def aside(
    size: int, work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Do work, beside the event loop where it is much.

    Parameters
    ----------
    size : int
        Bytes of the body that the work is about: with few, it is done at once.
    work : callable
        What to do. Where it raises `WouldWait` it is done again on a thread: until then it must
        not have changed anything.
    *args, **options
        Its arguments.

    Returns
    -------
    Any
        What the work answers.

    Raises
    ------
    Refusal
        It was not done in time, 504; what is under way goes on, and its result is dropped.

    Examples
    --------
    >>> asyncio.run(aside(10, sum, [1, 2])), asyncio.run(aside(10**6, sum, [1, 2]))
    (3, 3)
    """
    threads = _THREADS
    if size <= _QUICK_BYTES:
        try:
            return work(*args, **options)
        except WouldWait:
            threads = _WAITING
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_WITHIN_S):
            return await loop.run_in_executor(threads, partial(work, *args, **options))
    except TimeoutError:
        message = "the answer was not ready in time: send less, or try again later"
        raise Refusal("upstream_timeout", message) from None
