"""Limit on the share of a busy event loop that one partner can use.

A partner with a high rate limit could keep the event loop busy, so that the requests of all other
partners wait. While the loop is busy and other partners send requests, the requests of the partner
that sends more than half of all requests are therefore delayed, so that they use a limited share of
the time of the loop. A partner that is alone can use all of it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

__all__ = ["LARGEST_SHARE", "LONGEST_S", "FairShare"]

LARGEST_SHARE = 0.25
"""Share of the event loop's time that one partner can use while others send requests."""

LONGEST_S = 1.0
"""Maximum delay of a request in seconds."""

_BUSY = 0.8  # share of the time above which the loop counts as busy
_WINDOW_S = 0.1
_PRESENT_S = 1.0  # time for which a partner counts as present after a request


class FairShare:
    """Delays for the requests of a partner that keeps the event loop busy.

    Call all methods in the thread of the event loop.
    """

    def __init__(
        self,
        now_s: Callable[[], float] = time.monotonic,
        cpu_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self._now_s = now_s
        self._cpu_s = cpu_s
        self._window_s = now_s()
        self._window_cpu_s = cpu_s()
        self._requests: Counter[int] = Counter()  # by partner, in this window
        self._present_s: dict[int, float] = {}  # time of the latest request of each partner
        self._limited: int | None = None
        self._interval_s = 0.0  # time between two requests of the limited partner
        self._due_s = 0.0

    def wait_s(self, partner: int) -> float:
        """Count a request of a partner, and return the seconds by which to delay it."""
        now_s = self._now_s()
        if now_s >= self._window_s + _WINDOW_S:
            self._measure(now_s)
        self._requests[partner] += 1
        self._present_s[partner] = now_s
        if partner != self._limited:
            return 0.0
        self._due_s = max(self._due_s, now_s) + self._interval_s
        return min(self._due_s - now_s, LONGEST_S)

    def _measure(self, now_s: float) -> None:
        """Choose the partner to limit from the requests of the past window, or none."""
        cpu_s = self._cpu_s()
        window_s, used_s = now_s - self._window_s, cpu_s - self._window_cpu_s
        requests, self._requests = self._requests, Counter()
        self._window_s, self._window_cpu_s = now_s, cpu_s
        present = {name: at for name, at in self._present_s.items() if at > now_s - _PRESENT_S}
        self._present_s = present
        if self._limited is not None:
            if self._due_s > now_s and present.keys() - {self._limited}:
                return  # Requests of the limited partner are still waiting.
            self._limited = None
        if not requests or len(present) < 2 or used_s < _BUSY * window_s:
            return
        partner, number = requests.most_common(1)[0]
        if number > requests.total() / 2:
            self._limited = partner
            self._interval_s = used_s / requests.total() / LARGEST_SHARE
            self._due_s = now_s
