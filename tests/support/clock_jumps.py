"""Jumps of the wall clock, and the clocks of processes that start."""

import logging
from datetime import timedelta

import pytest
from api_client import VirtualClock

from serve.runtime.clock_synchronization import join
from serve.storage.database import Database

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
JUMPS = [sign * each for each in (MINUTE, HOUR, 3 * HOUR, 25 * HOUR) for sign in (1, -1)]
TRIED = [
    pytest.param(each, marks=[] if abs(each) == 3 * HOUR else pytest.mark.reliability)
    for each in JUMPS
]
"""The usual tests try three hours, `make reliability` all of them."""

TRIED_AT_LENGTH = [
    pytest.param(each, marks=[] if abs(each) == 3 * HOUR else pytest.mark.soak) for each in JUMPS
]
"""`make reliability` tries three hours, `make soak` all of them."""


def started(database: Database, clock: VirtualClock) -> VirtualClock:
    """The clock of a process that has started."""
    join(database, clock)
    return clock


def jumps(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The messages of jumps, which are warnings."""
    messages = [each for each in caplog.records if "jumped" in each.getMessage()]
    assert all(each.levelno == logging.WARNING for each in messages)
    return [each.getMessage() for each in messages]
