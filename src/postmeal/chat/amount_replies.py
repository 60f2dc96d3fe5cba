"""Replies that state only an amount, such as "two cups" after "How much rice was it?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from postmeal.chat.history import Message
from postmeal.words.plain import amount_text
from postmeal.words.quantities import Reader

_AROUND = frozenset((
    "it", "was", "that", "i", "had", "ate", "just", "about", "around", "maybe", "roughly",
    "probably", "say", "think", "guess", "or", "so", "please", "total", "in", ",", ".", "!",
))  # fmt: skip
"""Words and signs that may stand before and after an amount."""
_SIZES = frozenset(("small", "medium", "large", "big"))
_ASKED = re.compile(
    r"\bhow (?:much|many) (?:\w+ of )?(?:of )?(?:the |your )?(?P<food>[a-z][a-z' -]{1,40}?)"
    r"(?: (?:was|were|is|are|did|do|have|had|would|will)\b|,|\?)[^?]*\??\s*$",
    re.IGNORECASE,
)
_LONGEST_QUESTION = 200  # characters; limits the work on very long messages
_NO_FOOD = frozenset(("it", "that", "this", "them", "those", "each", "you", "time", "more"))


def with_foods_of_replies(messages: Sequence[Message]) -> list[Message]:
    """Add the food to each reply of the user that states only the amount that was asked for."""
    found = list(messages)
    for place in range(1, len(found)):
        before, message = found[place - 1], found[place]
        if message.role != "user" or before.role != "assistant":
            continue
        amount = _amount_alone(message.content)
        asked = _ASKED.search(before.content[-_LONGEST_QUESTION:])
        if amount and asked and asked["food"].lower() not in _NO_FOOD:
            text = f"{amount_text(amount)} of {asked['food'].lower()}"
            found[place] = replace(message, content=text)
    return found


def _amount_alone(text: str) -> str:
    """Return the amount in a plain text that contains nothing else, or an empty string."""
    reader = Reader(text)
    start = _after(reader, 0)
    found = reader.quantity(start)
    is_one = found is None and reader.word(start) in ("a", "an")
    end = found[1] if found else start + is_one
    if not (found and found[0].unit):
        end += reader.word(end) in _SIZES
        unit = reader.counted_unit(end)
        if unit is None:
            return ""
        end = unit
    if _after(reader, end) < len(reader.tokens):
        return ""
    return text[reader.tokens[start].start : reader.tokens[end - 1].end]


def _after(reader: Reader, place: int) -> int:
    while reader.word(place) in _AROUND:
        place += 1
    return place
