"""Conversion of the numbers in a text to a format with decimal points."""

from __future__ import annotations

import re

__all__ = ["with_decimals"]

_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
_BARE_DECIMAL = re.compile(r"(?<![^\s(])(?=\.\d)")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d.,])")


def with_decimals(text: str) -> str:
    """Write the numbers in a plain text with decimal points and without thousands separators.

    Examples
    --------
    >>> with_decimals("1,200 g of rice, .5 cup of milk, 0,75 l of cola")
    '1200 g of rice, 0.5 cup of milk, 0.75 l of cola'
    """
    text = _THOUSANDS.sub(lambda match: match.group().replace(",", ""), text)
    return _BARE_DECIMAL.sub("0", _DECIMAL_COMMA.sub(r"\1.\2", text))
