"""Types of numeric arguments for argparse, with readable errors."""

from __future__ import annotations

import argparse
from collections.abc import Callable

__all__ = ["number", "whole_number"]


def whole_number(*, least: int, hint: str = "") -> Callable[[str], int]:
    """Return a type for `argparse` that accepts whole numbers from `least`.

    Examples
    --------
    >>> whole_number(least=1)("12")
    12
    >>> whole_number(least=1)("abc")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: must be a whole number of 1 or more, got 'abc'
    """

    def parsed(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or value < least:
            advice = f"; {hint}" if hint else ""
            raise argparse.ArgumentTypeError(
                f"must be a whole number of {least} or more, got {text!r}{advice}"
            )
        return value

    return parsed


def number(text: str) -> float:
    """Parse a number, as a type for `argparse`.

    Examples
    --------
    >>> number("37.5")
    37.5
    >>> number("old")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: must be a number, got 'old'
    """
    try:
        return float(text)
    except ValueError:
        message = f"must be a number, got {text!r}"
        raise argparse.ArgumentTypeError(message) from None
