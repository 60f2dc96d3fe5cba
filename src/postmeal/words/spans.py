"""Replace parts of a meal text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """A part of a text and its replacement."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with the given replacements applied."""
    parts: list[str] = []
    place = 0
    for edit in sorted(edits, key=lambda each: each.start):
        if edit.start < place:
            continue
        parts += [text[place : edit.start], edit.text]
        place = edit.end
    return "".join([*parts, text[place:]])
