"""Days: the calendar days that a request asks for, and the moments that belong to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any

from postmeal.errors import InputError
from serve.wire.parameters import Parameter

__all__ = ["Day", "Days"]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_LAST_MS = time(23, 59, 59, 999_000)


@dataclass(frozen=True, kw_only=True)
class Day(Parameter):
    """A calendar day, ``2026-01-05``."""

    required: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        return {"type": "string", "format": "date", "pattern": f"^{_DAY.pattern}$"}

    @property
    def accepts(self) -> str:
        """What it may be, as the rest of a sentence that starts with its name."""
        return "must be a day of the calendar as YYYY-MM-DD, such as 2026-01-05"

    def read(self, values: Mapping[str, str]) -> date:
        """Answer the day.

        Raises
        ------
        InputError
            It is missing, or no day of the calendar as YYYY-MM-DD.
        """
        text = self.present(values) or ""
        try:
            if not _DAY.fullmatch(text):
                raise ValueError(text)
            return date.fromisoformat(text)
        except ValueError:
            raise InputError(self.name, self.accepts, text[:60]) from None


@dataclass(frozen=True)
class Days:
    """The days from one to another, both included, as the clocks of a zone show them.

    Attributes
    ----------
    start, end : date
        The first and the last day.
    zone : tzinfo
        Whose clocks; where they are put forward or back, a day is shorter or longer.

    Raises
    ------
    InputError
        The first day is after the last.

    Examples
    --------
    >>> from zoneinfo import ZoneInfo
    >>> spring = Days(date(2026, 3, 8), date(2026, 3, 8), ZoneInfo("America/New_York"))
    >>> earliest, latest = spring.span()
    >>> latest - earliest
    datetime.timedelta(seconds=82799, microseconds=999000)
    """

    start: date
    end: date
    zone: tzinfo

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise InputError("start", "must not be after end", self.start.isoformat())

    def span(self) -> tuple[datetime, datetime]:
        """Answer two moments between which every moment of these days lies, to the millisecond."""
        return min(self._moments(self.start, time.min)), max(self._moments(self.end, _LAST_MS))

    def __contains__(self, moment: datetime) -> bool:
        """Tell whether a moment within the span is of these days.

        Where clocks are put back over midnight, a day comes, goes and comes again.
        """
        if self.zone is UTC:
            return True
        return self.start <= _on_clocks(moment, self.zone).date() <= self.end

    def _moments(self, day: date, wall: time) -> list[datetime]:
        """Answer when clocks show a time: twice or never where they are changed."""
        both = (datetime.combine(day, wall.replace(fold=fold), self.zone) for fold in (0, 1))
        return [_on_clocks(moment, UTC) for moment in both]


def _on_clocks(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return moment.astimezone(zone)
    except OverflowError:  # before the first or after the last day that there is
        edge = datetime.min if moment.year == 1 else datetime.max
        return edge.replace(tzinfo=zone)
