"""Limit on failed authentications per network, which protects against floods of unknown keys."""

from __future__ import annotations

import asyncio

from postmeal_serve.accounting.minutes import Minutes
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.wire.errors import Refusal

__all__ = ["Failures"]


_TOLD_PER_S = 20
_UNKNOWN = "unknown"


class Failures:
    """Limit on failed authentications, counted per network.

    A network is an IPv4 address or an IPv6 /64 network (see `postmeal_serve.accounting.ip_limits`).
    """

    def __init__(self, minutes: Minutes, clock: Clock, per_minute: int | None) -> None:
        self._minutes = minutes
        self._clock = clock
        self._per_minute = per_minute

    def are_many(self, network: str) -> bool:
        """Return whether more authentications from a network have failed than the limit allows.

        Credentials that have expired or were revoked count as well.
        """
        return self._wait_s(f"failures {network}") > 0

    async def count(self, network: str, state: str) -> None:
        """Count a failed authentication from a network; refuse an unknown credential in a flood."""
        if self._per_minute is None:
            return
        now_s = self._clock.monotonic_s()
        self._minutes.count(f"failures {network}", now_s)
        if state != _UNKNOWN:
            return
        name = f"unknown {network}"
        wait_s = self._wait_s(name)
        if not wait_s:
            self._minutes.count(name, now_s)
            return
        in_second = f"{name} {int(now_s)}"
        if not self._minutes.wait_s(in_second, _TOLD_PER_S, now_s):
            self._minutes.count(in_second, now_s)
            return
        message = (
            f"too many failed authentications from one IP address; retry after {wait_s} seconds"
        )
        await asyncio.sleep(self._minutes.refused_after_s)
        raise Refusal("rate_limited", message, headers={"Retry-After": str(wait_s)})

    def _wait_s(self, name: str) -> int:
        """Return the seconds until the limit admits a name again; 0 if it is not reached."""
        if self._per_minute is None:
            return 0
        return self._minutes.wait_s(name, self._per_minute, self._clock.monotonic_s())
