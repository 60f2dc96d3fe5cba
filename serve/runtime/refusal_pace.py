"""Refusal pace: callers who are refused again and again wait for each further refusal.

A caller in a loop that does not wait could have thousands of requests a second refused, and the
refusals alone would take the time of others.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

__all__ = ["AT_ONCE", "LONGEST_S", "RefusalPace"]

AT_ONCE = 100
"""Refusals a second of one caller, by one process, that are answered at once."""

LONGEST_S = 1.0
"""The longest wait. Waits are drawn at random, so that callers do not come back all at once."""


class RefusalPace:
    """How long each caller waits for a refusal.

    Parameters
    ----------
    now_s : callable, default=time.monotonic
        The time in seconds.

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
        self._chance = random.Random()

    def wait_s(self, caller: str) -> float:
        """Count a refusal of a caller, and return the seconds to wait before it is sent."""
        second = int(self._now_s())
        if second != self._second:
            self._second = second
            self._refused.clear()
        self._refused[caller] += 1
        if self._refused[caller] <= AT_ONCE:
            return 0.0
        return self._chance.uniform(0.0, LONGEST_S)
