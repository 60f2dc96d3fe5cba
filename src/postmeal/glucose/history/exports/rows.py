"""Split texts into rows with line numbers, and parse numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

_SEPARATORS = ",;\t"
_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?", re.ASCII)
_MAX_FIELD_LINES = 20


def first_lines(text: str, most: int) -> list[str]:
    """Return up to `most` lines from the start of a text, ignoring blank lines."""
    lines = (line for line in _LINE_END.split(text[:20_000]) if line.strip())
    return [line for line, _ in zip(lines, range(most), strict=False)]


def separator(header: str) -> str:
    """Return the field separator of a header row: a comma, a semicolon or a tab."""
    return max(_SEPARATORS, key=header.count)


def rows(text: str, separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """Yield the line number and the stripped fields of each row that is not blank.

    Quoted fields can span several lines. If a quote is not closed, only its line is unreadable.
    """
    lines = _LINE_END.split(text)
    start = 0
    while start < len(lines):
        fields, n_lines = _row(lines, start, separator)
        if fields is None or any(fields):
            yield start + 1, fields
        start += n_lines


def number(field: str) -> float | None:
    """Parse a number with a decimal point or comma; return None for other text."""
    return float(field.replace(",", ".")) if _NUMBER.fullmatch(field) else None


def _row(lines: list[str], start: int, separator: str) -> tuple[list[str] | None, int]:
    """Return the fields of the row that starts at a line, and how many lines the row has."""
    if '"' not in lines[start]:
        return [field.strip() for field in lines[start].split(separator)], 1
    for n_lines in range(1, _MAX_FIELD_LINES + 1):
        joined = [f"{line}\n" for line in lines[start : start + n_lines]]
        try:
            fields = next(csv.reader(joined, delimiter=separator, strict=True))
        except csv.Error as error:
            if "unexpected end of data" not in str(error) or start + n_lines >= len(lines):
                break
        else:
            if n_lines > 1 and sum(line.count(separator) for line in joined) >= 2 * len(fields):
                break  # the closing quote belongs to another row
            return [field.strip() for field in fields], n_lines
    return None, 1
