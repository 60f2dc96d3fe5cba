"""Masses and volumes in meal texts: "50 g", "8 fl oz", "330 ml each"."""

from __future__ import annotations

import re

from postmeal.words.quantities import Quantity, masses_and_volumes

NUMBER = r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)"
"""A number in digits, as a regular expression."""

_EACH = re.compile(r"\b(?:each(?: one)?|apiece|per piece)\b")
_EACH_AT_THE_START = re.compile(rf"\W*{_EACH.pattern}\W*")
_EACH_AT_THE_END = re.compile(rf"{_EACH.pattern}[\s.!)\]]*$")
_LONGEST_ENDING = 30  # characters, of "per piece" and the punctuation after it


def quantity(text: str) -> Quantity | None:
    """Return the first mass in a text, or its first volume if it contains no mass."""
    found = masses_and_volumes(text)
    return next((one for one in found if one.mass_g is not None), found[0] if found else None)


def masses(text: str) -> list[Quantity]:
    """Return all masses in a text."""
    return [one for one in masses_and_volumes(text) if one.mass_g is not None]


def contains_each(text: str) -> bool:
    """Return whether a text contains "each" or a synonym: its amount is that of one piece."""
    return _EACH.search(text) is not None


def ends_with_each(text: str) -> bool:
    """Return whether a text ends with "each" or a synonym."""
    return _EACH_AT_THE_END.search(text[-_LONGEST_ENDING:]) is not None


def begins_with_each(text: str) -> str | None:
    """Return the rest of a text that begins with "each" or a synonym, otherwise None."""
    match = _EACH_AT_THE_START.match(text)
    return text[match.end() :] if match else None
