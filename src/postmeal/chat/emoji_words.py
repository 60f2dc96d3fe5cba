"""Emoji of foods in words, and foods that are crossed out by a symbol.

A cross or a prohibition sign next to a food means that the person does not want or tolerate it. In
words, "🥜❌" and "🚫 peanuts" are "without peanuts".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from postmeal.foods.emoji import EMOJI, with_emoji_named

__all__ = ["Worded", "worded"]

_CROSS = "[❌❎✖✗✘🚫⛔🙅]\ufe0f?"
_FOOD = rf"(?:{'|'.join(EMOJI)})\ufe0f?"
_SAID = re.compile(
    rf"{_CROSS} *(?P<behind>{_FOOD}(?:[ ,]*{_FOOD})*|[a-z]+)"
    rf"|(?P<before>{_FOOD}(?:[ ,]*{_FOOD})*|[a-z]+) *{_CROSS}"
    rf"|{_FOOD}"
)


class Worded(NamedTuple):
    """A text with its emoji in words.

    Attributes
    ----------
    text : str
        The text.
    places : tuple of (int, int)
        For each character, the start and the end of the characters of the original text that it
        replaces.
    """

    text: str
    places: tuple[tuple[int, int], ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the position of a part of this text in the original text."""
        return self.places[start][0], self.places[end - 1][1]


def worded(text: str) -> Worded:
    """Replace the emoji of foods in a plain text by words, and crosses by "without".

    Examples
    --------
    >>> worded("❌🥜 rice").text
    ' without peanuts.  rice'
    """
    found: list[str] = []
    places: list[tuple[int, int]] = []
    last = 0
    for match in _SAID.finditer(text) if not text.isascii() else ():
        found.append(text[last : match.start()])
        places += [(place, place + 1) for place in range(last, match.start())]
        named = _in_words(match)
        found.append(named)
        places += [match.span()] * len(named)
        last = match.end()
    found.append(text[last:])
    places += [(place, place + 1) for place in range(last, len(text))]
    return Worded("".join(found), tuple(places))


def _in_words(match: re.Match[str]) -> str:
    crossed = match["behind"] or match["before"]
    if not crossed:
        return with_emoji_named(match.group())
    names = re.sub(r"[ ,]{2,}", ", ", with_emoji_named(crossed)).strip(" ,\ufe0f")
    return f" without {names}. "
