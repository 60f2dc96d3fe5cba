"""Jumps of the wall clock, and the clocks of starting processes."""

import logging
from datetime import timedelta

import pytest
from api_client import VirtualClock

from postmeal_serve.runtime.clock_synchronization import join
from postmeal_serve.storage.database import Database

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
JUMPS = [sign * each for each in (MINUTE, HOUR, 3 * HOUR, 25 * HOUR) for sign in (1, -1)]
TRIED = [
    pytest.param(each, marks=[] if abs(each) == 3 * HOUR else pytest.mark.reliability)
    for each in JUMPS
]
"""Jumps for tests: the usual tests try three hours, `make reliability` tries all of them."""

TRIED_AT_LENGTH = [
    pytest.param(each, marks=[] if abs(each) == 3 * HOUR else pytest.mark.soak) for each in JUMPS
]
"""Jumps for long tests: `make reliability` tries three hours, `make soak` tries all of them."""


def started(database: Database, clock: VirtualClock) -> VirtualClock:
    """Return the clock of a process that has started."""
    join(database, clock)
    return clock


def jumps(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged messages about jumps, which must be warnings."""
    messages = [each for each in caplog.records if "jumped" in each.getMessage()]
    assert all(each.levelno == logging.WARNING for each in messages)
    return [each.getMessage() for each in messages]
