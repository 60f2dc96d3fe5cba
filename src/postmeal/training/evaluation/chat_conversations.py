"""Evaluate the health chat on conversations with an expected route and expected words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from postmeal.chat import Assistant, ChatAnswer, Message, Route
from postmeal.errors import DataSetError

__all__ = ["Conversation", "Outcome", "evaluate_conversations", "read_conversations"]

_KEYS = {"group", "half", "messages", "route", "must", "must_not"}
_REQUIRED = _KEYS - {"half"}


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation and the requirements for its answer."""

    group: str
    half: str
    messages: tuple[Message, ...]
    routes: tuple[Route, ...]
    must: tuple[re.Pattern[str], ...]
    must_not: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to a conversation, and the problems with it."""

    conversation: Conversation
    answer: ChatAnswer
    is_routed: bool
    problems: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether the route and the words of the answer are as expected."""
        return self.is_routed and not self.problems


def read_conversations(path: Path) -> list[Conversation]:
    """Read conversations from a TOML file, in which they are the array ``case``."""
    try:
        cases = tomllib.loads(path.read_text(encoding="utf-8")).get("case", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataSetError(f"{path} cannot be read: {error}") from error
    if not cases:
        raise DataSetError(f"{path}: the array 'case' must contain at least one conversation")
    return [_conversation(case, f"{path}, case {number}") for number, case in enumerate(cases, 1)]


def evaluate_conversations(
    assistant: Assistant, conversations: Sequence[Conversation]
) -> list[Outcome]:
    """Let the assistant answer each conversation, and return the outcomes in the same order."""
    return [_outcome(each, assistant.answer(each.messages)) for each in conversations]


def _outcome(conversation: Conversation, answer: ChatAnswer) -> Outcome:
    text = answer.text
    missing = [f"lacks {each.pattern}" for each in conversation.must if not each.search(text)]
    forbidden = [f"has {each.pattern}" for each in conversation.must_not if each.search(text)]
    is_routed = answer.route in conversation.routes
    return Outcome(conversation, answer, is_routed, (*missing, *forbidden))


def _conversation(case: dict[str, Any], place: str) -> Conversation:
    if not case.keys() >= _REQUIRED or not case.keys() <= _KEYS:
        raise DataSetError(
            f"{place}: the keys must be {', '.join(sorted(_KEYS))}; got {', '.join(sorted(case))}"
        )
    routes: list[Any] = [case["route"]] if isinstance(case["route"], str) else case["route"]
    if not routes or not set(routes) <= set(get_args(Route)):
        accepted = ", ".join(get_args(Route))
        raise DataSetError(
            f"{place}: route must be one or more of: {accepted}; got {case['route']!r}"
        )
    try:
        return Conversation(
            case["group"],
            case.get("half", ""),
            tuple(Message(each["role"], each["content"]) for each in case["messages"]),
            tuple(routes),
            tuple(re.compile(each, re.IGNORECASE) for each in case["must"]),
            tuple(re.compile(each, re.IGNORECASE) for each in case["must_not"]),
        )
    except (KeyError, TypeError, re.error) as error:
        raise DataSetError(f"{place} is not valid: {error}") from error
