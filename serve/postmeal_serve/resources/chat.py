"""Health chat, which runs off the event loop and can use a language model to word its answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from postmeal.chat import Assistant, ChatAnswer, Message, Sentence
from postmeal.chat.routes import FIXED_ROUTES
from postmeal.chat.support import reworded
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from postmeal_serve.loaded.literature import ServedLiterature
from postmeal_serve.runtime.offload import offload

__all__ = ["Chat", "Writer"]

_FIRST = ("What can I eat instead of 100 g of white rice?", "Does vinegar lower glucose?")


class Writer(Protocol):
    """An object that puts answers into words, such as `upstreams.chat_model.ChatModel`."""

    async def sentences(self, answer: ChatAnswer) -> tuple[Sentence, ...]:
        """Return sentences about the evidence of an answer. The sentences may be wrong."""


class Chat(NamedTuple):
    """The health chat of a process."""

    catalog: Catalog
    predictor: Predictor
    literature: ServedLiterature
    writer: Writer | None

    async def answer(self, messages: Sequence[Message]) -> ChatAnswer:
        """Return the answer to the last message.

        The library chooses the kind of answer and its evidence. A language model only words this
        evidence, and its sentences are used only if the evidence supports most of them. The model
        never receives a conversation that gets a fixed answer.
        """
        answer = await offload(self._answer, messages)
        has_evidence = bool(answer.passages or answer.computed)
        if self.writer is None or answer.route in FIXED_ROUTES or not has_evidence:
            return answer
        proposed = await self.writer.sentences(answer)
        return await offload(reworded, answer, proposed)

    def warm(self) -> None:
        """Respond to two messages, which compiles the patterns and loads the chat models."""
        for text in _FIRST:
            self._assistant().answer([Message("user", text)])

    def _answer(self, messages: Sequence[Message]) -> ChatAnswer:
        try:
            return self._assistant().answer(messages)
        except sqlite3.Error:  # A new build may just have deleted the files of this index.
            self.literature.follow()
            return self._assistant().answer(messages)

    def _assistant(self) -> Assistant:
        return Assistant(self.catalog, self.predictor, self.literature.active)
