"""Offload: run slow work on threads, so that the event loop goes on serving other callers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from serve.storage.paced_executor import PacedExecutor
from serve.wire.errors import Refusal

__all__ = ["LARGEST_ON_LOOP", "offload", "offload_io", "offload_long"]

LARGEST_ON_LOOP = 8192
"""Bytes of the largest JSON body that is handled on the event loop: five days of CGM are more, and
so is anything that takes milliseconds."""

_WITHIN_S = 30.0
_COMPUTING = ThreadPoolExecutor(2, "offload")
_WAITING = ThreadPoolExecutor(4, "offload-io")
_LONG = PacedExecutor("offload-long", rest=1.0)

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


async def offload(
    work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Run work that keeps a core busy on one of two threads.

    Parameters
    ----------
    work : callable
        The work.
    *args, **options
        Its arguments.

    Returns
    -------
    Any
        What the work returns.

    Raises
    ------
    Refusal
        The work did not finish in time, 504. It goes on, and its result is dropped.

    Examples
    --------
    >>> asyncio.run(offload(sum, [1, 2]))
    3
    """
    return await _run(_COMPUTING, partial(work, *args, **options))


async def offload_io(
    work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Run work that may wait for a disk or a database on one of four threads; see `offload`."""
    return await _run(_WAITING, partial(work, *args, **options))


async def offload_long(
    work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Run work of several milliseconds on one thread, which then rests as long; see `offload`."""
    return await _run(_LONG, partial(work, *args, **options))


async def _run(threads: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
    try:
        async with asyncio.timeout(_WITHIN_S):
            return await asyncio.get_running_loop().run_in_executor(threads, work)
    except TimeoutError:
        message = "the answer was not ready in time: send less, or try again later"
        raise Refusal("upstream_timeout", message) from None
