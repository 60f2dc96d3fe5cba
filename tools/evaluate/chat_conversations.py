"""Evaluate the health chat on conversations with an expected route and expected words."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from postmeal.chat import Assistant, ChatAnswer, Message, Route
from postmeal.errors import DataSetError

__all__ = [
    "Conversation",
    "Outcome",
    "conversations_report",
    "evaluate_conversations",
    "read_conversations",
    "write_outcomes",
]

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


def conversations_report(outcomes: Sequence[Outcome]) -> str:
    """Format the results by group, the failures, and the number of right answers."""
    groups = list(dict.fromkeys(outcome.conversation.group for outcome in outcomes))
    width = max(map(len, groups))
    lines = [f"{'group':<{width}}  cases  route  words  right"]
    for group in groups:
        chosen = [outcome for outcome in outcomes if outcome.conversation.group == group]
        lines.append(f"{group:<{width}}  {len(chosen):5d}  {_counts(chosen)}")
    failures = [
        _failure(n, outcome) for n, outcome in enumerate(outcomes, 1) if not outcome.is_right
    ]
    right = sum(outcome.is_right for outcome in outcomes)
    return "\n".join([*lines, "", *failures, f"{right} of {len(outcomes)}"])


def _counts(outcomes: Sequence[Outcome]) -> str:
    routed = sum(outcome.is_routed for outcome in outcomes)
    worded = sum(not outcome.problems for outcome in outcomes)
    right = sum(outcome.is_right for outcome in outcomes)
    return f"{routed:5d}  {worded:5d}  {right:5d}"


def _failure(number: int, outcome: Outcome) -> str:
    expected, found = " or ".join(outcome.conversation.routes), outcome.answer.route
    route = "" if outcome.is_routed else f" route {found} instead of {expected}"
    problems = "".join(f"; {problem}" for problem in outcome.problems)
    return f"case {number} ({outcome.conversation.group}):{route}{problems}"


def write_outcomes(outcomes: Sequence[Outcome], path: Path) -> None:
    """Write a CSV file with the expected route, the route and the answer of each conversation."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("case", "group", "expected", "route", "right", "problems", "answer"))
        for number, outcome in enumerate(outcomes, 1):
            expected = outcome.conversation
            row = (number, expected.group, " or ".join(expected.routes), outcome.answer.route)
            problems = "; ".join(outcome.problems)
            writer.writerow((*row, outcome.is_right, problems, outcome.answer.text))
