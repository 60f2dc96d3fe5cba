"""Shared refill of a used-up lease that several requests are waiting for.

If the requests waited for a lock instead, they would resume one at a time, each in a separate
iteration of the event loop. Requests that arrive later would overtake them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

__all__ = ["SharedRefill"]

Result = TypeVar("Result")


class SharedRefill(Generic[Result]):
    """A refill for which several tasks can wait."""

    def __init__(self) -> None:
        self.waiting = 0
        self._task: asyncio.Task[Result] | None = None

    async def join(self, refill: Callable[[], Awaitable[Result]]) -> Result:
        """Wait for the current refill, or start a refill; return its result or raise its error.

        Canceling one waiting task does not cancel the refill for the other tasks.
        """
        if self._task is None:
            self._task = asyncio.create_task(self._run(refill))
        self.waiting += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self.waiting -= 1

    async def _run(self, refill: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return await refill()
        finally:
            self._task = None
