"""Search for sentences of articles that answer a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

from postmeal.chat.answer import Sentence
from postmeal.chat.question_terms import QuestionTerms
from postmeal.chat.tools.asked_terms import AskedTerms
from postmeal.chat.tools.quoted_articles import Quote, merged, quotes
from postmeal.chat.tools.required_terms import RequiredTerms
from postmeal.literature import Literature, Passage
from postmeal.literature.search import MAX_QUERY_LETTERS
from postmeal.literature.tokens import stems

__all__ = ["Quotations", "quote"]

_SENTENCES, _MOST_SENTENCES, _OF_A_PASSAGE, _PASSAGES = 3, 4, 2, 5
_FLOOR, _TITLE_FLOOR = 0.4, 0.3  # minimum coverage; the latter if the title names a main topic
_WHOLE_FLOOR = 0.6
_TITLE_WORDS = 6  # minimum number of different words of a question that is worded like a title
_NOVELTY = 0.5
_COVERED, _LATER = 0.3, 0.02


@dataclass(frozen=True, slots=True)
class Quotations:
    """Sentences that are quoted from passages.

    Attributes
    ----------
    sentences : tuple of Sentence
        Verbatim sentences with the numbers of their passages. Empty if no passage is relevant
        enough.
    passages : tuple of Passage
        The relevant passages. Those that are quoted come first.
    """

    sentences: tuple[Sentence, ...] = ()
    passages: tuple[Passage, ...] = ()


def quote(
    literature: Literature, question: str, terms: QuestionTerms, *, any_kind: bool = False
) -> Quotations:
    """Return up to four sentences that answer a question.

    A passage is used only if it contains enough of the terms of the question, or at least 60% of
    all its words. Rare words have more weight. The passage must also contain the `RequiredTerms` of
    the question. Except for some long questions, a main topic of the question must occur in the
    title of the article or in the quoted sentences.

    The sentences are chosen one after the other. The next one is always as similar to the question
    and as different from the chosen sentences as possible (J. Carbonell and J. Goldstein 1998,
    doi:10.1145/290941.291025). A sentence that cannot be understood on its own is quoted with the
    sentences before it. Sentences with the amount of a medicine are never quoted.

    Parameters
    ----------
    literature : Literature
        The articles.
    question : str
        Plain text of the question.
    terms : QuestionTerms
        Topics, people and outcomes of the question.
    any_kind : bool, default False
        Whether the articles may be about a different type of diabetes.
    """
    asked_terms = AskedTerms(question, terms, literature)
    asked = stems(f"{asked_terms.query} {question}")
    found = _relevant(literature, question, asked_terms, RequiredTerms(question, any_kind=any_kind))
    quoted = [
        each
        for passage in found.passages
        for each in quotes(passage)
        if passage.rank in found.exempt or asked_terms.names_main_topic(_said(each))
    ]
    chosen = _chosen(asked, quoted, found.coverage, literature.rarity)
    if not chosen:
        return Quotations()
    order = list(dict.fromkeys(passage.rank for passage, _ in chosen))
    order += [passage.rank for passage in found.passages if passage.rank not in order]
    by_rank = {passage.rank: passage for passage in found.passages}
    numbers = {rank: number for number, rank in enumerate(order, 1)}
    passages = tuple(replace(by_rank[rank], rank=number) for rank, number in numbers.items())
    sentences = (Sentence(text, "quoted", numbers[passage.rank]) for passage, text in chosen)
    return Quotations(tuple(sentences), passages)


class _Relevant(NamedTuple):
    """The relevant passages of a question.

    Attributes
    ----------
    passages : list of Passage
        The passages, best first.
    coverage : dict of int to float
        The share of the terms or words of the question in each passage, by rank.
    exempt : set of int
        Ranks of the passages that may be quoted without a main topic of the question.
    """

    passages: list[Passage]
    coverage: dict[int, float]
    exempt: set[int]


def _relevant(
    literature: Literature, question: str, asked: AskedTerms, required: RequiredTerms
) -> _Relevant:
    """Return the passages that contain enough of the words or terms of a question."""
    whole = _WholeQuestion(question, literature)
    found = _found(literature, [question, asked.query])
    texts = {each.rank: f"{each.citation.title} {each.text}" for each in found}
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
    return _Relevant(with_outcome or about, coverage, exempt)


def _found(literature: Literature, queries: Sequence[str]) -> list[Passage]:
    """Return the best passages for each of several queries, in order, numbered from 1."""
    found: dict[str, Passage] = {}
    for query in queries:
        if query:
            result = literature.search(
                query[:MAX_QUERY_LETTERS],
                limit=_PASSAGES,
                include_summary=False,
                whole_texts=True,
            )
            for each in result.passages:
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


def _said(quote: Quote) -> set[str]:
    """Return the stems of a quotation and of the title of its article."""
    return set(stems(" ".join((quote.passage.citation.title, *quote.sentences.values()))))


def _chosen(
    asked: Sequence[str],
    quoted: Sequence[Quote],
    coverage: Mapping[int, float],
    rarity: Callable[[str], float],
) -> list[tuple[Passage, str]]:
    question = _vector(asked, rarity)
    candidates = [(quote, _vector(stems(quote.text), rarity)) for quote in quoted]
    chosen: list[tuple[Quote, dict[str, float]]] = []
    said: dict[tuple[int, tuple[int, int]], tuple[Passage, str]] = {}
    while candidates and len(said) < _SENTENCES:
        best = max(candidates, key=lambda each: _value(each, question, coverage, chosen))
        candidates.remove(best)
        passage = best[0].passage
        added = {(passage.rank, at): (passage, text) for at, text in best[0].sentences.items()}
        if len(said.keys() | added.keys()) > _MOST_SENTENCES:
            continue
        chosen.append(best)
        said |= added
        counts = Counter(rank for rank, _ in said)
        candidates = [each for each in candidates if counts[each[0].passage.rank] < _OF_A_PASSAGE]
    order = list(dict.fromkeys(quote.passage.rank for quote, _ in chosen))
    return [said[at] for at in sorted(said, key=lambda at: (order.index(at[0]), at[1]))]


def _value(
    candidate: tuple[Quote, dict[str, float]],
    question: dict[str, float],
    coverage: Mapping[int, float],
    chosen: Sequence[tuple[Quote, dict[str, float]]],
) -> float:
    passage, vector = candidate[0].passage, candidate[1]
    repeated = max((_cosine(vector, other) for _, other in chosen), default=0.0)
    preference = _COVERED * coverage[passage.rank] - _LATER * passage.rank
    return (1 - _NOVELTY) * _cosine(vector, question) - _NOVELTY * repeated + preference


def _vector(words: Sequence[str], rarity: Callable[[str], float]) -> dict[str, float]:
    vector = {stem: count * rarity(stem) for stem, count in Counter(words).items()}
    length = sqrt(sum(value * value for value in vector.values())) or 1.0
    return {stem: value / length for stem, value in vector.items()}


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(value * other.get(stem, 0.0) for stem, value in one.items())
