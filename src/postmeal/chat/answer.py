"""The answer to a conversation: sentences with their sources, and the text made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from postmeal.chat.routes import Route
from postmeal.literature.article import Passage

__all__ = ["MODEL_MARK", "ChatAnswer", "Computation", "Sentence", "SourceKind"]

SourceKind = Literal["fixed", "computed", "quoted"]
MODEL_MARK = "[our model]"
"""Mark behind each computed sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer and its source.

    Attributes
    ----------
    text : str
        The sentence, without the mark of its source.
    kind : {"fixed", "computed", "quoted"}
        A reviewed text, a result of the library, or the words of a passage.
    source : int or None
        Number of the passage or of the computation, from 1; None for fixed sentences.
    """

    text: str
    kind: SourceKind
    source: int | None = None

    @property
    def marked_text(self) -> str:
        """The sentence, followed by ``[our model]`` or by the number of its passage."""
        if self.kind == "computed":
            return f"{self.text} {MODEL_MARK}"
        return f"{self.text} [{self.source}]" if self.kind == "quoted" else self.text


@dataclass(frozen=True, slots=True)
class Computation:
    """A result of the library, and the request that returns the same numbers.

    Attributes
    ----------
    number : int
        Position in the answer, from 1.
    tool : str
        Name of the tool, such as ``"predict_meal"``.
    facts : tuple of str
        The results as sentences, with units.
    request : dict of str to object
        Body of a ``POST /v1.2/glucose/predictions`` request; its ``foods`` are enough for
        nutrients.
    """

    number: int
    tool: str
    facts: tuple[str, ...]
    request: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer to the last message of a conversation.

    Attributes
    ----------
    route : str
        Kind of the answer.
    sentences : tuple of Sentence
        The sentences in order, without the scope note.
    passages : tuple of Passage
        The evidence for a literature answer; the rank of a passage is its number in the text. The
        passages that the answer cites come first.
    computed : tuple of Computation
        The evidence for a computed answer.
    scope_note : str or None
        Last sentence of the first answer of a conversation: what the chat is not.
    question : str
        What the last message asks, with the subject of the turn before if it refers to it.
    """

    route: Route
    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...] = ()
    computed: tuple[Computation, ...] = ()
    scope_note: str | None = None
    question: str = ""

    @property
    def citations(self) -> tuple[Passage, ...]:
        """The passages that the sentences cite, by number."""
        cited = {sentence.source for sentence in self.sentences if sentence.kind == "quoted"}
        return tuple(passage for passage in self.passages if passage.rank in cited)

    @property
    def text(self) -> str:
        """Sentences with the marks of their sources, the references, and the scope note."""
        paragraphs = [" ".join(sentence.marked_text for sentence in self.sentences)]
        if self.citations:
            paragraphs.append("\n".join(_reference(passage) for passage in self.citations))
        if self.scope_note:
            paragraphs.append(self.scope_note)
        return "\n\n".join(paragraphs)

    def with_sentences(self, sentences: Iterable[Sentence]) -> ChatAnswer:
        """Return the answer with other sentences about the same evidence."""
        return replace(self, sentences=tuple(sentences))

    def with_note(self, scope_note: str) -> ChatAnswer:
        """Return the answer with a scope note."""
        return replace(self, scope_note=scope_note)


def _reference(passage: Passage) -> str:
    """Return a line of the reference list."""
    citation = passage.citation
    author = (citation.first_author or "").rstrip(".")
    parts = [author, citation.title.rstrip("."), citation.journal, citation.year]
    stated = ". ".join(str(part) for part in parts if part)
    if citation.doi:
        return f"[{passage.rank}] {stated}. doi:{citation.doi}"
    return f"[{passage.rank}] {stated}." + (f" PMID {citation.pmid}" if citation.pmid else "")
