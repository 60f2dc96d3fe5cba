"""Executor with one thread that pauses between the pieces of long work."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

__all__ = ["PacedExecutor"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class PacedExecutor(ThreadPoolExecutor):
    """Executor with one thread, which pauses after each task in proportion to its duration.

    The threads of a process share the GIL, which does not support priorities. If long work is split
    into tasks of a few milliseconds with pauses between them, the event loop can use the GIL during
    the pauses. In a busy process, each task takes longer, and so does the pause after it.
    """

    def __init__(self, name: str, rest: float) -> None:
        super().__init__(1, name)
        self._rest = rest
        self._rests_until_s = 0.0

    def submit(
        self,
        work: Callable[Arguments, Result],
        /,
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Future[Result]:
        """Schedule `work`, which starts after all earlier tasks and the pauses after them."""
        return super().submit(self._run, work, *args, **options)

    def _run(self, work: Callable[..., Any], *args: Any, **options: Any) -> Any:
        time.sleep(max(0.0, self._rests_until_s - time.monotonic()))
        start_s = time.monotonic()
        try:
            return work(*args, **options)
        finally:
            end_s = time.monotonic()
            self._rests_until_s = end_s + self._rest * (end_s - start_s)
