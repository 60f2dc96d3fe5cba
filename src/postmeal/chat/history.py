"""Messages of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from postmeal.errors import InputError

Role = Literal["system", "user", "assistant"]

MAX_MESSAGES = 200
"""Maximum number of messages in a conversation."""

MAX_LETTERS = 100_000
"""Maximum total length of the messages in a conversation, in characters."""

MAX_MESSAGE_LETTERS = 10_000
"""Maximum length of a message of the system or the assistant, in characters."""

MAX_QUESTION_LETTERS = 2_000
"""Maximum length of a message of the user, in characters."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation.

    Attributes
    ----------
    role : {"system", "user", "assistant"}
        Author of the message.
    content : str
        Text of the message.
    """

    role: Role
    content: str


def checked(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Check the roles, contents and order of messages, and return the messages."""
    if not messages:
        raise InputError("messages", "must contain at least one message", [])
    if len(messages) > MAX_MESSAGES:
        problem = f"must contain at most {MAX_MESSAGES} messages (omit the oldest ones)"
        raise InputError("messages", problem, len(messages))
    is_front = True
    for place, message in enumerate(messages):
        field = f"messages[{place}]"
        if message.role not in get_args(Role):
            problem = "must be one of"
            raise InputError(f"{field}.role", problem, message.role, allowed=get_args(Role))
        is_last = place == len(messages) - 1
        if not isinstance(message.content, str) or (is_last and not message.content.strip()):
            raise InputError(f"{field}.content", "must be text that is not blank", message.content)
        check_length(message.role, message.content, field)
        if message.role == "system" and not is_front:
            problem = "must be user or assistant after the first user or assistant message"
            raise InputError(f"{field}.role", problem, message.role)
        is_front = is_front and message.role == "system"
    if messages[-1].role != "user":
        raise InputError("messages", "must end with a user message", messages[-1].role)
    letters = sum(len(message.content) for message in messages)
    if letters > MAX_LETTERS:
        problem = f"must have at most {MAX_LETTERS} characters in total (omit the oldest messages)"
        raise InputError("messages", problem, letters)
    return tuple(messages)


def check_length(role: Role, text: str, field: str, spelling: str = "") -> None:
    """Raise an `InputError` if the text of a message is too long."""
    most = MAX_QUESTION_LETTERS if role == "user" else MAX_MESSAGE_LETTERS
    if len(text) > most:
        author = " in a user message" if role == "user" else ""
        problem = f"must have at most {most} characters{author}{spelling}"
        raise InputError(f"{field}.content", problem, len(text))
