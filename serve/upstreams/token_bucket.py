"""Allowance: how often a service outside wants to be asked at most, kept by a token bucket."""

from __future__ import annotations

from serve.runtime.clock import Clock

__all__ = ["Allowance"]


class Allowance:
    """So many questions in so many seconds, all at once or one by one.

    A bucket holds a tenth of them and is filled steadily with the rest in `per_s` seconds, so that
    in no stretch of so many seconds more than `most` are taken.

    Parameters
    ----------
    clock : Clock
        The time.
    most : float
        Questions in any stretch of `per_s` seconds, 10 or more; with fewer, one beyond them.
    per_s : float
        Seconds.

    Examples
    --------
    >>> allowance = Allowance(Clock(), most=10, per_s=3600)
    >>> allowance.take(), round(allowance.take())
    (0.0, 400)
    """

    def __init__(self, clock: Clock, most: float, per_s: float) -> None:
        self._clock = clock
        self._holds = max(1.0, most / 10)
        self._rate = 0.9 * most / per_s
        self._left = self._holds
        self._at_s = clock.monotonic_s()

    def take(self) -> float:
        """Take one question; answer 0, or in how many seconds there is one to take."""
        now_s = self._clock.monotonic_s()
        self._left = min(self._holds, self._left + (now_s - self._at_s) * self._rate)
        self._at_s = now_s
        if self._left < 1:
            return (1 - self._left) / self._rate
        self._left -= 1
        return 0.0
