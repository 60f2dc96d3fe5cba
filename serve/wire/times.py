"""Times and time zones in requests and responses."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from postmeal.errors import InputError

__all__ = ["ISO_8601", "instant", "local_time", "utc_text"]

ISO_8601 = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?"
    r"(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?"
)
"""Regular expression for an ISO 8601 date and time, with or without an offset."""

_TIME = re.compile(ISO_8601)


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
