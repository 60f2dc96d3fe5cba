"""Jobs: work that is done again and again while the service runs."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from types import TracebackType

__all__ = ["Job"]

_log = logging.getLogger(__name__)


class Job:
    """Work that is repeated from ``async with`` to its end; an error is logged, never fatal.

    Several processes run the same job: the time between two runs is drawn, so that they fall out
    of step.

    Parameters
    ----------
    name : str
        For the log.
    work : callable
        Does the work once; it may be broken off between two awaits.
    every_s : float
        Seconds from one run to the next at most, half as many at least.

    Examples
    --------
    >>> async def count() -> None:
    ...     done.append(len(done))
    >>> async def run() -> None:
    ...     async with Job("count", count, every_s=0.001):
    ...         while len(done) < 3:
    ...             await asyncio.sleep(0)
    >>> done: list[int] = []
    >>> asyncio.run(run())
    >>> done[:3]
    [0, 1, 2]
    """

    def __init__(self, name: str, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        self._name = name
        self._work = work
        self._every_s = every_s
        self._chance = random.Random()

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
            await asyncio.sleep(self._chance.uniform(0.5, 1) * self._every_s)
            try:
                await self._work()
            except Exception as error:  # of whatever kind: the next run may go well
                _log.error("the job %s failed: %s", self._name, type(error).__name__)
