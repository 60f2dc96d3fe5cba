"""Rank the articles in an index by how well they answer a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np
import numpy.typing as npt

from postmeal.errors import InputError
from postmeal.literature.article import Article
from postmeal.literature.article_table import ArticleTable
from postmeal.literature.index import Index
from postmeal.literature.postings import best
from postmeal.literature.tokens import stems

Vectors = npt.NDArray[np.float32]
Allowed = npt.NDArray[np.bool_] | None
Method = Literal[
    "words",
    "vectors",
    "fused",
    "words, feedback",
    "fused, feedback words",
    "fused, feedback words and vectors",
]
METHODS: tuple[Method, ...] = get_args(Method)
"""Ranking methods. The last one is the default, or "words, feedback" if there are no vectors."""

_NEAR_COSINE = 0.35  # questions of random letters or in other languages reach about 0.25
_DEPTH = 1000  # number of articles from each ranking to fuse
_RESCORED = 300_000  # if an index has more articles, feedback rescores only the best 1,000
_K = 60

FEEDBACK_ARTICLES = 5
"""Number of top articles in the first ranking whose words and vectors extend the question."""

_FEEDBACK_WORDS = 15
_FEEDBACK_WEIGHT = 0.6
_FEEDBACK_VECTOR_WEIGHT = 0.5


class QuestionEncoder(Protocol):
    """Model that encodes texts as vectors."""

    model: str

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts."""


class Ranked(NamedTuple):
    """The number of an article in the index, and its score."""

    number: int
    score: float


class Ranker:
    """Rank the articles in an index by how well they answer a question."""

    def __init__(self, index: Index, encoder: QuestionEncoder | None = None) -> None:
        self._index = index
        self._encoder = encoder if encoder is not None and encoder.model == index.model else None

    @property
    def method(self) -> Method:
        """Default ranking method for this index."""
        return METHODS[-1] if self.has_vectors else "words, feedback"

    @property
    def has_vectors(self) -> bool:
        """Whether the index has vectors and the encoder of these vectors is available."""
        return self._encoder is not None and self._index.vectors is not None

    def rank(
        self, question: str, limit: int, allowed: Allowed = None, method: Method | None = None
    ) -> list[Ranked]:
        """Return the articles that best answer a question."""
        method = method or self.method
        postings = self._index.postings
        asked = stems(question)
        words = {stem: 1.0 for stem in asked if postings.contains(stem)}
        if not words:
            needs_words = not asked or method.startswith("words")
            return [] if needs_words else self._without_words(question, limit, allowed)
        scores = _within(postings.scores(words), allowed)
        by_words = best(scores, _DEPTH)
        if method == "words":
            return _scored(by_words, scores, limit)
        if method == "words, feedback":
            top = by_words[:FEEDBACK_ARTICLES].tolist()
            scores = self._feedback(words, top, scores, by_words, allowed, is_fused=False)
            return _scored(best(scores, limit), scores, limit)
        vector = self._encode(question)
        by_vectors = self._nearest(vector, allowed)
        if method == "vectors":
            return _fused([by_vectors], limit)
        rankings: list[Sequence[int]] = [by_words.tolist(), by_vectors]
        if method == "fused":
            return _fused(rankings, limit)
        top = [number for number, _ in fuse(rankings, FEEDBACK_ARTICLES)]
        scores = self._feedback(words, top, scores, by_words, allowed, is_fused=True)
        rankings.append(best(scores, _DEPTH).tolist())
        if method == METHODS[-1] and top:
            assert self._index.vectors is not None
            mean = self._index.vectors.mean(np.array(top))
            rankings[1] = self._nearest(feedback_vector(vector, mean), allowed)
        return _fused(rankings, limit)

    def _without_words(self, question: str, limit: int, allowed: Allowed) -> list[Ranked]:
        """Return the articles with similar vectors, for a question whose words are not indexed."""
        if not self.has_vectors or self._index.vectors is None:
            return []
        vector = self._encode(question)
        numbers, cosines = self._index.vectors.nearest(vector, limit, allowed)
        found = zip(numbers.tolist(), cosines.tolist(), strict=True)
        return [Ranked(number, cosine) for number, cosine in found if cosine >= _NEAR_COSINE]

    def _encode(self, question: str) -> Vectors:
        if not self.has_vectors or self._encoder is None:
            raise InputError(
                "method", "requires an index with vectors and the model that computed them"
            )
        vector: Vectors = self._encoder.encode([question])[0]
        return vector

    def _nearest(self, vector: Vectors, allowed: Allowed) -> list[int]:
        assert self._index.vectors is not None
        numbers, _ = self._index.vectors.nearest(vector, _DEPTH, allowed)
        found: list[int] = numbers.tolist()
        return found

    def _feedback(
        self,
        words: dict[str, float],
        top: Sequence[int],
        scores: Vectors,
        by_words: npt.NDArray[np.int64],
        allowed: Allowed,
        *,
        is_fused: bool,
    ) -> Vectors:
        """Return the scores for the question extended with words from the best articles."""
        articles = self._index.articles.articles(top)
        texts = [stems(f"{each.citation.title} {each.text}") for each in articles]
        postings = self._index.postings
        weights = feedback_weights(words, texts, postings.rarity, is_fused=is_fused)
        if self._index.n_articles <= _RESCORED:
            return _within(postings.scores(weights), allowed)
        added = {stem: weight - words.get(stem, 0.0) for stem, weight in weights.items()}
        added = {stem: weight for stem, weight in added.items() if weight}
        numbers = np.sort(by_words)
        rescored = np.zeros_like(scores)
        rescored[numbers] = scores[numbers] + postings.scores_of(numbers, added)
        return rescored


def _within(scores: Vectors, allowed: Allowed) -> Vectors:
    if allowed is not None:
        scores[~allowed] = 0
    return scores


def _fused(rankings: Sequence[Sequence[int]], limit: int) -> list[Ranked]:
    return [Ranked(number, score) for number, score in fuse(rankings, limit)]


def _scored(numbers: npt.NDArray[np.int64], scores: Vectors, limit: int) -> list[Ranked]:
    return [Ranked(int(number), float(scores[number])) for number in numbers[:limit]]


def fused_with(
    own: Sequence[int],
    others: Sequence[Sequence[Article]],
    table: ArticleTable,
    limit: int,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> list[tuple[Article, float]]:
    """Return the best articles of several rankings with their fused scores, best first.

    Articles with the same PMID or DOI are merged. If one of them is in the index, the text from the
    index is used.
    """
    known: dict[str, int] = {}
    new: dict[int, Article] = {}
    rankings: list[Sequence[int]] = [own]
    for ranking in others:
        numbers = []
        for article in ranking:
            number = known.get(article.id)
            if number is None:
                number = _number_in(table, article, own)
            if number is None:
                number = table.n_articles + len(new)
                new[number] = article
            known[article.id] = number
            if number in new or allowed is None or allowed[number]:
                numbers.append(number)
        rankings.append(list(dict.fromkeys(numbers)))
    fused = fuse(rankings, limit)
    stored = [number for number, _ in fused if number not in new]
    articles = new | dict(zip(stored, table.articles(stored), strict=True))
    return [(articles[number], score) for number, score in fused]


def _number_in(table: ArticleTable, article: Article, own: Sequence[int]) -> int | None:
    """Return the number of an article in the index, preferably one in `own`, or None."""
    citation = article.citation
    numbers = table.numbers_of_pmid(citation.pmid) if citation.pmid else []
    if not numbers and citation.doi:
        numbers = table.numbers_of_doi(citation.doi)
    ranked = [number for number in own if number in numbers]
    return next(iter(ranked or numbers), None)


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
    for words in articles:
        for stem, count in Counter(words).items():
            product = count / len(words) * rarity(stem)
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
