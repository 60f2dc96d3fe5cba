"""Thread pools for slow work, which would otherwise block the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from postmeal_serve.wire.errors import Refusal

__all__ = ["LARGEST_ON_LOOP", "offload", "offload_io"]

LARGEST_ON_LOOP = 8192
"""Maximum size in bytes of a JSON body that is processed on the event loop. Larger bodies, such as
five days of CGM readings, take milliseconds."""

_WITHIN_S = 30.0
_COMPUTING = ThreadPoolExecutor(2, "offload")
_WAITING = ThreadPoolExecutor(4, "offload-io")

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


async def offload(
    work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Run CPU-bound work in one of two threads."""
    return await _run(_COMPUTING, partial(work, *args, **options))


async def offload_io(
    work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Run I/O-bound work in one of four threads; see `offload` for parameters and errors."""
    return await _run(_WAITING, partial(work, *args, **options))


async def _run(threads: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
    try:
        async with asyncio.timeout(_WITHIN_S):
            return await asyncio.get_running_loop().run_in_executor(threads, work)
    except TimeoutError:
        message = "the request took too long; send less data or try again later"
        raise Refusal("upstream_timeout", message) from None
