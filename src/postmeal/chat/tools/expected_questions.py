"""Questions that the statements of the starter set answer, in the words of laypeople.

A statement about time-restricted eating contains none of the words of "is eating only between noon
and 8 any good?". Several authors therefore wrote questions for each statement of the starter set. A
new question is compared with these questions as well as with the statements. R. Nogueira et al.,
"Document expansion by query prediction" (2019), arXiv:1904.08375, extend documents with questions
that a model writes.
"""

from __future__ import annotations

import csv
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from functools import cache
from math import log1p, sqrt
from pathlib import Path
from typing import NamedTuple

from postmeal.assets import asset
from postmeal.errors import DataSetError
from postmeal.literature.article import Article
from postmeal.literature.sources.starter_set import read_starter_set
from postmeal.literature.tokens import stems

_COLUMNS = ("article", "author", "question")
_BEST = 6  # number of articles from each of two rankings
_REPEATED = 0.2  # assumed repetition rate of words
_ASSUMED = 7  # number of questions that the assumed rate counts as
_LARGE = 10.0  # unit of weights, so that features are about 1 at most
_LONG = 20  # number of different words in a long question


class ExpectedQuestion(NamedTuple):
    """A question that an article of the starter set answers."""

    article: str
    author: int
    text: str


class Candidate(NamedTuple):
    """An article that may answer a question, and the features that decide whether it does.

    Attributes
    ----------
    article : str
        ID of the article.
    likeness, second_likeness : float
        Similarity of the question to the most similar and to the second most similar question that
        the article answers, from 0 to 1.
    coverage : float
        Share of the words of the question that occur in the article or in the questions that it
        answers. Words that name a topic have more weight.
    missing : float
        Largest weight of a word of the question that occurs in neither, as a fraction of 10.
    length : float
        Number of different words of the question, as a fraction of 20, at most 1.
    """

    article: str
    likeness: float
    second_likeness: float
    coverage: float
    missing: float
    length: float


class ExpectedQuestions:
    """An index of questions and of the articles that answer them."""

    def __init__(self, articles: Iterable[Article], questions: Iterable[ExpectedQuestion]) -> None:
        asked = [(each.article, frozenset(stems(each.text))) for each in questions]
        self._articles = [article for article, _ in asked]
        self._vocabularies = {
            each.id: set(stems(f"{each.citation.title} {each.text}")) for each in articles
        }
        self._questions_with: dict[str, list[int]] = defaultdict(list)
        for number, (article, words) in enumerate(asked):
            self._vocabularies[article] |= words
            for stem in words:
                self._questions_with[stem].append(number)
        self._articles_with: dict[str, list[str]] = defaultdict(list)
        for article, vocabulary in self._vocabularies.items():
            for stem in vocabulary:
                self._articles_with[stem].append(article)
        self._weights = self._word_weights()
        self._lengths = [self._length(words) for _, words in asked]

    @classmethod
    @cache
    def open(cls) -> ExpectedQuestions:
        """Return the index of the starter set, which takes about half a second to build."""
        questions = read_expected_questions(asset("data/literature_questions.csv"))
        return cls(read_starter_set(asset("data/literature.csv")), questions)

    @property
    def articles(self) -> Set[str]:
        """IDs of all articles."""
        return self._vocabularies.keys()

    def vocabulary(self, article: str) -> Set[str]:
        """Return the stems of an article and of the questions that it answers."""
        return self._vocabularies[article]

    def candidates(self, question: str) -> list[Candidate]:
        """Return the articles that may answer a question, in no particular order."""
        words = frozenset(stems(question))
        total = sum(map(self._weight, words))
        if not total:
            return []
        likenesses = self._likenesses(words)
        shared: dict[str, float] = defaultdict(float)
        for stem in words:
            for article in self._articles_with.get(stem, ()):
                shared[article] += self._weight(stem)
        by_question = heapq.nlargest(_BEST, likenesses, key=lambda each: likenesses[each][0])
        by_words = heapq.nlargest(_BEST, shared, key=shared.__getitem__)
        return [
            self._candidate(article, words, total, likenesses.get(article, [0.0, 0.0]))
            for article in dict.fromkeys([*by_question, *by_words])
        ]

    def _candidate(
        self, article: str, words: Set[str], total: float, likenesses: Sequence[float]
    ) -> Candidate:
        vocabulary = self._vocabularies[article]
        return Candidate(
            article,
            likenesses[0],
            likenesses[1],
            sum(map(self._weight, words & vocabulary)) / total,
            max(map(self._weight, words - vocabulary), default=0.0) / _LARGE,
            min(len(words), _LONG) / _LONG,
        )

    def _likenesses(self, words: Set[str]) -> dict[str, list[float]]:
        """Return the two largest cosines of a question with the questions of each article."""
        products: dict[int, float] = defaultdict(float)
        for stem in words:
            square = self._weight(stem) ** 2
            for number in self._questions_with.get(stem, ()):
                products[number] += square
        length = self._length(words)
        found: dict[str, list[float]] = {}
        for number, product in products.items():
            cosine = product / (length * self._lengths[number])
            best = found.setdefault(self._articles[number], [0.0, 0.0])
            if cosine > best[0]:
                best[:] = cosine, best[0]
            elif cosine > best[1]:
                best[1] = cosine
        return found

    def _length(self, words: Iterable[str]) -> float:
        return sqrt(sum(self._weight(stem) ** 2 for stem in words)) or 1.0

    def _weight(self, stem: str) -> float:
        """Return the weight of a word, which is high for words that name a topic."""
        return self._weights.get(stem) or self._rarity(0) * sqrt(_REPEATED)

    def _word_weights(self) -> dict[str, float]:
        """Return the weights of all words in the questions.

        The weight is the inverse document frequency of a word, multiplied by the square root of its
        repetition rate: the share of the other questions of an article that contain the word if one
        of them does. Words that name a topic are repeated, unlike words such as "neighbor". For
        rare words, the rate is drawn toward 0.2.
        """
        sizes = Counter(self._articles)
        weights = {}
        for stem, numbers in self._questions_with.items():
            counts = Counter(self._articles[number] for number in numbers)
            repeated = sum(count * (count - 1) for count in counts.values())
            possible = sum(count * (sizes[article] - 1) for article, count in counts.items())
            rate = (repeated + _REPEATED * _ASSUMED) / (possible + _ASSUMED)
            weights[stem] = self._rarity(len(numbers)) * sqrt(rate)
        return weights

    def _rarity(self, count: int) -> float:
        """Return the inverse document frequency of a word that occurs in `count` questions."""
        return log1p((len(self._articles) - count + 0.5) / (count + 0.5))


def read_expected_questions(path: Path) -> list[ExpectedQuestion]:
    """Read a table of questions."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter=";", strict=True)
            if tuple(rows.fieldnames or ()) != _COLUMNS:
                expected, got = ";".join(_COLUMNS), ";".join(rows.fieldnames or ())
                raise DataSetError(f"{path}: the columns must be {expected}; got {got}")
            return [
                ExpectedQuestion(f"summary:{row['article']}", int(row["author"]), row["question"])
                for row in rows
            ]
    except (OSError, ValueError, csv.Error) as error:
        raise DataSetError(f"{path} cannot be read: {error}") from error
