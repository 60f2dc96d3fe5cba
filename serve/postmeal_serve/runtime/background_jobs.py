"""Background jobs that repeat while the service runs."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from types import TracebackType

__all__ = ["Job"]

_log = logging.getLogger(__name__)


class Job:
    """A function that is called repeatedly in the background, inside an ``async with`` block.

    Errors are logged and not raised. The interval between calls is random, so that the worker
    processes do not all run the same job at the same time.
    """

    def __init__(self, name: str, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        self._name = name
        self._work = work
        self._every_s = every_s
        self._random = random.Random()

    async def __aenter__(self) -> Job:
        self._task = asyncio.create_task(self._repeat(), name=self._name)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(self._random.uniform(0.5, 1) * self._every_s)
            try:
                await self._work()
            except Exception as error:  # The next run may succeed.
                _log.error(
                    "background job %s failed and will be retried: %s",
                    self._name,
                    type(error).__name__,
                )
