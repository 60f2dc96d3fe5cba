"""Times and time zones in requests and responses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError

__all__ = ["ISO_8601", "instant", "local_time", "uniform_times", "utc_text"]

ISO_8601 = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?"
    r"(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?"
)
"""Regular expression for an ISO 8601 date and time, with or without an offset."""

_TIME = re.compile(ISO_8601)

_SECONDS_LENGTH = len("2026-01-05T08:00:00")
_LOCAL_TIMES = re.compile(r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})*")
_MOST_ENDINGS = 4
_YEAR_1_S = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())


def local_time(text: str, zone: ZoneInfo | None, field: str) -> datetime:
    """Parse an ISO 8601 date and time, and return it in the user's local time."""
    match = _TIME.fullmatch(text)
    try:
        if match is None:
            raise ValueError(text)
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            if zone is None:
                problem = "must end in Z or an offset such as -05:00 if no time zone is given"
                raise InputError(field, problem, text)
            return time.replace(tzinfo=zone)
        return time if zone is None else time.astimezone(zone)
    except (OverflowError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        form = "an ISO 8601 date and time" if match is None else "a date and time that exists"
        problem = f"must be {form}, such as 2026-01-05T08:00:00-05:00"
        raise InputError(field, problem, text[:60]) from None


def uniform_times(texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Parse times in whole seconds, about ten times as fast as `local_time`."""
    local = [text[:_SECONDS_LENGTH] for text in texts]
    endings = [text[_SECONDS_LENGTH:] for text in texts]
    offsets_s: dict[str, float] = {}
    for ending in set(endings):
        example = f"2000-01-01T00:00:00{ending}"
        if len(offsets_s) == _MOST_ENDINGS or not _TIME.fullmatch(example):
            return None
        time = datetime.fromisoformat(example)
        offset = time.utcoffset()
        if offset is None or time.microsecond:
            return None
        offsets_s[ending] = offset.total_seconds()
    joined = "".join(local)
    if len(joined) != _SECONDS_LENGTH * len(texts) or not _LOCAL_TIMES.fullmatch(joined):
        return None
    try:
        local_s = np.array(local, dtype="datetime64[s]").astype(np.int64)
    except ValueError:  # Such as 30 February.
        return None
    if local_s.min(initial=0) < _YEAR_1_S:
        return None
    utc_offset_s = np.array([offsets_s[ending] for ending in endings], dtype=np.float64)
    return local_s - utc_offset_s, utc_offset_s


def instant(text: str, field: str) -> datetime:
    """Parse an ISO 8601 time with ``Z`` or an offset, and return it in UTC."""
    try:
        return local_time(text, None, field).astimezone(UTC)
    except OverflowError:
        raise InputError(
            field, "must be in the years 1 to 9999 after conversion to UTC", text
        ) from None


def utc_text(moment: datetime) -> str:
    """Format a time in UTC with milliseconds."""
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
