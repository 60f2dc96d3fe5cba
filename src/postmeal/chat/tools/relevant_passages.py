"""Find the passages that are relevant to a question."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from postmeal.chat.tools.answer_model import Answering, AnswerModel
from postmeal.chat.tools.asked_terms import AskedTerms
from postmeal.chat.tools.expected_questions import ExpectedQuestions
from postmeal.chat.tools.quoted_articles import merged
from postmeal.chat.tools.required_terms import RequiredTerms
from postmeal.literature import Literature, Passage
from postmeal.literature.search import MAX_QUERY_LETTERS
from postmeal.literature.tokens import stems

_PASSAGES = 5
_FITTING = 0.1  # minimum probability that an article answers the earlier question of a follow-up
_FLOOR, _TITLE_FLOOR = 0.4, 0.3  # minimum coverage; the latter if the title names a main topic
_WHOLE_FLOOR = 0.6
_TITLE_WORDS = 6  # minimum number of different words of a question that is worded like a title


class RelevantPassages(NamedTuple):
    """The passages that are relevant to a question."""

    passages: list[Passage]
    coverage: dict[int, float]
    exempt: set[int]


def relevant_passages(
    literature: Literature,
    question: str,
    earlier: str,
    asked: AskedTerms,
    required: RequiredTerms,
) -> RelevantPassages:
    """Return the passages that answer a question or contain enough of its words or terms.

    A model decides about the articles of the starter set, and rules decide about all others.
    """
    answering = _answering(literature, question, earlier, asked, required)
    others = _with_terms(literature, question, asked, required)
    passages = answering.passages + others.passages
    if answering.passages and others.passages:
        passages = merged(passages)
    return RelevantPassages(
        passages, answering.coverage | others.coverage, answering.exempt | others.exempt
    )


def _answering(
    literature: Literature,
    question: str,
    earlier: str,
    asked: AskedTerms,
    required: RequiredTerms,
) -> RelevantPassages:
    """Return the passages of the starter set that answer a question.

    If the main topic of the question is a food, they or the questions that they answer must name
    it.
    """
    answering, passages = _answered(literature, question, asked, required)
    if earlier:
        fitting = {each.article for each in _rated(earlier) if each.probability >= _FITTING}
        answering = [each for each in answering if each.article in fitting]
        if not answering:
            answering, passages = _answered(literature, earlier, asked, required)
    best = answering[0].probability if answering else 1.0
    coverage = {-rank: each.probability / best for rank, each in enumerate(answering, 1)}
    # The ranks are negative, since other passages have positive ranks.
    found = merged(
        [replace(passages[each.article], rank=-rank) for rank, each in enumerate(answering, 1)]
    )
    with_outcome = [each for each in found if required.outcome_is_in(_text(each))]
    return RelevantPassages(with_outcome or found, coverage, set(coverage))


def _answered(
    literature: Literature, question: str, asked: AskedTerms, required: RequiredTerms
) -> tuple[list[Answering], dict[str, Passage]]:
    """Return the articles of the starter set that answer a question, and their passages by ID."""
    expected = ExpectedQuestions.open()
    candidates = {
        each.article: each
        for each in expected.candidates(question)
        if not asked.is_about_food or asked.names_main_topic(expected.vocabulary(each.article))
    }
    passages = {
        each.id: each for each in literature.passages(candidates) if required.are_in(_text(each))
    }
    return AnswerModel.open().answering([candidates[name] for name in passages]), passages


def _rated(question: str) -> list[Answering]:
    return AnswerModel.open().rated(ExpectedQuestions.open().candidates(question))


def _with_terms(
    literature: Literature, question: str, asked: AskedTerms, required: RequiredTerms
) -> RelevantPassages:
    """Return the passages that contain enough of the words or terms of a question.

    Passages of the starter set are not included.
    """
    whole = _WholeQuestion(question, literature)
    found = _found(literature, [question, asked.query])
    texts = {each.rank: _text(each) for each in found}
    present = {rank: set(stems(text)) for rank, text in texts.items()}
    coverage = {
        rank: max(asked.coverage(words), whole.coverage(words)) for rank, words in present.items()
    }
    # A long question without food is often about another field, whose topics the model misses.
    exempt = {
        rank
        for rank, words in present.items()
        if whole.is_long and (whole.coverage(words) or not asked.is_about_food)
    }
    titled = {
        each.rank
        for each in found
        if asked.has_main_topic and asked.names_main_topic(set(stems(each.citation.title)))
    }
    about = [
        each
        for each in found
        if coverage[each.rank] >= (_TITLE_FLOOR if each.rank in titled else _FLOOR)
        and required.are_in(texts[each.rank])
        and (each.rank in exempt or asked.names_main_topic(present[each.rank]))
    ]
    with_outcome = [each for each in about if required.outcome_is_in(texts[each.rank])]
    return RelevantPassages(with_outcome or about, coverage, exempt)


def _found(literature: Literature, queries: Sequence[str]) -> list[Passage]:
    """Return the best passages for each of several queries, in order, numbered from 1."""
    found: dict[str, Passage] = {}
    expected = ExpectedQuestions.open()
    for query in queries:
        if query:
            result = literature.search(
                query[:MAX_QUERY_LETTERS],
                limit=_PASSAGES,
                include_summary=False,
                whole_texts=True,
            )
            for each in result.passages:
                if each.id not in expected.articles:
                    found.setdefault(each.id, each)
    numbered = [replace(each, rank=number) for number, each in enumerate(found.values(), 1)]
    return merged(numbered)


class _WholeQuestion:
    """The share of all words of a question that a passage contains, weighted by their rarity.

    This share matters for questions that are worded like titles of articles. Their topics often
    have nothing to do with food or glucose, so the model of topics does not find them.
    """

    def __init__(self, question: str, literature: Literature) -> None:
        self._rarity = {stem: literature.rarity(stem) for stem in stems(question)}

    @property
    def is_long(self) -> bool:
        """Whether the question is as long as a title, so that no single word decides the share."""
        return len(self._rarity) >= _TITLE_WORDS

    def coverage(self, present: Set[str]) -> float:
        """Return 1 plus the share of the words whose stems are present, or 0 below a share of 60%.

        The 1 ranks these passages above those that contain only the terms of the question.
        """
        total = sum(self._rarity.values())
        shared = sum(rarity for stem, rarity in self._rarity.items() if stem in present)
        return 1 + shared / total if total and shared >= _WHOLE_FLOOR * total else 0.0


def _text(passage: Passage) -> str:
    return f"{passage.citation.title} {passage.text}"
