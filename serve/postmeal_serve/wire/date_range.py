"""Date ranges in requests, and the times that they include."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any

from postmeal.errors import InputError
from postmeal_serve.wire.parameters import Parameter

__all__ = ["Day", "Days"]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_LAST_MS = time(23, 59, 59, 999_000)


@dataclass(frozen=True, kw_only=True)
class Day(Parameter):
    """A calendar date such as ``2026-01-05``."""

    required: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        return {"type": "string", "format": "date", "pattern": f"^{_DAY.pattern}$"}

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        return "must be a date in the form YYYY-MM-DD, such as 2026-01-05"

    def read(self, values: Mapping[str, str]) -> date:
        """Return the date that was sent."""
        text = self.present(values) or ""
        try:
            if not _DAY.fullmatch(text):
                raise ValueError(text)
            return date.fromisoformat(text)
        except ValueError:
            raise InputError(self.name, self.accepts, text[:60]) from None


@dataclass(frozen=True)
class Days:
    """An inclusive range of calendar days in a time zone."""

    start: date
    end: date
    zone: tzinfo

    def __post_init__(self) -> None:
        if self.start > self.end:
            problem = f"must not be after end ({self.end})"
            raise InputError("start", problem, self.start.isoformat())

    def span(self) -> tuple[datetime, datetime]:
        """Return the earliest and the latest time of these days in UTC, to the millisecond."""
        return min(self._moments(self.start, time.min)), max(self._moments(self.end, _LAST_MS))

    def __contains__(self, moment: datetime) -> bool:
        """Return whether a time between the two ends of `span` belongs to these days.

        If clocks are set back across midnight, a day ends and begins again an hour later. The time
        in between belongs to the next day.
        """
        if self.zone is UTC:
            return True
        return self.start <= _to_zone(moment, self.zone).date() <= self.end

    def _moments(self, day: date, wall: time) -> list[datetime]:
        """Return both UTC times that a local time can mean; they differ near clock changes."""
        folds = (datetime.combine(day, wall.replace(fold=fold), self.zone) for fold in (0, 1))
        return [_to_zone(moment, UTC) for moment in folds]


def _to_zone(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return moment.astimezone(zone)
    except OverflowError:  # The time is outside the range of `datetime`.
        edge = datetime.min if moment.year == 1 else datetime.max
        return edge.replace(tzinfo=zone)
