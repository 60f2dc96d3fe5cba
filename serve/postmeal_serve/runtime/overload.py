"""Overload protection, which refuses a share of the requests while the event loop falls behind.

A service that accepts more requests than it can handle delays all of them until clients time out. A
task therefore measures how late the event loop wakes it, and how many requests were handled during
the delay. If the loop is repeatedly late while many requests arrive, a growing share of the
requests is refused with 503 before any work is done, so that the other requests are handled in
time. If the loop is late although few requests arrive, it is waiting for the CPU, and refusing
requests would not help. Like CoDel (Nichols and Jacobson 2012, doi:10.1145/2208917.2209336), this
method reacts to a lasting delay and not to a burst.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from postmeal_serve.wire.errors import Refusal

__all__ = ["LATE_S", "MANY", "Overload"]

LATE_S = 0.25
"""Delay in seconds above which the event loop counts as late."""

MANY = 20
"""Minimum number of requests during a delay for the refused share to grow."""

_EVERY_S = 0.1
_LASTING = 3  # Consecutive late measurements.
_WHOLE = 20  # Shares are counted in twentieths.
_INCREASE, _DECREASE = 2, 1
_LARGEST = 19  # Some requests always pass, to detect the end of the overload.


class Overload:
    """Controller of the share of refused requests."""

    def __init__(self) -> None:
        self._refused = 0  # in twentieths of the requests
        self._late_in_a_row = 0
        self._due = 0
        self._due_s = math.inf
        self._overdue = 0

    @property
    def share(self) -> float:
        """Share of the requests that is currently refused, from 0 to 0.95."""
        return self._refused / _WHOLE

    def observe(self, late_s: float, requests: int) -> None:
        """Adjust the refused share after a measurement."""
        if late_s <= LATE_S or requests < MANY:
            self._late_in_a_row = 0
            self._refused = max(0, self._refused - _DECREASE)
            return
        self._late_in_a_row += 1
        if self._late_in_a_row >= _LASTING:
            self._refused = min(_LARGEST, self._refused + _INCREASE)

    def check(self) -> None:
        """Count a request, and raise `Refusal` if it belongs to the refused share."""
        if time.monotonic() > self._due_s:
            self._overdue += 1
        if not self._refused:
            return
        self._due += self._refused
        if self._due >= _WHOLE:
            self._due -= _WHOLE
            message = "the service is overloaded; retry after 1 second"
            raise Refusal("service_unavailable", message, headers={"Retry-After": "1"})

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Measure the delay of the event loop inside an ``async with`` block."""
        watch = asyncio.create_task(self._watch(), name="overload")
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.wait([watch])

    async def _watch(self) -> None:
        while True:
            self._due_s, self._overdue = time.monotonic() + _EVERY_S, 0
            await asyncio.sleep(_EVERY_S)
            self.observe(time.monotonic() - self._due_s, self._overdue)
