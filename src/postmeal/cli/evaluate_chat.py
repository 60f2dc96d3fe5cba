"""``postmeal evaluate chat``: evaluate the health chat on conversations with expected answers."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

from postmeal.chat import Assistant
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from postmeal.literature import Literature
from postmeal.training.evaluation.chat_conversations import (
    Outcome,
    evaluate_conversations,
    read_conversations,
)

__all__ = ["evaluate_chat"]


def evaluate_chat(options: argparse.Namespace) -> None:
    """Evaluate the chat, and print the results by group, the failures and a total."""
    conversations = read_conversations(options.folder)
    predictor = Predictor.load(options.model)
    literature = Literature.open(options.literature)
    assistant = Assistant(Catalog.open(), predictor, literature)
    outcomes = evaluate_conversations(assistant, conversations)
    groups = list(dict.fromkeys(outcome.conversation.group for outcome in outcomes))
    width = max(map(len, groups))
    print(f"{'group':<{width}}  cases  route  words  right")
    for group in groups:
        chosen = [outcome for outcome in outcomes if outcome.conversation.group == group]
        print(f"{group:<{width}}  {len(chosen):5d}  {_counts(chosen)}")
    print()
    for number, outcome in enumerate(outcomes, 1):
        if not outcome.is_right:
            print(_failure(number, outcome))
    if options.predictions is not None:
        _write(options.predictions, outcomes)
    print(f"{sum(outcome.is_right for outcome in outcomes)} of {len(outcomes)}")


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


def _write(path: Path, outcomes: Sequence[Outcome]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("case", "group", "expected", "route", "right", "problems", "answer"))
        for number, outcome in enumerate(outcomes, 1):
            expected = outcome.conversation
            row = (number, expected.group, " or ".join(expected.routes), outcome.answer.route)
            problems = "; ".join(outcome.problems)
            writer.writerow((*row, outcome.is_right, problems, outcome.answer.text))
    print(f"wrote {path}: {len(outcomes)} rows")
