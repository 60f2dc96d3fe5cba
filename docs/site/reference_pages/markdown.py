"""Markdown elements of the generated pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["code", "fenced", "json_block", "paragraph", "table"]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table.

    Examples
    --------
    >>> print(table(["a", "b"], [["1", "x|y"]]))
    | a | b |
    | --- | --- |
    | 1 | x\\|y |
    """
    lines = [heads, ["---"] * len(heads), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: object) -> str:
    """Return text as inline code; an empty text is returned unchanged."""
    return f"`{text}`" if f"{text}" else ""


def fenced(language: str, text: str, title: str = "") -> str:
    """Return a fenced code block, with a title if one is given."""
    name = f'{language} title="{title}"' if title else language
    return f"```{name}\n{text.rstrip()}\n```"


def json_block(value: Any, title: str = "") -> str:
    """Return a value as a JSON code block."""
    return fenced("json", json.dumps(value, indent=2, ensure_ascii=False), title)


def paragraph(text: str) -> str:
    """Join the lines of a docstring paragraph, and convert its literals to Markdown."""
    return re.sub(r"``([^`]*)``", r"`\1`", " ".join(text.split()))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
