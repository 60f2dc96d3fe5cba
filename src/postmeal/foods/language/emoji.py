"""Convert food emoji in a text to words.

The words are the names of the characters in the Unicode standard, such as "red apple". A character
that Python's version of the standard does not name is kept.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["emoji_as_words"]

_TABLEWARE = "\U0001f374\U0001f37d\U0001f944\U0001f962"  # forks, plates, spoons and chopsticks
_FOOD = (
    "\U0001f32d-\U0001f32f\U0001f33d\U0001f345-\U0001f37c\U0001f37f\U0001f382\U0001f950-\U0001f96f"
    "\U0001f9c0-\U0001f9cb\U0001fad0-\U0001fadb"
)
_VARIANT = "\ufe0f"
_EMOJI = re.compile(rf"(?P<food>(?![{_TABLEWARE}])[{_FOOD}])(?:{_VARIANT}?(?P=food))*{_VARIANT}?")


def emoji_as_words(text: str) -> str:
    """Convert food emoji in a text to words, counting repeated emoji."""
    return _EMOJI.sub(_in_words, text) if not text.isascii() else text


def _in_words(match: re.Match[str]) -> str:
    count = match[0].count(match["food"])
    before = match.string[: match.start()].rstrip()[-1:]
    name = unicodedata.name(match["food"], match["food"]).casefold()
    joint = "," if _EMOJI.fullmatch(before) else ""
    counted = f"{count} {name}" if count > 1 else name
    return f"{joint} {counted}"
