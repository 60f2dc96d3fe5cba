"""Messages of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from postmeal.errors import InputError

__all__ = ["Message", "Role", "checked"]

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation.

    Attributes
    ----------
    role : {"system", "user", "assistant"}
        Author of the message.
    content : str
        Plain text.
    """

    role: Role
    content: str


def checked(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages after checking roles, contents and order.

    Raises
    ------
    InputError
        There is no message, a role or content is invalid, a system message follows another role,
        or the last message is blank or not the user's.
    """
    if not messages:
        raise InputError("messages", "must contain at least one message", [])
    is_front = True
    for place, message in enumerate(messages):
        field = f"messages[{place}]"
        if message.role not in get_args(Role):
            problem = "must be one of"
            raise InputError(f"{field}.role", problem, message.role, allowed=get_args(Role))
        is_last = place == len(messages) - 1
        if not isinstance(message.content, str) or (is_last and not message.content.strip()):
            raise InputError(f"{field}.content", "must be a non-empty text", message.content)
        if message.role == "system" and not is_front:
            problem = "must be user or assistant after the first such message"
            raise InputError(f"{field}.role", problem, message.role)
        is_front = is_front and message.role == "system"
    if messages[-1].role != "user":
        raise InputError("messages", "must end with a user message", messages[-1].role)
    return tuple(messages)
