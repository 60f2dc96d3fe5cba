"""Figures in files: what can be an amount, and what can be a number of something."""

from __future__ import annotations

import math

__all__ = ["amount", "whole_number"]

_MOST = 2**53  # beyond it, a floating-point number no longer tells whole numbers apart


def amount(text: str) -> float | None:
    """Read a finite number.

    Parameters
    ----------
    text : str
        What the file says.

    Returns
    -------
    float or None
        None when it is empty, no number, or not finite.

    Examples
    --------
    >>> amount("1.5"), amount("2e3"), amount("1_000"), amount("nan"), amount("1e999")
    (1.5, 2000.0, None, None, None)
    """
    if not text or "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def whole_number(text: str) -> int:
    """Read an id, a revision or a time: 0 where it is no whole number, or more than any of them.

    Examples
    --------
    >>> [whole_number(text) for text in ("2117388", "1.7e9", "-4", "2.5", "9" * 20)]
    [2117388, 1700000000, 0, 0, 0]
    """
    number = amount(text) or 0.0
    return int(number) if 0 <= number < _MOST and number.is_integer() else 0
