"""Parse dates in records, which may be missing, wrong or damaged."""

from __future__ import annotations

from datetime import date

__all__ = ["complete_date", "stated_year"]


def stated_year(text: str) -> int | None:
    """Parse a year from 1000 to 2999; return None for other texts."""
    is_year = len(text) == 4 and text.isascii() and text.isdigit() and text[0] in "12"
    return int(text) if is_year else None


def complete_date(year: str, month: str, day: str) -> date | None:
    """Return a date if year, month and day are digits and valid; otherwise return None."""
    known = stated_year(year)
    if known is None:
        return None
    try:
        return date(known, int(month), int(day))
    except (ValueError, OverflowError):
        return None
