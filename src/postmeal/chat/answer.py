"""The answer of the chat: sentences with their sources, and the complete text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from postmeal.chat.routes import Route
from postmeal.literature.article import Passage

SourceKind = Literal["fixed", "computed", "quoted"]
MODEL_MARK = "[our model]"
"""Mark after each computed sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer and its source.

    Attributes
    ----------
    text : str
        The sentence, without the mark of its source.
    kind : {"fixed", "computed", "quoted"}
        Whether the sentence is a fixed text, a result of the library, or a quotation.
    source : int or None
        Number of the quoted passage or of the computation, counted from 1. None for fixed
        sentences.
    """

    text: str
    kind: SourceKind
    source: int | None = None

    @property
    def marked_text(self) -> str:
        """The sentence with the mark of its source.

        The mark of a computed sentence is ``[our model]``, and that of a quoted sentence is the
        number of its passage. A fixed sentence has no mark.
        """
        if self.kind == "computed":
            return f"{self.text} {MODEL_MARK}"
        return f"{self.text} [{self.source}]" if self.kind == "quoted" else self.text


@dataclass(frozen=True, slots=True)
class Computation:
    """A result of the library, and the API request that returns the same numbers.

    Attributes
    ----------
    number : int
        Position in the answer, counted from 1.
    tool : str
        Name of the tool, such as ``"predict_meal"``.
    facts : tuple of str
        The results as sentences, with units.
    request : dict of str to object
        Body of a ``POST /v1.2/glucose/predictions`` request. If the result consists of nutrients,
        only the ``foods`` of the request are needed.
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
        The evidence for a literature answer. The rank of a passage is its number in the text. The
        passages that the answer cites come first.
    computed : tuple of Computation
        The evidence for a computed answer.
    scope_note : str or None
        Note at the end of the answer, which says that the chat does not give medical advice. None
        if an earlier answer contains the note, or if the route needs none.
    question : str
        The question that is answered. For a follow-up, it can include the previous message.
    """

    route: Route
    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...] = ()
    computed: tuple[Computation, ...] = ()
    scope_note: str | None = None
    question: str = ""

    @property
    def citations(self) -> tuple[Passage, ...]:
        """The passages that the sentences cite, in the order of their numbers."""
        cited = {sentence.source for sentence in self.sentences if sentence.kind == "quoted"}
        return tuple(passage for passage in self.passages if passage.rank in cited)

    @property
    def text(self) -> str:
        """The complete text: marked sentences, references and the scope note."""
        paragraphs = [" ".join(sentence.marked_text for sentence in self.sentences)]
        if self.citations:
            paragraphs.append("\n".join(_reference(passage) for passage in self.citations))
        if self.scope_note:
            paragraphs.append(self.scope_note)
        return "\n\n".join(paragraphs)

    def with_sentences(self, sentences: Iterable[Sentence]) -> ChatAnswer:
        """Return a copy of the answer with different sentences about the same evidence."""
        return replace(self, sentences=tuple(sentences))

    def with_note(self, scope_note: str) -> ChatAnswer:
        """Return a copy of the answer with a scope note."""
        return replace(self, scope_note=scope_note)


def _reference(passage: Passage) -> str:
    """Return the line for a passage in the list of references."""
    citation = passage.citation
    author = (citation.first_author or "").rstrip(".")
    parts = [author, citation.title.rstrip("."), citation.journal, citation.year]
    stated = ". ".join(str(part) for part in parts if part)
    if citation.doi:
        return f"[{passage.rank}] {stated}. doi:{citation.doi}"
    return f"[{passage.rank}] {stated}." + (f" PMID {citation.pmid}" if citation.pmid else "")
