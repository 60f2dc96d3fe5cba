"""Emoji of foods in words, and foods that are crossed out by a symbol.

A cross or a prohibition sign next to a food means that the person does not want or tolerate it. In
words, "🥜❌" and "🚫 peanuts" are "without peanuts".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from postmeal.foods.emoji import EMOJI, with_emoji_named

_CROSS = "[❌❎✖✗✘🚫⛔🙅]\ufe0f?"
_FOOD = rf"(?:{'|'.join(EMOJI)})\ufe0f?"
_FOODS = rf"{_FOOD}(?:[ ,]*+{_FOOD})*+"
_SAID = re.compile(
    rf"{_CROSS} *+(?P<behind>{_FOODS}|[a-z]+)"
    rf"|(?P<before>{_FOODS}|(?<![a-z])[a-z]++) *+{_CROSS}"
    rf"|{_FOODS}"
)
_REPEATED_FOOD = re.compile(rf"({_FOOD})\1*+")


class Worded(NamedTuple):
    """A text with its emoji in words."""

    text: str
    places: tuple[tuple[int, int], ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the position of a part of this text in the original text."""
        return self.places[start][0], self.places[end - 1][1]


def worded(text: str) -> Worded:
    """Replace the emoji of foods in a plain text by words, and crosses by "without".

    An emoji that is repeated in a row of emoji is named once.
    """
    found: list[str] = []
    places: list[tuple[int, int]] = []
    last = 0
    for (start, end), named in _named(text) if not text.isascii() else ():
        found.append(text[last:start])
        places += [(place, place + 1) for place in range(last, start)]
        found.append(named)
        places += [(start, end)] * len(named)
        last = end
    found.append(text[last:])
    places += [(place, place + 1) for place in range(last, len(text))]
    return Worded("".join(found), tuple(places))


def _named(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the positions of emoji and of crossed-out foods, each with its words."""
    for match in _SAID.finditer(text):
        if crossed := match["behind"] or match["before"]:
            names = re.sub(r"[ ,]{2,}", ", ", with_emoji_named(crossed)).strip(" ,\ufe0f")
            yield match.span(), f" without {names}. "
        else:
            seen: set[str] = set()
            for food in _REPEATED_FOOD.finditer(text, *match.span()):
                yield food.span(), "" if food[1] in seen else with_emoji_named(food[1])
                seen.add(food[1])
