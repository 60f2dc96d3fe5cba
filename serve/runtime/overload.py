"""Overload: refuse a share of the requests while the event loop falls behind.

A service that accepts more than it can do makes everybody wait, until nobody waits any longer. The
event loop measures how late it wakes up, and how many requests it handled meanwhile. While it is
late again and again because of requests, a growing share of them is refused with 503 before any
work is done for them; the others are answered in time. A loop that is late without requests waits
for the processor, and refusing would not help.
Like CoDel (Nichols and Jacobson 2012, doi:10.1145/2208917.2209336), it acts on a delay that lasts,
not on a burst.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from serve.wire.errors import Refusal

__all__ = ["LATE_S", "MANY", "Overload"]

LATE_S = 0.25
"""Seconds of delay of the event loop above which it counts as late."""

MANY = 20
"""Requests that were handled while the loop was late, below which nothing more is refused."""

_EVERY_S = 0.1
_LASTING = 3  # measurements in a row
_WHOLE = 20  # shares are counted in twentieths
_MORE, _LESS = 2, 1
_LARGEST = 19  # some requests always pass: they show whether the overload is over


class Overload:
    """The share of requests that is refused now.

    Examples
    --------
    >>> overload = Overload()
    >>> for _ in range(4):
    ...     overload.observe(late_s=0.5, requests=100)
    >>> overload.share
    0.2
    >>> overload.observe(late_s=0.01, requests=100)
    >>> overload.share
    0.15
    """

    def __init__(self) -> None:
        self._refused = 0  # of twenty requests
        self._late_in_a_row = 0
        self._due = 0
        self._due_s = math.inf
        self._overdue = 0

    @property
    def share(self) -> float:
        """Share of the requests that is refused, 0 to 0.95."""
        return self._refused / _WHOLE

    def observe(self, late_s: float, requests: int) -> None:
        """Adjust the share to a measurement.

        Parameters
        ----------
        late_s : float
            Delay of the event loop in seconds.
        requests : int
            Requests that it handled during the delay.
        """
        if late_s <= LATE_S or requests < MANY:
            self._late_in_a_row = 0
            self._refused = max(0, self._refused - _LESS)
            return
        self._late_in_a_row += 1
        if self._late_in_a_row >= _LASTING:
            self._refused = min(_LARGEST, self._refused + _MORE)

    def check(self) -> None:
        """Refuse this request if it belongs to the share that is refused.

        Raises
        ------
        Refusal
            503 ``service_unavailable`` with ``Retry-After``.
        """
        if time.monotonic() > self._due_s:
            self._overdue += 1
        if not self._refused:
            return
        self._due += self._refused
        if self._due >= _WHOLE:
            self._due -= _WHOLE
            message = "the service is overloaded: retry after 1 second"
            raise Refusal("service_unavailable", message, headers={"Retry-After": "1"})

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Measure the delay of the running event loop meanwhile."""
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
