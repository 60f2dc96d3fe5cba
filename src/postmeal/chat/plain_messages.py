"""Conversion of the messages of a conversation to plain text."""

from __future__ import annotations

from collections.abc import Sequence

from postmeal.chat.amount_replies import with_foods_of_replies
from postmeal.chat.history import Message, check_length, checked
from postmeal.chat.plain_text import plain
from postmeal.chat.safety_spelling import with_corrected_dangers
from postmeal.errors import InputError

_RECENT, _RECENT_LETTERS = 10, 2_000

_SPELLING = ", even after ligatures and fractions are written out"


def plain_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Check messages, and convert those of the system and the user to plain text.

    The conversion replaces some characters, such as ligatures and fractions, by several characters,
    so the length is checked again. Misspelled words for dangers, allergies and diets are corrected.
    If the user only states an amount for which the assistant asked, the food is added.
    """
    found = []
    for place, message in enumerate(checked(messages)):
        if message.role != "assistant":
            text = plain(message.content)
            check_length(message.role, text.replace(" ", ""), f"messages[{place}]", _SPELLING)
            message = Message(message.role, with_corrected_dangers(text))
        found.append(message)
    if not found[-1].content:
        field = f"messages[{len(found) - 1}].content"
        raise InputError(field, "must contain a visible character", messages[-1].content)
    return tuple(with_foods_of_replies(found))


def recent_texts(texts: Sequence[str]) -> list[str]:
    """Return the texts that a follow-up can refer to.

    These are the last 10 texts, or fewer if they have more than 2,000 characters in total.
    """
    found: list[str] = []
    letters = 0
    for text in reversed(texts[-_RECENT:]):
        letters += len(text)
        if letters > _RECENT_LETTERS:
            break
        found.append(text)
    return found[::-1]
