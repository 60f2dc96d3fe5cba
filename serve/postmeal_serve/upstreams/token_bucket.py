"""Token bucket for the rate limit of an external service."""

from __future__ import annotations

from postmeal_serve.runtime.clock import Clock

__all__ = ["TokenBucket"]


class TokenBucket:
    """A limit on the number of requests in any period of a given length.

    The bucket holds a tenth of the requests. The other nine tenths are added evenly over the
    period. No period of this length therefore contains more than `most` requests, whenever it
    starts.
    """

    def __init__(self, clock: Clock, most: float, per_s: float) -> None:
        self._clock = clock
        self._capacity = max(1.0, most / 10)
        self._rate = 0.9 * most / per_s
        self._left = self._capacity
        self._at_s = clock.monotonic_s()

    def consume(self) -> float:
        """Count a request and return 0, or return the seconds until a request is allowed."""
        now_s = self._clock.monotonic_s()
        self._left = min(self._capacity, self._left + (now_s - self._at_s) * self._rate)
        self._at_s = now_s
        if self._left < 1:
            return (1 - self._left) / self._rate
        self._left -= 1
        return 0.0
