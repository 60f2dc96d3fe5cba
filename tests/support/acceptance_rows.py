"""Row numbers of the acceptance table as written in docstrings and reports.

A test covers the rows that its docstring names, as in "Row 284: …" or "S6, rows 271, 272–274 and
280: …", and the decisions and extensions that it names, as in "D73 and X14: …".
"""

import re
from collections.abc import Iterable

_SPAN = r"\d{1,3}(?:[-–]\d{1,3})?"
# A following number must stand alone: the 5 in "Row 9, 5 MiB" is not a row.
_NEXT = rf"(?:,?\s+and\s+|,\s+)(?:row\s+)?{_SPAN}(?=[,.:;)]|\s+and\b|\Z)"
_DECISION = re.compile(r"\b[DX]\d{1,2}\b")
# "Row 3 of a file" is not a row of the table.
_ROWS = re.compile(rf"\brows?\s+({_SPAN}\b(?:{_NEXT})*)(?!\s+of\b)", re.IGNORECASE)


def rows_in(text: str) -> list[int]:
    """Return the rows that a docstring names, in the same order."""
    return [row for match in _ROWS.finditer(text) for row in rows_of(match[1])]


def decisions_in(text: str) -> list[str]:
    """Return the decisions and extensions that a text names, in the same order."""
    return list(dict.fromkeys(_DECISION.findall(text)))


def rows_of(text: str) -> list[int]:
    """Parse a list of rows such as ``1-3, 7``."""
    found: list[int] = []
    for span in re.findall(_SPAN, text):
        first, *last = re.split("[-–]", span)
        found += range(int(first), int(last[0] if last else first) + 1)
    return found


def spans(rows: Iterable[int]) -> str:
    """Format rows as text, such as "rows 1–3, 7"."""
    runs: list[list[int]] = []
    for row in sorted(rows):
        if runs and row == runs[-1][1] + 1:
            runs[-1][1] = row
        else:
            runs.append([row, row])
    texts = [str(first) if first == last else f"{first}–{last}" for first, last in runs]
    return f"row{'' if texts[0].isdecimal() and len(texts) == 1 else 's'} {', '.join(texts)}"
