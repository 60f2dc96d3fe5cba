"""Addresses: a throttle per IP address over the whole service, against floods."""

from __future__ import annotations

import math

__all__ = ["Addresses"]

_WINDOW_S = 60.0
_MOST = 100_000


class Addresses:
    """Calls of each address in its current minute, in this process.

    Floods are many times a limit, so each process allows its share and none asks the others.

    Parameters
    ----------
    per_minute : int or None
        Calls of one address that this process admits; None for no limit.

    Examples
    --------
    >>> addresses = Addresses(1)
    >>> addresses.wait_s("192.0.2.1", 0.0), addresses.wait_s("192.0.2.1", 12.5)
    (None, 48)
    """

    def __init__(self, per_minute: int | None) -> None:
        self._per_minute = per_minute
        self._windows: dict[str, list[float]] = {}

    def wait_s(self, address: str, now_s: float) -> int | None:
        """Count a call; answer the whole seconds to wait if it is one too many."""
        if self._per_minute is None:
            return None
        window = self._windows.get(address)
        if window is None or now_s - window[0] >= _WINDOW_S:
            if window is None and len(self._windows) >= _MOST:
                self._forget(now_s)
            self._windows[address] = [now_s, 1]
            return None
        if window[1] >= self._per_minute:
            return max(1, math.ceil(window[0] + _WINDOW_S - now_s))
        window[1] += 1
        return None

    def put_back(self, address: str) -> None:
        """Uncount a call that was refused for another reason."""
        if address in self._windows:
            self._windows[address][1] -= 1

    def _forget(self, now_s: float) -> None:
        live = {a: w for a, w in self._windows.items() if now_s - w[0] < _WINDOW_S}
        self._windows = live if len(live) < _MOST else {}
