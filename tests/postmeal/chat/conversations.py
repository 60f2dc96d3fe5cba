"""An assistant over the starter set, and conversations in short."""

from __future__ import annotations

from functools import cache

from postmeal.chat import Assistant, ChatAnswer, Message
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from postmeal.literature import Literature


@cache
def assistant() -> Assistant:
    return Assistant(Catalog.open(), Predictor.load(), Literature.open())


def answer(*turns: str, system: str | None = None) -> ChatAnswer:
    """Return the answer to turns of the user, with the real answers of the assistant between."""
    messages = [Message("system", system)] if system else []
    for turn in turns[:-1]:
        messages.append(Message("user", turn))
        messages.append(Message("assistant", assistant().answer(messages).text))
    messages.append(Message("user", turns[-1]))
    return assistant().answer(messages)
