"""Delays for callers whose requests are refused repeatedly.

Without these delays, a client that retries in a tight loop could get thousands of refusals per
second and slow down all other clients.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

__all__ = ["LONGEST_S", "PER_SECOND", "UPLOAD", "RefusalPace"]

PER_SECOND = 100
"""Number of refusals per second that a process sends to each caller."""

UPLOAD = 5
"""Number of refusals that a refused upload counts as. Discarding its body takes additional time."""

LONGEST_S = 20.0
"""Maximum delay in seconds."""


class RefusalPace:
    """Pacer that sends the refusals of each caller at a limited rate.

    A caller that has not been refused for a second gets up to `PER_SECOND` refusals without delay.
    Each further refusal waits for its turn. If it would wait for more than `LONGEST_S`, it waits
    for a random time from half of `LONGEST_S` to `LONGEST_S` instead.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._due_s: dict[str, float] = {}  # when the latest refusal of each caller is due
        self._pruned_s = 0.0
        self._random = random.Random()

    def wait_s(self, caller: str, count: int = 1) -> float:
        """Return the seconds by which to delay the response of a refusal."""
        now_s = self._now_s()
        idle_s = now_s - 1.0
        if now_s > self._pruned_s + 1.0:
            self._due_s = {name: due_s for name, due_s in self._due_s.items() if due_s > idle_s}
            self._pruned_s = now_s
        due_s = max(self._due_s.get(caller, idle_s), idle_s) + count / PER_SECOND
        if due_s - now_s > LONGEST_S:
            return self._random.uniform(LONGEST_S / 2, LONGEST_S)
        self._due_s[caller] = due_s
        return max(0.0, due_s - now_s)
