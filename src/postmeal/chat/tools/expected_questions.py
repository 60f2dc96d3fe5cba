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

__all__ = ["Candidate", "ExpectedQuestion", "ExpectedQuestions", "read_expected_questions"]

_COLUMNS = ("article", "author", "question")
_BEST = 6  # number of articles from each of two rankings
_RARE = 10.0  # unit of rarities, so that features are about 1 at most
_LONG = 20  # number of different words in a long question


class ExpectedQuestion(NamedTuple):
    """A question that an article of the starter set answers.

    Attributes
    ----------
    article : str
        ID of the article.
    author : int
        Number of the author who wrote the question.
    text : str
        The question.
    """

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
        answers, weighted by rarity.
    missing : float
        Rarity of the rarest word of the question that occurs in neither, as a fraction of 10.
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
    """An index of questions and of the articles that answer them.

    Parameters
    ----------
    articles : iterable of Article
        The articles.
    questions : iterable of ExpectedQuestion
        Questions that the articles answer.
    """

    def __init__(self, articles: Iterable[Article], questions: Iterable[ExpectedQuestion]) -> None:
        asked = [(each.article, frozenset(stems(each.text))) for each in questions]
        self._counts = Counter(stem for _, words in asked for stem in words)
        self._n_questions = len(asked)
        self._articles = [article for article, _ in asked]
        self._lengths = [self._length(words) for _, words in asked]
        self._questions_with: dict[str, list[int]] = defaultdict(list)
        self._vocabularies = {
            each.id: set(stems(f"{each.citation.title} {each.text}")) for each in articles
        }
        for number, (article, words) in enumerate(asked):
            self._vocabularies[article] |= words
            for stem in words:
                self._questions_with[stem].append(number)
        self._articles_with: dict[str, list[str]] = defaultdict(list)
        for article, vocabulary in self._vocabularies.items():
            for stem in vocabulary:
                self._articles_with[stem].append(article)

    @classmethod
    @cache
    def open(cls) -> ExpectedQuestions:
        """Return the index of the starter set, which takes about half a second to build.

        Raises
        ------
        DataSetError
            A table of the starter set cannot be read.
        """
        questions = read_expected_questions(asset("data/literature_questions.csv"))
        return cls(read_starter_set(asset("data/literature.csv")), questions)

    @property
    def articles(self) -> Set[str]:
        """IDs of all articles."""
        return self._vocabularies.keys()

    def candidates(self, question: str) -> list[Candidate]:
        """Return the articles that may answer a question, in no particular order.

        Parameters
        ----------
        question : str
            Text of the question.
        """
        words = frozenset(stems(question))
        total = sum(map(self._rarity, words))
        if not total:
            return []
        likenesses = self._likenesses(words)
        shared: dict[str, float] = defaultdict(float)
        for stem in words:
            for article in self._articles_with.get(stem, ()):
                shared[article] += self._rarity(stem)
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
            sum(map(self._rarity, words & vocabulary)) / total,
            max(map(self._rarity, words - vocabulary), default=0.0) / _RARE,
            min(len(words), _LONG) / _LONG,
        )

    def _likenesses(self, words: Set[str]) -> dict[str, list[float]]:
        """Return the two largest cosines of a question with the questions of each article."""
        products: dict[int, float] = defaultdict(float)
        for stem in words:
            square = self._rarity(stem) ** 2
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
        return sqrt(sum(self._rarity(stem) ** 2 for stem in words)) or 1.0

    def _rarity(self, stem: str) -> float:
        """Return the inverse document frequency of a stem in the questions."""
        count = self._counts.get(stem, 0)
        return log1p((self._n_questions - count + 0.5) / (count + 0.5))


def read_expected_questions(path: Path) -> list[ExpectedQuestion]:
    """Read a table of questions.

    Parameters
    ----------
    path : Path
        CSV file with semicolons, encoded in UTF-8, with the columns ``article`` (ID without
        ``summary:``), ``author`` and ``question``.

    Raises
    ------
    DataSetError
        The table cannot be read.
    """
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
