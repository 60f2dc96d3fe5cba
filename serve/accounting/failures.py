"""Limit on failed authentications per network, which protects against floods of unknown keys."""

from __future__ import annotations

import asyncio

from serve.accounting.minutes import Minutes
from serve.runtime.clock import Clock
from serve.wire.errors import Refusal

__all__ = ["Failures"]


class Failures:
    """Limit on failed authentications, counted per network.

    A network is an IPv4 address or an IPv6 /64 network (see `serve.accounting.ip_limits`).

    Parameters
    ----------
    minutes : Minutes
        Counters of failed authentications.
    clock : Clock
        Source of the current time.
    per_minute : int or None
        Maximum number of failures per minute and network. Above this limit, credentials from the
        network are no longer looked up. None for no limit.
    """

    def __init__(self, minutes: Minutes, clock: Clock, per_minute: int | None) -> None:
        self._minutes = minutes
        self._clock = clock
        self._per_minute = per_minute

    async def check(self, network: str) -> None:
        """Raise an error if too many authentications from a network have failed in the last minute.

        Raises
        ------
        Refusal
            The limit is reached (``rate_limited``, with ``Retry-After``).
        """
        if self._per_minute is None:
            return
        now_s = self._clock.monotonic_s()
        wait_s = self._minutes.wait_s(_name(network), self._per_minute, now_s)
        if wait_s:
            message = (
                f"too many failed authentications from one IP address; retry after {wait_s} seconds"
            )
            await asyncio.sleep(self._minutes.refused_after_s)
            raise Refusal("rate_limited", message, headers={"Retry-After": str(wait_s)})

    def count(self, network: str) -> None:
        """Count a failed authentication from a network."""
        if self._per_minute is not None:
            self._minutes.count(_name(network), self._clock.monotonic_s())


def _name(network: str) -> str:
    return f"failures {network}"
