"""Summarize passages by extracting sentences, each followed by the rank of its passage."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import sqrt

from postmeal.literature.article import SUMMARY_MARK, Passage
from postmeal.literature.sentences import sentences
from postmeal.literature.tokens import stems

_SENTENCES = 4
_PASSAGES = 5
_NOVELTY = 0.5
_LEAST_WORDS = 4
_BRACKETED_NUMBER = re.compile(r"\[\d+\]")  # numbers that look like the rank of a passage

Vector = dict[str, float]


def summarize(
    question: Iterable[str],
    passages: Sequence[Passage],
    rarity: Callable[[str], float],
    limit_s: float,
) -> str | None:
    """Return up to four sentences from the best five passages that answer a question.

    The sentences are chosen one after another by maximal marginal relevance with λ = 0.5. Each is
    the sentence that is most similar to the question and least similar to those already chosen.
    Reference: J. Carbonell and J. Goldstein, "The use of MMR, diversity-based reranking for
    reordering documents and producing summaries" (1998), doi:10.1145/290941.291025.

    A passage contributes up to two sentences. A passage in our own words is chosen as a whole, with
    the words "Summary of" and its source. A sentence with a number in brackets, such as ``"[7]"``,
    is skipped, because the number looks like a rank.
    """
    end = time.monotonic() + limit_s
    asked = _vector(Counter(question), rarity)
    candidates: list[tuple[int, int, str, Vector]] = []
    for passage in passages[:_PASSAGES]:
        is_marked = passage.text.startswith(SUMMARY_MARK)  # the mark applies to the whole text
        parts = [passage.text] if is_marked else sentences(passage.text)
        for position, sentence in enumerate(parts):
            if time.monotonic() >= end:
                raise TimeoutError(f"the summary took longer than {limit_s:g} s")
            words = stems(sentence)
            if len(words) >= _LEAST_WORDS and not _BRACKETED_NUMBER.search(sentence):
                vector = _vector(Counter(words), rarity)
                candidates.append((passage.rank, position, sentence, vector))
    chosen: list[tuple[int, int, str, Vector]] = []
    while candidates and len(chosen) < _SENTENCES:
        best = max(candidates, key=lambda each: _value(each, asked, chosen))
        chosen.append(best)
        full = {rank for rank, count in Counter(each[0] for each in chosen).items() if count == 2}
        candidates = [each for each in candidates if each is not best and each[0] not in full]
    chosen.sort(key=lambda each: each[:2])
    return " ".join(f"{sentence} [{rank}]" for rank, _, sentence, _ in chosen) or None


def _value(
    candidate: tuple[int, int, str, Vector],
    asked: Vector,
    chosen: Sequence[tuple[int, int, str, Vector]],
) -> tuple[float, int, int]:
    rank, position, _, vector = candidate
    repeated = max((_cosine(vector, other[3]) for other in chosen), default=0.0)
    value = (1 - _NOVELTY) * _cosine(vector, asked) - _NOVELTY * repeated
    return value, -rank, -position


def _vector(counts: Counter[str], rarity: Callable[[str], float]) -> Vector:
    vector = {stem: count * rarity(stem) for stem, count in counts.items()}
    length = sqrt(sum(value * value for value in vector.values())) or 1.0
    return {stem: value / length for stem, value in vector.items()}


def _cosine(one: Vector, other: Vector) -> float:
    return sum(value * other.get(stem, 0.0) for stem, value in one.items())
