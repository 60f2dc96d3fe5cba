"""Logs: what the service says of itself, one line of JSON each, on standard output."""

from __future__ import annotations

import logging
import os
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import structlog
from pydantic_core import to_json
from structlog.typing import EventDict, FilteringBoundLogger

__all__ = ["frames", "log_records", "request_log"]


def request_log(level: str) -> FilteringBoundLogger:
    """Answer what requests are logged with.

    Parameters
    ----------
    level : str
        The least level that is written; requests are of level ``info``.
    """
    least = logging.getLevelNamesMapping()[level.upper()]
    log: FilteringBoundLogger = structlog.wrap_logger(
        structlog.BytesLogger(_StandardOutput()),  # type: ignore[arg-type]
        processors=[_line],
        wrapper_class=structlog.make_filtering_bound_logger(least),
    ).bind()
    return log


def log_records(level: str) -> None:
    """Write the records of every module, of the server beneath too, as lines of the same form.

    Parameters
    ----------
    level : str
        The least level that is written.
    """
    logging.basicConfig(level=level.upper(), handlers=[_Records(request_log(level))], force=True)


def frames(error: BaseException) -> str:
    """Answer where an error arose, without its message, which may hold what was sent."""
    return "".join(traceback.format_tb(error.__traceback__))


class _StandardOutput:
    """Standard output without a buffer; a log that nobody takes stops no answer."""

    def write(self, line: bytes) -> None:
        with suppress(OSError):
            os.write(1, line)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""


class _Records(logging.Handler):
    def __init__(self, log: FilteringBoundLogger) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        more = {"logger": record.name}
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            more |= {"error": type(error).__name__, "frames": frames(error)}
        self._log.log(record.levelno, record.getMessage(), **more)


def _line(_: Any, level: str, event: EventDict) -> bytes:
    return to_json(
        {"time": datetime.now(UTC), "level": level, "event": event.pop("event"), **event}
    )
