"""The rows of a text, with their line numbers, and the numbers in their fields."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

__all__ = ["first_lines", "number", "rows", "separator"]

_SEPARATORS = ",;\t"
_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?", re.ASCII)
_LONGEST_FIELD_LINES = 20


def first_lines(text: str, most: int = 10) -> list[str]:
    """Return the first lines that are not blank."""
    lines = (line for line in _LINE_END.split(text[:20_000]) if line.strip())
    return [line for line, _ in zip(lines, range(most), strict=False)]


def separator(header: str) -> str:
    """Return the separator of a header: a comma, a semicolon or a tab."""
    return max(_SEPARATORS, key=header.count)


def rows(text: str, separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """Split a text into rows of stripped fields, blank lines left out.

    A quoted field may run over several lines. If a quote is never closed, only its line is lost.

    Parameters
    ----------
    text : str
        The file.
    separator : str
        Separator of fields.

    Yields
    ------
    line : int
        Number of the row's first line, from 1.
    fields : list of str or None
        The fields; None if a quote is not closed.
    """
    lines = _LINE_END.split(text)
    at = 0
    while at < len(lines):
        fields, taken = _row(lines, at, separator)
        if fields is None or any(fields):
            yield at + 1, fields
        at += taken


def number(field: str) -> float | None:
    """Parse a number with a decimal point or comma; return None for other text.

    Examples
    --------
    >>> number("5,8"), number("112"), number("Low"), number("1e3")
    (5.8, 112.0, None, None)
    """
    return float(field.replace(",", ".")) if _NUMBER.fullmatch(field) else None


def _row(lines: list[str], at: int, separator: str) -> tuple[list[str] | None, int]:
    """Read the row that begins at a line; return its fields and number of lines."""
    if '"' not in lines[at]:
        return [field.strip() for field in lines[at].split(separator)], 1
    for taken in range(1, _LONGEST_FIELD_LINES + 1):
        joined = [f"{line}\n" for line in lines[at : at + taken]]
        try:
            fields = next(csv.reader(joined, delimiter=separator, strict=True))
        except csv.Error as error:
            if "unexpected end of data" not in str(error) or at + taken >= len(lines):
                break
        else:
            if taken > 1 and sum(line.count(separator) for line in joined) >= 2 * len(fields):
                break  # the closing quote belongs to another row
            return [field.strip() for field in fields], taken
    return None, 1
