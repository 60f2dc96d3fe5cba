"""Sentences of articles that answer a question, or none."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import sqrt

from postmeal.chat.answer import Sentence
from postmeal.chat.tools.quoted_articles import Quote, merged, quotes
from postmeal.chat.tools.required_terms import RequiredTerms
from postmeal.chat.wording import has, word_list
from postmeal.literature import Literature, Passage
from postmeal.literature.search import MAX_QUERY_LETTERS
from postmeal.literature.tokens import stems

__all__ = ["Quotations", "quote", "search_text"]

_SENTENCES, _MOST_SENTENCES, _OF_A_PASSAGE, _PASSAGES = 3, 4, 2, 5
_FLOOR = 0.5
_SUBJECT_WEIGHT = 3.0
_NOVELTY = 0.5
_LEAST_COMMON = 2
_COVERED, _LATER = 0.3, 0.02
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Quotations:
    """Sentences of passages.

    Attributes
    ----------
    sentences : tuple of Sentence
        Verbatim sentences with the numbers of their passages; empty below the floor.
    passages : tuple of Passage
        The passages that were found relevant; those that are quoted come first.
    """

    sentences: tuple[Sentence, ...] = ()
    passages: tuple[Passage, ...] = ()


def quote(literature: Literature, question: str, *, any_kind: bool = False) -> Quotations:
    """Return one to four sentences that answer a question.

    Passages that contain less than half of what is specific in the question, by the rarity of its
    words, are dropped, and so are those without its `RequiredTerms`. Then the next sentence is
    always the one that is most like the question and least like those chosen before (J. Carbonell
    and J. Goldstein 1998, doi:10.1145/290941.291025). It is quoted with the sentences that it needs
    to be understood. Sentences with the amount of a medicine are not quoted.

    Parameters
    ----------
    literature : Literature
        The articles.
    question : str
        Question, see `search_text`.
    any_kind : bool, default False
        Whether the articles may be about another kind of diabetes.
    """
    query = _query(question)[:MAX_QUERY_LETTERS]
    asked = stems(query)
    if not asked:
        return Quotations()
    found = merged(literature.search(query, limit=_PASSAGES, include_summary=False).passages)
    floor = _Floor(question, literature.rarity)
    required = RequiredTerms(question, any_kind=any_kind)
    coverage = {each.rank: floor.coverage(each) for each in found}
    relevant = [
        each
        for each in found
        if coverage[each.rank] >= _FLOOR and required.are_in(f"{each.citation.title} {each.text}")
    ]
    chosen = _chosen(asked, relevant, coverage, literature.rarity)
    if not chosen:
        return Quotations()
    order = list(dict.fromkeys(passage.rank for passage, _ in chosen))
    order += [passage.rank for passage in relevant if passage.rank not in order]
    by_rank = {passage.rank: passage for passage in relevant}
    numbers = {rank: number for number, rank in enumerate(order, 1)}
    passages = tuple(replace(by_rank[rank], rank=number) for rank, number in numbers.items())
    quoted = (Sentence(text, "quoted", numbers[passage.rank]) for passage, text in chosen)
    return Quotations(tuple(quoted), passages)


def search_text(texts: Sequence[str]) -> str:
    """Return what the last of the user's plain texts asks, with its subject from the turn before.

    Examples
    --------
    >>> search_text(["is vinegar good against spikes?", "how long did these studies go?"])
    'is vinegar good against spikes? how long did these studies go?'
    """
    text = texts[-1]
    specific = _specific(text)
    parts = [each for each in _SENTENCE.split(text) if each.strip()]
    asking = [each for each in parts if each.rstrip().endswith("?") and _specific(each)]
    if len(parts) > 1 and asking and not has("pointing_back", asking[-1]):
        text = " ".join(asking)
    if len(texts) > 1 and (has("pointing_back", text) or not specific):
        return f"{texts[-2]} {text}"
    return text


class _Floor:
    """Whether a passage contains what is specific in a question."""

    def __init__(self, question: str, rarity: Callable[[str], float]) -> None:
        subjects = _stems_of("subjects")
        self._terms = [
            (
                rarity(stem) * (_SUBJECT_WEIGHT if stem in subjects else 1.0),
                {stem, *_synonyms(question, stem)},
            )
            for stem in dict.fromkeys(_specific(question))
        ]
        self._all = set(stems(_with_terms(question)))

    def coverage(self, passage: Passage) -> float:
        """Return the share of the specific words that are in a passage, 0 to 1."""
        words = set(stems(f"{passage.citation.title} {passage.text}"))
        if not self._terms:
            return float(len(words & self._all) >= _LEAST_COMMON)
        total = sum(weight for weight, _ in self._terms)
        return sum(weight for weight, same in self._terms if same & words) / total


def _specific(text: str) -> list[str]:
    """Return the stems that say what a question is about."""
    frequent = _stems_of("topical") | _stems_of("filler")
    return [stem for stem in stems(text) if stem not in frequent and not stem[0].isdigit()]


@cache
def _stems_of(name: str) -> frozenset[str]:
    return frozenset(stems(" ".join(word_list(name))))


def _query(question: str) -> str:
    """Return the words of a question to search for, with the terms of articles."""
    filler = _stems_of("filler")
    kept = [word for word in question.split() if not set(stems(word)) <= filler]
    return _with_terms(" ".join(kept))


def _with_terms(question: str) -> str:
    """Return a question with the terms of articles for its everyday words."""
    added = [term for pattern, term in _lay_terms() if pattern.search(question.lower())]
    return " ".join([question, *added])


def _synonyms(question: str, stem: str) -> set[str]:
    """Return the stems of the terms that stand for the word of a stem."""
    found: set[str] = set()
    for pattern, term in _lay_terms():
        if any(stem in stems(match.group()) for match in pattern.finditer(question.lower())):
            found.update(set(stems(term)) - _stems_of("topical"))
    return found


@cache
def _lay_terms() -> tuple[tuple[re.Pattern[str], str], ...]:
    content = files("postmeal.chat").joinpath("lay_terms.toml").read_text(encoding="utf-8")
    table: dict[str, str] = tomllib.loads(content)
    return tuple((re.compile(rf"\b(?:{words})\b"), term) for words, term in table.items())


def _chosen(
    asked: Sequence[str],
    passages: Sequence[Passage],
    coverage: Mapping[int, float],
    rarity: Callable[[str], float],
) -> list[tuple[Passage, str]]:
    question = _vector(asked, rarity)
    candidates = [
        (quote, _vector(stems(quote.text), rarity))
        for passage in passages
        for quote in quotes(passage)
    ]
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
