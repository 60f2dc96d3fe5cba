"""Topics, people and outcomes in a question about research."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from postmeal.chat.word_tagger import WordTagger, is_word
from postmeal.foods.catalog import Catalog

TERM_TAGS = ("other", "topic", "people", "outcome")
"""Tags of words, in the order of the rows of the model's weights."""


class QuestionTerms(NamedTuple):
    """The terms of a question about research."""

    topics: tuple[str, ...]
    people: tuple[str, ...]
    outcomes: tuple[str, ...]

    def after(self, earlier: QuestionTerms) -> QuestionTerms:
        """Return the terms of a follow-up, completed with those of the earlier question."""
        return QuestionTerms(*(own or before for own, before in zip(self, earlier, strict=True)))


def question_terms(text: str, catalog: Catalog) -> QuestionTerms:
    """Return the topics, people and outcomes that a plain text names."""
    found: dict[str, list[str]] = {tag: [] for tag in TERM_TAGS}
    for span in _tagger().spans(text, catalog):
        term = span.text(text)
        if any(is_word(word) and len(word) > 1 for word in term.split()):
            found[TERM_TAGS[span.tag]].append(term)
    return QuestionTerms(tuple(found["topic"]), tuple(found["people"]), tuple(found["outcome"]))


def without_topics(text: str, terms: QuestionTerms) -> str:
    """Return a plain text without the topics that it names."""
    for topic in terms.topics:
        text = text.replace(topic, " ")
    return " ".join(text.split())


@cache
def _tagger() -> WordTagger:
    return WordTagger.read("question_terms.npz", TERM_TAGS)
