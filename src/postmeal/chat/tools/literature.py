"""Search for sentences of articles that answer a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from postmeal.chat.answer import Sentence
from postmeal.chat.question_terms import QuestionTerms
from postmeal.chat.tools.asked_terms import AskedTerms
from postmeal.chat.tools.quoted_articles import Quote, quotes
from postmeal.chat.tools.relevant_passages import relevant_passages
from postmeal.chat.tools.required_terms import RequiredTerms, names_kind
from postmeal.literature import Literature, Passage
from postmeal.literature.tokens import stems

_SENTENCES, _MOST_SENTENCES, _OF_A_PASSAGE = 3, 4, 2
_NOVELTY = 0.5
_COVERED, _LATER = 0.3, 0.02


@dataclass(frozen=True, slots=True)
class Quotations:
    """Sentences that are quoted from passages."""

    sentences: tuple[Sentence, ...] = ()
    passages: tuple[Passage, ...] = ()


def quote(
    literature: Literature,
    question: str,
    terms: QuestionTerms,
    *,
    earlier: str = "",
    any_kind: bool = False,
) -> Quotations:
    """Return up to four sentences that answer a question.

    For articles of the starter set, a model decides whether they answer the question; see
    `AnswerModel`. Other articles are used only if they contain enough of the terms of the question,
    or at least 60% of all its words. Rare words have more weight. Except for some long questions, a
    main topic of the question must occur in the title of the article or in the quoted sentences.
    All articles must contain the `RequiredTerms` of the question.

    The sentences are chosen one after the other. The next one is always as similar to the question
    and as different from the chosen sentences as possible (J. Carbonell and J. Goldstein 1998,
    doi:10.1145/290941.291025). A sentence that cannot be understood on its own is quoted with the
    sentences before it. Sentences with the amount of a medicine are never quoted.
    """
    last, question = question, f"{earlier} {question}".strip()
    asked_terms = AskedTerms(question, terms, literature)
    asked = stems(f"{asked_terms.query} {question}")
    required = RequiredTerms(last if names_kind(last) else question, any_kind=any_kind)
    found = relevant_passages(literature, question, earlier, asked_terms, required)
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
