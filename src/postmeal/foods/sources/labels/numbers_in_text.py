"""Parse amounts and whole numbers in the text of files."""

from __future__ import annotations

import math

_MAX = 2**53  # floats represent all integers up to this value exactly


def amount(text: str) -> float | None:
    """Parse a finite number."""
    if not text or "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def whole_number(text: str) -> int:
    """Parse an ID, a revision or a time; return 0 unless it is a whole number of 0 or more."""
    number = amount(text) or 0.0
    return int(number) if 0 <= number < _MAX and number.is_integer() else 0
