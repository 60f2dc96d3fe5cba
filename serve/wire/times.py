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
    """Parse an ISO 8601 date and time, and return it in the user's local time.

    Parameters
    ----------
    text : str
        Date and time; ``Z`` or an offset is required if `zone` is None.
    zone : ZoneInfo or None
        Time zone of the user; None to keep the offset in `text`.
    field : str
        Field name for error messages.

    Returns
    -------
    datetime
        The time in `zone`; if `zone` is None, with the offset in `text`.

    Raises
    ------
    InputError
        The text is not a valid time, or it has no offset and `zone` is None.

    Examples
    --------
    >>> local_time("2026-01-05T13:00:00Z", ZoneInfo("America/New_York"), "start_time").hour
    8
    >>> local_time("2026-01-05T13:00:00+02:00", None, "start_time").hour
    13
    """
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
    """Parse times in whole seconds, about ten times as fast as `local_time`.

    Parameters
    ----------
    texts : sequence of str
        Dates and times in ISO 8601.

    Returns
    -------
    tuple of ndarray, or None
        Seconds since 1970-01-01T00:00Z, and offsets from UTC in seconds; both of shape (n_times,).
        None if a time is invalid, is not in whole seconds or has no offset, or if there are more
        than four different endings, such as ``Z`` and ``+02:00``. Parse each time with `local_time`
        in this case.

    Examples
    --------
    >>> uniform_times(["1970-01-01T00:00:10Z", "1970-01-01T02:00:00+02:00"])
    (array([10.,  0.]), array([   0., 7200.]))
    >>> uniform_times(["1970-01-01"]) is None
    True
    """
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
    """Parse an ISO 8601 time with ``Z`` or an offset, and return it in UTC.

    Raises
    ------
    InputError
        The text is not a valid time, or has no offset.

    Examples
    --------
    >>> instant("2026-01-05T08:00:00.25-05:00", "timestamp_utc").isoformat()
    '2026-01-05T13:00:00.250000+00:00'
    """
    try:
        return local_time(text, None, field).astimezone(UTC)
    except OverflowError:
        raise InputError(
            field, "must be in the years 1 to 9999 after conversion to UTC", text
        ) from None


def utc_text(moment: datetime) -> str:
    """Format a time in UTC with milliseconds.

    Examples
    --------
    >>> utc_text(datetime(2026, 1, 5, 13, tzinfo=UTC))
    '2026-01-05T13:00:00.000Z'
    """
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
