"""Delays for callers whose requests are refused repeatedly.

Without these delays, a client that retries in a tight loop could get thousands of refusals per
second and slow down all other clients.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

__all__ = ["AT_ONCE", "LONGEST_S", "RefusalPace"]

AT_ONCE = 100
"""Number of refusals per second that a process sends to each caller without delay."""

LONGEST_S = 1.0
"""Maximum delay in seconds. Delays are random, so that callers do not all retry at once."""


class RefusalPace:
    """Counter of refusals per caller and second, which determines the delay of each refusal.

    Parameters
    ----------
    now_s : callable, default=time.monotonic
        Function that returns the time in seconds.

    Examples
    --------
    >>> pace = RefusalPace(now_s=lambda: 0.0)
    >>> [pace.wait_s("key 1") for _ in range(AT_ONCE)] == [0.0] * AT_ONCE
    True
    >>> 0 <= pace.wait_s("key 1") <= LONGEST_S
    True
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._second = 0
        self._refused: Counter[str] = Counter()
        self._random = random.Random()

    def wait_s(self, caller: str) -> float:
        """Count a refusal, and return the seconds by which to delay its response."""
        second = int(self._now_s())
        if second != self._second:
            self._second = second
            self._refused.clear()
        self._refused[caller] += 1
        if self._refused[caller] <= AT_ONCE:
            return 0.0
        return self._random.uniform(0.0, LONGEST_S)
