"""Clock of the service: wall time for dates that people read, monotonic time for durations."""

from __future__ import annotations

import logging
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import NamedTuple

__all__ = ["JUMP", "LONGEST_FREEZE", "SKEW", "Clock"]

JUMP = timedelta(seconds=2)
"""Deviation of the wall clock from the elapsed time above which a clock jump is logged."""

LONGEST_FREEZE = timedelta(hours=2)
"""Longest backward step of the wall clock that `Clock.latest` compensates for."""

SKEW = timedelta(minutes=1)
"""Maximum difference between the monotonic times of two machines; a stored time beyond it is
invalid."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_LONGEST_READING_S = 0.5
_ELAPSED = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

_log = logging.getLogger(__name__)


class _Step(NamedTuple):
    """A backward step of the wall clock: the time of its detection, and the wall time before it."""

    at: datetime
    before: datetime


class Clock:
    """Source of wall time and monotonic time for the whole service.

    Wall time comes from the machine's clock, which can jump. It is used for times that people read:
    months, days and `expires_at`. Monotonic time (`steady`) advances only with elapsed time. After
    `postmeal_serve.runtime.clock_synchronization.synchronize`, it is the same in all processes of
    an installation, even after restarts. It has an arbitrary offset from wall time.
    """

    def __init__(self) -> None:
        self.boot = _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else str(uuid.uuid4())
        self._wall_zero_at: datetime | None = None
        self._zero_at: datetime | None = None
        self._steps: list[_Step] = []
        self._lock = Lock()

    def now(self) -> datetime:
        """Return the wall time in UTC; log a jump of the clock since the last call."""
        before_s = self.monotonic_s()
        wall = self.wall()
        elapsed_s = self.monotonic_s()
        if elapsed_s - before_s < _LONGEST_READING_S:  # Otherwise, the process was paused.
            zero_at = wall - timedelta(seconds=elapsed_s)
            if self._wall_zero_at is None or abs(zero_at - self._wall_zero_at) > JUMP:
                self._record_jump(zero_at, elapsed_s)
        return wall

    def steady(self) -> datetime:
        """Return the monotonic time in UTC."""
        if self._zero_at is None:
            self._zero_at = self.wall() - timedelta(seconds=self.monotonic_s())
        return self._zero_at + timedelta(seconds=self.monotonic_s())

    def latest(self, since: datetime) -> datetime:
        """Return the latest wall time that the clock has shown since a given time.

        After a backward step of at most `LONGEST_FREEZE`, this is the time before the step, until
        the clock has passed it again.
        """
        wall = self.now()
        if not self._steps:
            return wall
        return max([wall, *(step.before for step in self._steps if since < step.at)])

    @property
    def wall_zero_at(self) -> datetime:
        """The wall time at which `monotonic_s` was 0, according to the current wall clock."""
        wall = self.now()
        return self._wall_zero_at or wall - timedelta(seconds=self.monotonic_s())

    def synchronize(self, zero_at: datetime, wall_zero_at: datetime | None = None) -> None:
        """Set the monotonic time of this clock to that of the installation."""
        self._zero_at = zero_at
        if self._wall_zero_at is None:
            self._wall_zero_at = wall_zero_at
            self.now()

    def wall(self) -> datetime:
        """Return the time of the machine's clock in UTC."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """Return the seconds since the machine booted, including the time in sleep mode."""
        return time.clock_gettime(_ELAPSED)

    def _record_jump(self, zero_at: datetime, elapsed_s: float) -> None:
        with self._lock:
            previous = self._wall_zero_at
            if previous is not None and abs(zero_at - previous) <= JUMP:
                return  # Another thread has recorded this jump.
            self._wall_zero_at = zero_at
            if previous is None:
                return
            steady = self.steady()
            recent = [step for step in self._steps if steady - step.at < LONGEST_FREEZE]
            if -LONGEST_FREEZE <= zero_at - previous < timedelta(0):
                recent.append(_Step(steady, previous + timedelta(seconds=elapsed_s)))
            self._steps = recent
        jump_s = (zero_at - previous).total_seconds()
        _log.warning("system clock jumped by %+.1f s", jump_s)
