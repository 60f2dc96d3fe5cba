"""Clock: the one place that asks what time it is."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

__all__ = ["LARGEST_STEP_BACK", "Clock"]

LARGEST_STEP_BACK = timedelta(hours=24)
"""A clock that is stepped back further was wrong before: what it wrote ahead counts no more."""


class Clock:
    """The time, for the whole service; a subclass may tell another.

    The time never runs backwards: when the machine's clock is stepped back, `now` stands still
    until it is caught up with, so that no window reopens and no token revives. A step of more than
    a day is a correction of a clock that was wrong, and is followed.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.now() <= clock.now()
    True
    """

    def __init__(self) -> None:
        self._latest = datetime.min.replace(tzinfo=UTC)

    def now(self) -> datetime:
        """Answer the time, aware, in UTC."""
        told = self.told()
        if told < self._latest <= told + LARGEST_STEP_BACK:
            return self._latest
        self._latest = told
        return told

    def told(self) -> datetime:
        """Answer what the machine's clock tells."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """Answer seconds since some moment; they cannot be stepped back."""
        return time.monotonic()
