"""The model that decides whether articles of the starter set answer a question.

Two logistic regressions were fitted to questions by authors whose other questions were left out, by
``tests/relevance/train_answer_model.py``. The first one rates each article. The second one decides
whether any of the articles answers the question.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import NamedTuple

from postmeal.chat.tools.expected_questions import Candidate

_LEAST = 0.4  # minimum probability that the question can be answered
_NEARLY = 0.4  # minimum probability of an article, as a share of that of the best article
_MOST_ARTICLES = 5
_TOP = 3  # number of articles whose features decide


class Answering(NamedTuple):
    """An article that answers a question."""

    article: str
    probability: float


class AnswerModel(NamedTuple):
    """Weights of the features of articles and questions."""

    of_article: Mapping[str, float]
    of_question: Mapping[str, float]

    @classmethod
    @cache
    def open(cls) -> AnswerModel:
        """Return the model of the package."""
        content = files("postmeal.chat").joinpath("answer_model.toml").read_text(encoding="utf-8")
        table = tomllib.loads(content)
        return cls(table["article"], table["question"])

    def answering(self, candidates: Sequence[Candidate]) -> list[Answering]:
        """Return the articles that answer a question, best first; empty if none does."""
        if not candidates:
            return []
        rated = self.rated(candidates)
        features = question_features(candidates, [each.probability for each in rated])
        if _probability(self.of_question, features) < _LEAST:
            return []
        ordered = sorted(rated, key=lambda each: -each.probability)[:_MOST_ARTICLES]
        least = _NEARLY * ordered[0].probability
        return [each for each in ordered if each.probability >= least]

    def rated(self, candidates: Sequence[Candidate]) -> list[Answering]:
        """Return the probability that each article answers the question, in the same order."""
        return [
            Answering(each.article, _probability(self.of_article, each._asdict()))
            for each in candidates
        ]


def question_features(
    candidates: Sequence[Candidate], probabilities: Sequence[float]
) -> dict[str, float]:
    """Return the features that decide whether any of several articles answers a question."""
    pairs = zip(probabilities, candidates, strict=True)
    ordered = sorted(pairs, key=lambda each: -each[0])
    best, top = ordered[0][1], ordered[:_TOP]
    likenesses = sorted((each.likeness for each in candidates), reverse=True)[:_TOP]
    return {
        "log_odds": log(ordered[0][0] / (1 - ordered[0][0])),
        "log_sum": log(sum(probability for probability, _ in top)),
        "likeness": sum(likenesses) / _TOP,
        "coverage": max(each.coverage for _, each in top),
        "missing": best.missing,
        "length": best.length,
    }


def _probability(weights: Mapping[str, float], features: Mapping[str, object]) -> float:
    """Return the probability of a logistic regression."""
    total = weights["constant"]
    for name, weight in weights.items():
        if name != "constant":
            value = features[name]
            assert isinstance(value, float)
            total += weight * value
    return 1 / (1 + exp(-total))
