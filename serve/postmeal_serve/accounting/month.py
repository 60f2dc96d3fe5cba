"""Accounting period: a calendar month in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from postmeal_serve.wire.times import utc_text

__all__ = ["Month"]


@dataclass(frozen=True, slots=True)
class Month:
    """A calendar month in UTC."""

    year: int
    number: int

    @classmethod
    def of(cls, moment: datetime) -> Month:
        """Return the month that contains a time."""
        utc = moment.astimezone(UTC)
        return _month(utc.year, utc.month)

    @property
    def name(self) -> str:
        """Year and month, such as ``2026-02``."""
        return f"{self.year:04}-{self.number:02}"

    @property
    def first_day(self) -> date:
        """The first day of the month."""
        return self.start.date()

    @property
    def last_day(self) -> date:
        """The last day of the month."""
        return self.end.date() - timedelta(days=1)

    @property
    def start(self) -> datetime:
        """The start of the month."""
        return datetime(self.year, self.number, 1, tzinfo=UTC)

    @property
    def end(self) -> datetime:
        """The start of the next month, which is the exclusive end of this month."""
        year, index = divmod(self.year * 12 + self.number, 12)
        return datetime(year, index + 1, 1, tzinfo=UTC)

    @property
    def resets_at(self) -> str:
        """The end of the month, at which monthly limits reset, as formatted in responses."""
        return utc_text(self.end)


@lru_cache(maxsize=64)
def _month(year: int, number: int) -> Month:
    return Month(year, number)
