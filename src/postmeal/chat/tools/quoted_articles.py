"""Articles that a search found, one per publication, and their sentences that may be quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from postmeal.chat.tools.contexts import context_of
from postmeal.literature import Passage
from postmeal.literature.article import SUMMARY_MARK, Article
from postmeal.literature.sentences import sentences
from postmeal.literature.tokens import stems

__all__ = ["Quote", "merged", "quotes"]

_LEAST_WORDS = 4
_BRACKETED_NUMBER = re.compile(r"\[\d+\]")
_DOSE = re.compile(
    r"\b\d[\d.,]*(?:\s?(?:-|–|to)\s?\d[\d.,]*)?\s*(?:mg|mcg|µg|μg|iu|units?|u)\b(?!\s*/\s*(?:dl|l|mmol|mol))",
    re.IGNORECASE,
)


class Quote(NamedTuple):
    """A sentence with those that must be quoted with it.

    Attributes
    ----------
    passage : Passage
        Passage of the sentences.
    sentences : dict of tuple of int to str
        The sentences by their place in the passage, in order; the last one is the sentence that
        was chosen.
    """

    passage: Passage
    sentences: dict[tuple[int, int], str]

    @property
    def text(self) -> str:
        """The sentence that was chosen."""
        return list(self.sentences.values())[-1]


def merged(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages with one passage per publication, in the order of their first ones.

    The starter set has several statements about some publications. They get one number and one
    reference.
    """
    found: dict[str, Passage] = {}
    for passage in passages:
        citation = passage.citation
        name = (citation.doi or "").lower() or citation.pmid or passage.id
        first = found.get(name)
        if first is None:
            found[name] = passage
        elif passage.text not in first.text:
            found[name] = replace(first, text=f"{first.text}\n{passage.text}")
    return list(found.values())


def quotes(passage: Passage) -> Iterator[Quote]:
    """Yield the sentences of a passage that may be quoted, with those that they need.

    Not quoted are short sentences, those with the amount of a medicine, those with a number in
    brackets, which would look like the number of a source, and those that cannot be understood
    without a sentence that is not in the passage.
    """
    mark = Article("", passage.citation, is_summary=True).summary_mark
    for part, statement in enumerate(passage.text.split("\n")):
        is_whole = statement.startswith(SUMMARY_MARK)
        texts = sentences(statement.removeprefix(mark) if is_whole else statement)
        for place, text in enumerate(texts):
            places = context_of(texts, place, is_whole=is_whole)
            needed = {(part, each): texts[each] for each in places}
            if (
                needed
                and len(stems(text)) >= _LEAST_WORDS
                and all(map(_may_be_quoted, needed.values()))
            ):
                yield Quote(passage, needed)


def _may_be_quoted(sentence: str) -> bool:
    return not _BRACKETED_NUMBER.search(sentence) and not _DOSE.search(sentence)
