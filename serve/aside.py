"""Aside: work that would hold up other callers is done on threads of its own, two at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from serve.errors import Refusal

__all__ = ["aside"]

_QUICK_BYTES = 8192  # of JSON: five days of CGM are more, and so is whatever takes milliseconds
_WITHIN_S = 30.0
_THREADS = ThreadPoolExecutor(2, "aside")

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


async def aside(
    size: int, work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Do work, beside the event loop where it is much.

    Parameters
    ----------
    size : int
        Bytes of the body that the work is about: with few, it is done at once.
    work : callable
        What to do.
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
    if size <= _QUICK_BYTES:
        return work(*args, **options)
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_WITHIN_S):
            return await loop.run_in_executor(_THREADS, partial(work, *args, **options))
    except TimeoutError:
        message = "the model did not answer in time: send less, or try again later"
        raise Refusal("upstream_timeout", message) from None
