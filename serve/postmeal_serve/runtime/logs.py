"""Logs: one JSON object per line, on standard output.

In an event loop, lines below the level ``warning`` are written together, at most 50 ms later,
because a system call per line costs more than the line. If a process is killed, the lines of the
last 50 ms before it was killed or stopped responding are lost. At a regular exit, no line is lost.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import select
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from threading import RLock
from typing import Any

from pydantic_core import to_json

__all__ = ["WRITTEN_WITHIN_S", "Log", "frames", "log_records", "write_pending_lines"]

WRITTEN_WITHIN_S = 0.05
"""Maximum time in seconds that an event loop that is not blocked leaves a line unwritten."""

_LEVELS = {level: logging.getLevelName(level).lower() for level in (10, 20, 30, 40, 50)}


class _Lines:
    """Lines of this process that are not yet written, in their order."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._pending = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def add(self, line: bytes, level: int) -> None:
        """Write a line with those before it: soon if the level is low and a loop runs, or now.

        A single write has at most `select.PIPE_BUF` bytes unless a line is longer, so that lines of
        several processes are never mixed in a pipe.
        """
        with self._lock:
            if len(self._pending) + len(line) > select.PIPE_BUF:
                self.write()
            self._pending += line
            loop = asyncio._get_running_loop() if level < logging.WARNING else None
            if loop is None:
                self.write()
            elif self._timer is None or self._loop is not loop:
                self._loop = loop
                self._timer = loop.call_later(WRITTEN_WITHIN_S, self.write_on_time)

    def write_on_time(self) -> None:
        """Write all lines; the next line starts a new timer."""
        self._timer = None
        self.write()

    def write(self) -> None:
        """Write all lines. If writing fails, they are dropped."""
        with self._lock:
            lines, self._pending = self._pending, bytearray()
            if not lines:
                return
            try:
                os.write(1, lines)
            except OSError:
                return


_lines = _Lines()
os.register_at_fork(before=_lines.write, after_in_child=_lines.__init__)  # type: ignore[misc]


@atexit.register
def write_pending_lines() -> None:
    """Write the lines that wait for the next write."""
    _lines.write()


class Log:
    """A log of JSON lines on standard output.

    Lines are written without a logging library. A line takes 3 µs of CPU time.
    """

    def __init__(self, level: str) -> None:
        self._threshold = logging.getLevelNamesMapping()[level.upper()]

    def write(self, level: int, event: str, fields: Mapping[str, Any]) -> None:
        """Write a line with the event and its fields, within `WRITTEN_WITHIN_S` seconds."""
        if level < self._threshold:
            return
        name = _LEVELS[level]
        line = to_json({"time": datetime.now(UTC), "level": name, "event": event, **fields})
        _lines.add(line + b"\n", level)


def log_records(level: str) -> None:
    """Write the log records of all modules as JSON lines, including those of uvicorn."""
    logging.basicConfig(level=level.upper(), handlers=[_Records(Log(level))], force=True)


def frames(error: BaseException) -> str:
    """Format the traceback of an error without its message, which may contain client data."""
    return "".join(traceback.format_tb(error.__traceback__))


class _Records(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        more: dict[str, Any] = {"logger": record.name}
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            more |= {"error": type(error).__name__, "frames": frames(error)}
        self._log.write(record.levelno, record.getMessage(), more)
