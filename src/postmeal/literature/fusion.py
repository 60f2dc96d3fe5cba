"""Fusion of rankings by reciprocal rank, and feedback from the best articles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["FEEDBACK_ARTICLES", "feedback_vector", "feedback_weights", "fuse"]

_K = 60
FEEDBACK_ARTICLES = 5
"""Number of articles of the first ranking whose words and vectors are added to the question."""

_FEEDBACK_WORDS = 15
_FEEDBACK_WEIGHT = 0.6
_FEEDBACK_VECTOR_WEIGHT = 0.5


def fuse(rankings: Sequence[Iterable[int]]) -> list[tuple[int, float]]:
    """Return the articles of several rankings with their fused scores, best first.

    The score is the sum of 1 / (60 + rank) over the rankings: G. V. Cormack, C. L. A. Clarke and
    S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"
    (2009), doi:10.1145/1571941.1572114. Equal scores are ordered by the number of the article.

    Parameters
    ----------
    rankings : sequence of iterable of int
        Numbers of articles, best first.

    Examples
    --------
    >>> [number for number, _ in fuse([[7, 3, 5], [3, 9]])]
    [3, 7, 9, 5]
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            scores[number] = scores.get(number, 0.0) + 1 / (_K + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def feedback_weights(
    question: Iterable[str], articles: Iterable[Iterable[str]], rarity: Callable[[str], float]
) -> dict[str, float]:
    """Return the words of a question and of the best articles, with their weights.

    This is pseudo-relevance feedback: J. J. Rocchio, "Relevance feedback in information retrieval"
    (1971). The 15 words with the largest frequency times rarity are added with the weight 0.6. The
    number of articles and words and the weight were chosen once and were not fitted.

    Parameters
    ----------
    question : iterable of str
        Stems of the question, which have the weight 1.
    articles : iterable of iterable of str
        Stems of each of the best articles, with repetitions.
    rarity : callable
        Returns the inverse document frequency of a stem.

    Examples
    --------
    >>> feedback_weights(["rice"], [["rice", "starch", "starch"]], lambda stem: 1.0)
    {'rice': 1.6, 'starch': 0.6}
    """
    counts: Counter[str] = Counter()
    for stems in articles:
        counts.update(stems)
    ordered = sorted(counts, key=lambda stem: (-counts[stem] * rarity(stem), stem))
    weights = dict.fromkeys(question, 1.0)
    for stem in ordered[:_FEEDBACK_WORDS]:
        weights[stem] = weights.get(stem, 0.0) + _FEEDBACK_WEIGHT
    return weights


def feedback_vector(
    question: npt.NDArray[np.float32], mean: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return the vector of a question moved toward the mean vector of the best articles."""
    return (question + np.float32(_FEEDBACK_VECTOR_WEIGHT) * mean).astype(np.float32)
