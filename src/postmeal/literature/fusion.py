"""Fuse rankings by reciprocal rank, and extend questions with feedback from the best articles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["FEEDBACK_ARTICLES", "feedback_vector", "feedback_weights", "fuse"]

_K = 60
FEEDBACK_ARTICLES = 5
"""Number of top articles in the first ranking whose words and vectors extend the question."""

_FEEDBACK_WORDS = 15
_FEEDBACK_WEIGHT = 0.6
_FEEDBACK_VECTOR_WEIGHT = 0.5


def fuse(rankings: Sequence[Sequence[int]], limit: int) -> list[tuple[int, float]]:
    """Return the best articles of several rankings with their fused scores, best first.

    The score is the sum of 1 / (60 + rank) over the rankings: G. V. Cormack, C. L. A. Clarke and
    S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"
    (2009), doi:10.1145/1571941.1572114. Articles with equal scores are ordered by number.
    """
    numbers = np.concatenate([np.asarray(ranking, dtype=np.int64) for ranking in rankings])
    gains = np.concatenate([1 / (_K + np.arange(1, len(ranking) + 1)) for ranking in rankings])
    found, places = np.unique(numbers, return_inverse=True)
    scores = np.bincount(places, weights=gains, minlength=len(found))
    order = np.argsort(-scores, kind="stable")[:limit]
    return list(zip(found[order].tolist(), scores[order].tolist(), strict=True))


def feedback_weights(
    question: Iterable[str],
    articles: Iterable[Sequence[str]],
    rarity: Callable[[str], float],
    *,
    is_fused: bool = False,
) -> dict[str, float]:
    """Return the words of a question and of the best articles, with their weights.

    This is pseudo-relevance feedback: J. J. Rocchio, "Relevance feedback in information retrieval"
    (1971). The 15 words with the largest product of relative frequency and rarity are added to the
    question, with weights in proportion to this product. The number of articles, the number of
    added words and their total weight were not tuned on data.
    """
    products: dict[str, float] = {}
    for stems in articles:
        for stem, count in Counter(stems).items():
            product = count / len(stems) * rarity(stem)
            products[stem] = products.get(stem, 0.0) + product
    added = sorted(products, key=lambda stem: (-products[stem], stem))[:_FEEDBACK_WORDS]
    chosen = [products[stem] for stem in added]
    unit = max(chosen, default=1.0) if is_fused else sum(chosen)
    weights = dict.fromkeys(question, 1.0)
    for stem in added:
        weights[stem] = weights.get(stem, 0.0) + _FEEDBACK_WEIGHT * products[stem] / unit
    return weights


def feedback_vector(
    question: npt.NDArray[np.float32], mean: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Move the vector of a question toward the mean vector of the best articles."""
    return (question + np.float32(_FEEDBACK_VECTOR_WEIGHT) * mean).astype(np.float32)
