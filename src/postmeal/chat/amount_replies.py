"""Replies that state only an amount, such as "two cups" after "How much rice was it?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from postmeal.chat.amounts import PORTION, WEIGHT_UNIT
from postmeal.chat.history import Message

__all__ = ["with_foods_of_replies"]

_NUMBER = r"(?:\d+(?:[.,/]\d+)?|one|two|three|four|five|six|half an?|an?)"
_AMOUNT_ALONE = re.compile(
    r"(?:(?:it was|that was|i had|i ate|just|about|around|maybe|roughly|probably|say|i think)"
    r"[ ,]+)*"
    rf"(?P<amount>{_NUMBER} ?(?:{WEIGHT_UNIT}|(?:small |medium |large |big )?{PORTION}))"
    r"(?:[ ,]+(?:i think|i guess|maybe|or so|roughly|please|total|in total))*[ .!]*"
)
_ASKED = re.compile(
    r"\bhow (?:much|many) (?:\w+ of )?(?:of )?(?:the |your )?(?P<food>[a-z][a-z' -]{1,40}?)"
    r"(?: (?:was|were|is|are|did|do|have|had|would|will)\b|,|\?)[^?]*\??\s*$",
    re.IGNORECASE,
)
_LONGEST_QUESTION = 200  # characters; limits the work on very long messages
_NO_FOOD = frozenset(("it", "that", "this", "them", "those", "each", "you", "time", "more"))


def with_foods_of_replies(messages: Sequence[Message]) -> list[Message]:
    """Add the food to each reply of the user that states only the amount that was asked for.

    Parameters
    ----------
    messages : sequence of Message
        A conversation in which the messages of the user are in plain text.

    Examples
    --------
    >>> asked = Message("assistant", "How much white rice was it?")
    >>> with_foods_of_replies([asked, Message("user", "about two cups")])[-1].content
    'two cups of white rice'
    """
    found = list(messages)
    for place in range(1, len(found)):
        before, message = found[place - 1], found[place]
        if message.role != "user" or before.role != "assistant":
            continue
        reply = _AMOUNT_ALONE.fullmatch(message.content)
        asked = _ASKED.search(before.content[-_LONGEST_QUESTION:])
        if reply and asked and asked["food"].lower() not in _NO_FOOD:
            text = f"{reply['amount']} of {asked['food'].lower()}"
            found[place] = replace(message, content=text)
    return found
