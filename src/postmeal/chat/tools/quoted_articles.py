"""Passages that a search found, one per publication, and the sentences that may be quoted."""

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

_LEAST_WORDS = 4
_BRACKETED_NUMBER = re.compile(r"\[\d+\]")
_DOSE = re.compile(
    r"\b\d[\d.,]{0,20}(?:\s?(?:-|–|to)\s?\d[\d.,]{0,20})?\s*(?:mg|mcg|µg|μg|iu|units?|u)\b(?!\s*/\s*(?:dl|l|mmol|mol))",
    re.IGNORECASE,
)


class Quote(NamedTuple):
    """A sentence, and the sentences that must be quoted with it."""

    passage: Passage
    sentences: dict[tuple[int, int], str]
    text: str


def merged(passages: Sequence[Passage]) -> list[Passage]:
    """Merge the passages of each publication into one passage.

    The starter set contains several statements about some publications. These get a single number
    and a single reference. The order is that of the first passage of each publication.
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
    """Yield the sentences of a passage that may be quoted, each with the context that it needs.

    Statements of the starter set are quoted as a whole, because one of their sentences often limits
    what another one says. The following sentences are never quoted: short sentences, sentences with
    the amount of a medicine, and sentences that cannot be understood without a sentence outside of
    the passage. Sentences with a number in brackets are not quoted either, because it would look
    like the number of a source.
    """
    mark = Article("", passage.citation, is_summary=True).summary_mark
    for part, statement in enumerate(passage.text.split("\n")):
        is_whole = statement.startswith(SUMMARY_MARK)
        texts = sentences(statement.removeprefix(mark) if is_whole else statement)
        for place, text in enumerate(texts):
            places = context_of(texts, place, is_whole=is_whole)
            if is_whole and all(map(_may_be_quoted, texts)):
                places = tuple(range(len(texts)))
            needed = {(part, each): texts[each] for each in places}
            if (
                needed
                and len(stems(text)) >= _LEAST_WORDS
                and all(map(_may_be_quoted, needed.values()))
            ):
                yield Quote(passage, needed, text)


def _may_be_quoted(sentence: str) -> bool:
    return not _BRACKETED_NUMBER.search(sentence) and not _DOSE.search(sentence)
